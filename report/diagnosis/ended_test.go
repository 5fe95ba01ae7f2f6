package diagnosis

import (
	"strings"
	"testing"
	"time"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestEnded: what the headline and the JSON form say of a job that was ended from outside.
func TestEnded(t *testing.T) {
	at := time.Date(2026, 3, 12, 14, 2, 10, 0, time.UTC).UnixNano()
	behind := &LeastProgressed{Ranks: []int{2}, Set: "2"}
	for name, c := range map[string]struct {
		ended progress.Ended
		hang  bool
		least *LeastProgressed
		want  string
	}{
		"a signal": {progress.Ended{By: progress.EndedBySignal, Signal: 15, Time: at}, false, behind,
			"Ended from outside by SIGTERM at 2026-03-12 14:02:10 UTC. Until then rank 2 was behind, of 4 ranks"},
		"a signal to a job that hung": {progress.Ended{By: progress.EndedBySignal, Signal: 2, Time: at}, true, behind,
			"Ended from outside by SIGINT at 2026-03-12 14:02:10 UTC. Until then rank 2 was least progressed, of " +
				"4 ranks"},
		"a signal to one rank": {progress.Ended{By: progress.EndedBySignal, Signal: 15, Time: at,
			Sender: evidence.Sender{Kind: evidence.FromProcess, PID: 7}, Ranks: model.NewRankSet(2)}, true, behind,
			"Rank 2 got SIGTERM at 2026-03-12 14:02:10 UTC, from process 7 (no rank of the job), and the job ended " +
				"because of it"},
		"the launcher": {progress.Ended{By: progress.EndedByLauncher, Signal: 15, Time: at}, false, nil,
			"Ended by the launcher with SIGTERM at 2026-03-12 14:02:10 UTC; the recording does not say why"},
		"a process before the program": {progress.Ended{By: progress.EndedByParent, Signal: 15, Time: at,
			Sender: evidence.Sender{Kind: evidence.FromParent, Name: "timeout"}}, false, nil,
			"Ended with SIGTERM at 2026-03-12 14:02:10 UTC, from a parent process of the ranks (timeout); the recording does not say why"},
		"all overflowed their stacks": {progress.Ended{By: progress.EndedTogether, Signal: 11, Time: at}, false, nil,
			"All ranks ended at once at 2026-03-12 14:02:10 UTC, some or all of SIGSEGV, as the exit status of the launcher says: " +
				"probably a stack overflow (ulimit -s)"},
		"the launcher was killed": {progress.Ended{By: progress.EndedWithLauncher, Signal: 9, Time: at}, false, nil,
			"Ended because the launcher was killed by SIGKILL at 2026-03-12 14:02:10 UTC"},
		"its daemon had ended": {progress.Ended{By: progress.EndedWithLauncher, Time: at}, false,
			&LeastProgressed{Ranks: []int{0, 1, 2, 3}, Set: "0-3"}, "Ended because the launcher, or its daemon, " +
				"had ended at " +
				"2026-03-12 14:02:10 UTC. Until then no rank was behind"},
		"all were killed": {progress.Ended{By: progress.EndedTogether, Time: at}, false, nil,
			"Ended from outside: all ranks were killed at once at 2026-03-12 14:02:10 UTC"},
	} {
		r := &Result{Ranks: 4, Hang: c.hang, Ended: endedOf(&c.ended), LeastProgressed: c.least}
		checktest.Equal(t, c.want, Headline(r), name)
		if s := r.Ended.Signal; (s == "") != (c.ended.Signal == 0) || s != "" && !strings.HasPrefix(s, "SIG") {
			t.Errorf("%s: signal %q", name, s)
		}
		if n := nextStep(r); n.Command != "" {
			t.Errorf("%s: advises %q for processes that are gone", name, n.Command)
		}
	}
}
