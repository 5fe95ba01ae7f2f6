package injector

import (
	"context"
	"time"
)

// Runner runs one trial, diagnoses it and cleans up. An error means that the
// trial could not be run, not that the diagnosis was wrong.
type Runner interface {
	Run(ctx context.Context, t Trial) (Outcome, error)
}

// Run runs the trials that the journal does not have yet, one after another, and
// adds their records. progress is told of each. It ends early when the context
// is done, whose error it returns, or when the journal cannot be written.
func Run(ctx context.Context, trials []Trial, r Runner, j *Journal, progress func(Record)) error {
	done := j.Done()
	for _, t := range trials {
		if done[t.ID] {
			continue
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		record := runOne(ctx, t, r)
		if ctx.Err() != nil {
			return ctx.Err() // cut off in the middle: no record
		}
		if err := j.Add(record); err != nil {
			return err
		}
		progress(record)
	}
	return nil
}

func runOne(ctx context.Context, t Trial, r Runner) Record {
	record := Record{Trial: t, Started: time.Now().UTC()}
	outcome, err := r.Run(ctx, t)
	record.Seconds = time.Since(record.Started).Seconds()
	if err != nil {
		record.Error = err.Error()
		return record
	}
	record.Outcome = &outcome
	return record
}
