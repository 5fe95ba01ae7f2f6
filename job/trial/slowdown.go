package trial

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"laggard/analysis/slowness"
	"laggard/injector"
	"laggard/job/preload"
	"laggard/job/speed"
)

// runSlowdown runs a job in which a rank gets slower, or none, and hears what laggard run would tell the user: until it
// tells of a slowdown after the fault, or it was waited for long enough.
func (r *Runner) runSlowdown(ctx context.Context, place string, t injector.Trial) (out injector.Outcome, err error) {
	var order *injector.Order
	healthy := t.Fault.Kind == injector.None
	if !healthy {
		order = &injector.Order{Out: place, Strike: &t.Strike, Slow: &injector.SlowLibraries{}}
		if order.Slow.Before, order.Slow.Behind, err = preload.SlowLibraries(r.Recording.Library); err != nil {
			return out, err
		}
	}
	l, err := r.launchJob(place, order)
	if err != nil {
		return out, err
	}
	defer l.endJob()
	if healthy && t.Loaded {
		defer busyCores()()
	}
	out.Diagnoses = []injector.Diagnosis{}
	begin, limit := time.Now(), time.Duration(r.Campaign.Slowness.To+r.Campaign.Slowness.Watch)
	watch := &speed.Watch{Say: io.Discard, Sentence: func(e *slowness.Event) string {
		line := r.Sentence(e)
		if e.Kind == slowness.Slowdown {
			out.Alerts = append(out.Alerts, injector.Alert{Seconds: time.Since(begin).Seconds(), Cause: string(e.Cause),
				Ranks: e.Ranks.Slice(), Line: line})
		}
		return line
	}}
	defer func() { watch.Close(time.Now()) }()
	struck := false
	_, err = r.awaitJob(ctx, l, func(now time.Time) bool {
		if !healthy && !struck {
			if report, err := order.ReadReport(); err == nil {
				for i := range out.Alerts {
					out.Alerts[i].Seconds -= report.Time.Sub(begin).Seconds()
				}
				struck, out.Report, begin, limit = true, report, report.Time, time.Duration(r.Campaign.Slowness.Watch)
			}
		}
		watch.Look(now, l.dir, l.dir, false)
		n := len(out.Alerts)
		return now.Sub(begin) >= limit || struck && n > 0 && out.Alerts[n-1].Seconds >= 0
	})
	switch {
	case err != nil:
	case !healthy && !struck:
		out.Report = injector.Report{Strike: t.Strike, State: injector.NotReached}
	case len(l.done) > 0:
		err = fmt.Errorf("the job ended before it was observed; output: %s", filepath.Join(place, "output"))
	}
	return out, err
}
