package nodefile

import (
	"testing"
	"time"

	"laggard/model"
)

// TestSurvivedEnd: of records of older recorders, an end by a signal does not count after which the rank went on.
func TestSurvivedEnd(t *testing.T) {
	end := time.Unix(1000, 0)
	after := func(seconds int) time.Time { return end.Add(time.Duration(seconds) * time.Second) }
	for name, c := range map[string]struct {
		heartbeat, quiet time.Time
		captured         model.CaptureReason
		want             model.End
	}{
		"it progresses":                {after(9), time.Time{}, model.CaptureQuiet, model.NoEnd},
		"it hung later":                {after(60), after(30), model.CaptureQuiet, model.NoEnd},
		"it ended":                     {after(1), time.Time{}, model.CaptureFatal, model.Signalled},
		"nothing moved since":          {after(60), after(0), model.CaptureQuiet, model.Signalled},
		"its handler prints the stack": {after(9), time.Time{}, model.CaptureFatal, model.Signalled},
	} {
		k := &model.Rank{End: model.Signalled, EndDetail: 11, EndTime: end, Heartbeat: c.heartbeat, QuietSince: c.quiet,
			Threads: []*model.Thread{{Calls: 7, Captured: &model.Capture{Why: c.captured, Calls: 7}}}}
		if dropSurvivedEnd(k); k.End != c.want || (k.EndDetail == 11) != (c.want == model.Signalled) {
			t.Errorf("%s: end %v, %d", name, k.End, k.EndDetail)
		}
	}
}
