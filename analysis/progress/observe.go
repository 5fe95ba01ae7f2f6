package progress

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"laggard/analysis/progress/evidence"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// observer sees what the processes of a run do that ran on this host: a record
// cannot say that its process was stopped or killed. A rank on another host
// moves if its sign of life moves.
type observer struct {
	host      string
	now       time.Time
	elsewhere map[int]time.Time // signs of life of ranks of other hosts that may move
	dir       string
	seen      map[string]*process.Observations // by node file, of those that were read
	past      bool                             // the record is of the past: what processes do now is not asked
	looked    bool                             // the maker of the record checked which ranks move
	over      bool                             // laggard run saw the launcher end
	late      bool                             // what other hosts write comes here late, see writtenBack
}

func newObserver(x *runfiles.Index) *observer {
	host, _ := os.Hostname() // without it, all ranks are of another host
	looked := x.Manifest != nil && x.Manifest.Imported
	_, missing := os.Stat(filepath.Join(x.Dir, process.LauncherName))
	return &observer{
		over: missing == nil, late: isNFS(x.Dir),
		host: host, now: time.Now(), elsewhere: map[int]time.Time{}, dir: x.Dir,
		seen:   map[string]*process.Observations{},
		looked: looked, past: looked || x.Manifest != nil && !x.Manifest.Noticed.IsZero(),
	}
}

// sightings are those of a node that belong to a node file.
func (e *observer) sightings(file string, o *overview) *process.Observations {
	if s := e.seen[file]; s != nil {
		return s
	}
	s, err := process.ReadObservations(filepath.Join(e.dir, file))
	if err != nil {
		o.Note("sightings", -1, err.Error())
		s = new(process.Observations)
	}
	e.seen[file] = s
	return s
}

// observeRank adds what can be seen of one rank, now, or by the watcher of its node.
func (e *observer) observeRank(r *model.Rank, o *overview) {
	if seen := e.sightings(r.File, o).ForRank(r); seen != nil {
		r.Watched, r.Stopped, r.Gone, r.GoneNoted = true, seen.Stopped, seen.Gone, seen.Noted
	}
	lookedTwice := r.Heartbeat.Sub(r.Start) > time.Second // in one look nothing moves
	if e.looked && lookedTwice && isMoving(r, r.Heartbeat) {
		o.Moving = append(o.Moving, r.Rank)
	}
	if e.past {
		return
	}
	if !process.IsLocal(r, e.host) {
		e.observeFar(r, o)
		return
	}
	switch process.StateOf(r) {
	case process.Stopped:
		o.Alive = true
		if process.IsTraced(r) { // to look at it, as a rule
			o.Traced.Add(r.Rank)
		} else {
			o.Liveness[r.Rank] = evidence.Stopped
		}
	case process.Gone:
		o.Liveness[r.Rank] = evidence.Dead
	default:
		o.Alive, r.Watched = true, true
		if r.Phase >= model.Finalized && r.End == model.NoEnd {
			o.Remaining.Add(r.Rank)
		}
		if r.End == model.Signalled {
			o.Liveness[r.Rank] = evidence.Lingering
		}
		o.addProgress(r)
		if isMoving(r, time.Now()) {
			o.Moving = append(o.Moving, r.Rank)
		}
	}
}

// writtenBack is how old the record of a rank that moves may be on another host: pages of a file on NFS that are mapped come there when
// the kernel writes them back, after 30 s and 5 s by default (vm.dirty_expire_centisecs, vm.dirty_writeback_centisecs). One that
// is quiet writes at once that it is.
const writtenBack = 40 * time.Second

// isNFS reports whether a directory is on NFS. Other file systems of clusters show at once what another host has written.
func isNFS(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Type == unix.NFS_SUPER_MAGIC
}

// observeFar adds what the record of a rank of another host tells of the present.
func (e *observer) observeFar(r *model.Rank, o *overview) {
	if process.IsAlive(r, e.host, e.now) {
		o.addProgress(r)
	}
	switch {
	case isMoving(r, e.now):
		e.elsewhere[r.Rank] = r.Heartbeat
	case e.late && !e.over && r.Gone.IsZero() && r.Stopped.IsZero() && isMoving(r, r.Heartbeat) &&
		r.Heartbeat.After(e.now.Add(-writtenBack)):
		o.Moving = append(o.Moving, r.Rank)
		o.noteProgress(r.Heartbeat, false)
	}
}

// observeElsewhere looks once more at ranks of other hosts: those move that gave another
// sign of life meanwhile, and make progress. Their records are decoded once more.
func (e *observer) observeElsewhere(ctx context.Context, x *runfiles.Index, o *overview) {
	if len(e.elsewhere) == 0 {
		return
	}
	pause(ctx, secondLook)
	x.EachBatchBriefly(func(run *model.Run) {
		for _, r := range run.Ranks {
			before, known := e.elsewhere[r.Rank]
			if known && isMoving(r, time.Now()) && r.Heartbeat.After(before) {
				o.Moving = append(o.Moving, r.Rank)
			}
		}
	})
}

// settling is how long the processes of a killed job may take to be gone.
const settling = 700 * time.Millisecond

// secondLook is long enough for a new sign of life.
const secondLook = 1500 * time.Millisecond

// isMoving: the rank runs, said so just now, and has not been found quiet, or is at work inside a call.
func isMoving(r *model.Rank, now time.Time) bool {
	return r.Phase < model.Finalized && r.End == model.NoEnd && !r.Off && (r.QuietSince.IsZero() || r.IsWorking()) &&
		r.Heartbeat.After(now.Add(-process.Fresh))
}
