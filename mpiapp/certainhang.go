package main

import (
	"context"
	"os"
	"time"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/model/process"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// certaintyTime bounds the analysis that reports whether a job can never go on. Without an answer it may.
const certaintyTime = time.Minute

// isCertainHang reports whether the ranks of a job that stands still, with that run directory, can never go on. A failure of
// the analysis proves nothing.
func isCertainHang(dir string) (yes bool) {
	ctx, cancel := context.WithTimeout(context.Background(), certaintyTime)
	defer cancel()
	err := reduce.Run(1, func(c reduce.Comm) error { // an error, too, if the analysis panics
		r, err := progress.Run(ctx, progress.Question{Dir: dir, Once: true}, c)
		yes = r != nil && r.Certain
		return err
	})
	return yes && err == nil && !mayMoveBeside(dir)
}

// mayMoveBeside reports whether a thread that is not in MPI may do what ranks wait for: in a rank where all threads may call MPI one
// is at work, or cannot be seen from here.
func mayMoveBeside(dir string) bool {
	run, err := runfiles.OpenPresent(dir)
	if err != nil {
		return true
	}
	host, _ := os.Hostname()
	var threaded []*model.Rank
	for _, r := range run.Ranks {
		if r.ThreadLevel != model.ThreadMultiple || r.Phase >= model.Finalized || r.End != model.NoEnd {
			continue
		}
		if !process.IsLocal(r, host) {
			return true
		}
		threaded = append(threaded, r)
	}
	return len(threaded) > 0 && process.WorkBeside(threaded)
}
