package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"laggard/model"
)

// keeper looks after the files of one node that has them in a directory of its
// own. While the node's ranks make progress it leaves the run directory alone.
// When they stand still it shows their files there, for the watcher beside rank
// 0 to see; it withdraws them when one moves again, and when all have ended it
// brings them for good.
type keeper struct {
	app       *app
	live, dir string
	after     time.Duration // of standstill until the files are shown
	shown     bool
}

// withdrawal is how long a keeper may take to notice that its ranks move again.
const withdrawal = 3 * time.Second

func (a *app) newKeeper(f runFlags, dir string, id uint64) *keeper {
	k := &keeper{app: a, live: livePath(f.liveDir, id), dir: dir, after: f.timeout / 2}
	if k.after == 0 {
		k.after = defaultTimeout / 2
	}
	return k
}

// until looks after the files until done, and then until the node's ranks have
// all ended, or if limit is not 0 for no longer than that. Somebody who asks us
// to end may soon use force, so the files are shown at once.
func (k *keeper) until(done <-chan error, signals <-chan os.Signal, limit time.Duration) error {
	var ended time.Time
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		select {
		case <-done:
			ended, done = time.Now(), nil
		case <-signals:
			k.show()
		case <-timer.C:
			begin := time.Now()
			k.look(begin)
			timer.Reset(pauseAfter(begin))
		}
		if ended.IsZero() {
			continue
		}
		if !running(k.live) {
			return bring(k.live, k.dir)
		}
		if limit > 0 && time.Since(ended) > limit {
			return deliverAll(k.live, k.dir, false)
		}
		timer.Reset(100 * time.Millisecond)
	}
}

// look shows or withdraws the files if it is time to.
func (k *keeper) look(now time.Time) {
	run, err := model.Open(k.live)
	if err != nil {
		return // there is nothing yet
	}
	s := lookAt(run, now)
	switch still := s.still && now.Sub(s.since) >= k.after; {
	case s.over || still == k.shown:
	case still:
		k.show()
	default:
		k.withdraw()
	}
}

func (k *keeper) show() {
	if err := deliverAll(k.live, k.dir, false); err != nil {
		fmt.Fprintf(k.app.err, "laggard: %v\n", err)
	}
	k.shown = true
}

func (k *keeper) withdraw() {
	err := eachNodeFile(k.live, func(name string) error {
		err := os.Remove(filepath.Join(k.dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
	if err != nil {
		fmt.Fprintf(k.app.err, "laggard: %v\n", err)
	}
	k.shown = false
}

// keepWhile keeps the files of this node for run; the function it returns waits
// until they are where they belong.
func (a *app) keepWhile(f runFlags, dir string, id uint64) (finish func()) {
	if f.liveDir == "" {
		return func() {}
	}
	over, kept := make(chan error), make(chan error)
	go func() { kept <- a.newKeeper(f, dir, id).until(over, nil, graceful) }()
	return func() {
		close(over)
		if err := <-kept; err != nil {
			fmt.Fprintf(a.err, "laggard: %v\n", err)
		}
	}
}

// keepNode has the first rank of a node, the one that makes its directory, leave
// a keeper there.
func (a *app) keepNode(f runFlags, dir string, id uint64) error {
	if f.liveDir == "" {
		return nil
	}
	err := os.Mkdir(livePath(f.liveDir, id), 0o700)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return a.startBeside(f, "keep", dir, model.RunIDText(id))
}

// keepCommand is the keeper that exec leaves on a node.
func (a *app) keepCommand() *cobra.Command {
	return a.besideCommand("keep PID RUNDIR RUNID", 2, func(f runFlags, pid int, args []string) error {
		id, err := strconv.ParseUint(args[1], 16, 64)
		if err != nil {
			return usageError{err}
		}
		signal.Ignore(syscall.SIGINT, syscall.SIGHUP) // meant for the ranks, as well
		signals := make(chan os.Signal, 1)
		signal.Notify(signals, syscall.SIGTERM)
		return a.newKeeper(f, args[0], id).until(gone(pid), signals, 0)
	})
}

// awayNote says that files of a run may still be on their nodes.
func awayNote(index *model.Index) string {
	m := index.Manifest
	missing := index.Missing()
	if m == nil || m.LiveDir == "" || len(index.Slots) > 0 && missing.Len() == 0 {
		return ""
	}
	whose := "nothing is here"
	if missing.Len() > 0 {
		whose = fmt.Sprintf("ranks %s have left nothing here", missing)
	}
	return fmt.Sprintf("%s: their files may still be in %s on their nodes; laggard collect %s, called there, brings them", whose, m.LiveDir, index.Dir)
}
