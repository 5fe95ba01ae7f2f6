package main

import (
	"context"
	"time"

	"laggard/analysis/progress"
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
	return yes && err == nil
}
