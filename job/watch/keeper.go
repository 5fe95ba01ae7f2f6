package watch

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"time"

	"laggard/job/collect"
	"laggard/job/standstill"
	"laggard/model/runfiles"
)

// Keeper looks after the files of one node that has them in a directory of its
// own. While the node's ranks make progress it leaves the run directory alone.
// When they stand still it shows their files there, for the watcher beside rank
// 0 to see; it withdraws them when one moves again, and when all have ended it
// brings them for good.
type Keeper struct {
	Live    string        // the directory on the node, see collect.Path
	Dir     string        // the run directory
	Timeout time.Duration // of the job; after half of it the files are shown. 0: the usual one
	Say     io.Writer     // where the user is told what fails
	shown   bool
	eye     standstill.Observer
}

// withdrawal is how long a keeper may take to notice that its ranks move again.
const withdrawal = 3 * time.Second

// KeepUntil looks after the files until done, and then until the node's ranks have
// all ended, or if limit is not 0 for no longer than that. A signal asks it to
// end, and force may follow soon, so the files are shown at once.
func (k *Keeper) KeepUntil(done <-chan error, signals <-chan os.Signal, limit time.Duration) error {
	var ended time.Time
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	for {
		select {
		case <-done:
			ended, done = time.Now(), nil
		case <-signals:
			k.showFiles()
		case <-timer.C:
			begin := time.Now()
			k.showOrWithdraw(begin)
			timer.Reset(pauseAfter(begin))
		}
		if ended.IsZero() {
			continue
		}
		if !collect.IsRunning(k.Live) {
			return collect.MoveFiles(k.Live, k.Dir)
		}
		if limit > 0 && time.Since(ended) > limit {
			return collect.CopyFiles(k.Live, k.Dir)
		}
		timer.Reset(100 * time.Millisecond)
	}
}

// showOrWithdraw shows or withdraws the files if it is time to.
func (k *Keeper) showOrWithdraw(now time.Time) {
	run, err := runfiles.Open(k.Live)
	if err != nil {
		return // there is nothing yet
	}
	s := k.eye.Look(run, now)
	after := cmp.Or(k.Timeout, standstill.Timeout) / 2
	switch still := s.Still && now.Sub(s.Since) >= after; {
	case s.Over || still == k.shown:
	case still:
		k.showFiles()
	default:
		k.reportError(collect.RemoveCopies(k.Live, k.Dir))
		k.shown = false
	}
}

func (k *Keeper) showFiles() {
	k.reportError(collect.CopyFiles(k.Live, k.Dir))
	k.shown = true
}

func (k *Keeper) reportError(err error) {
	if err != nil {
		fmt.Fprintf(k.Say, "laggard: %v\n", err)
	}
}
