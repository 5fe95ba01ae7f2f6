package slowness

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// programs are like those that were measured: iterations of 5 ms to 4 s, that compute for 35 to 90 % of the time.
var programs = []simulation{
	{iteration: 0.005, computing: 0.85, imbalance: 0.02, noise: 0.05, jitter: 0.01},
	{iteration: 0.02, computing: 0.7, imbalance: 0.05, noise: 0.05, jitter: 0.01, every: 50},
	{iteration: 0.1, computing: 0.9, imbalance: 0.03, noise: 0.03, jitter: 0.015},
	{iteration: 0.3, computing: 0.6, imbalance: 0.1, noise: 0.1, jitter: 0.02, every: 20},
	{iteration: 1.1, computing: 0.8, imbalance: 0.05, noise: 0.05, jitter: 0.02},
	{iteration: 4, computing: 0.75, imbalance: 0.02, noise: 0.03, jitter: 0.01},
}

// verdictOf is the first event that run would print.
func verdictOf(events []Event) (Event, bool) {
	for _, e := range events {
		if e.IsAlert() {
			return e, true
		}
	}
	return Event{}, false
}

type score struct{ runs, found, rank, cause int }

// TestSimulatedSlowRanks slows one rank of simulated jobs down: LAGGARD_TRIALS of each kind.
func TestSimulatedSlowRanks(t *testing.T) {
	trials := 3
	if n, err := strconv.Atoi(os.Getenv("LAGGARD_TRIALS")); err == nil {
		trials = n
	}
	scores := map[string]*score{}
	for p, program := range programs {
		for _, ranks := range []int{2, 16, 256} {
			for _, factor := range []float64{1.1, 1.25, 1.5, 2, 4} {
				for _, f := range []fault{{kind: RankComputes}, {kind: RankComputes, starve: true}, {kind: NodeSlow}, {kind: IOSlow}, {kind: LinkSlow}} {
					if f.kind == NodeSlow && ranks == 2 {
						continue
					}
					for trial := range trials {
						s := program
						s.seed = uint64(p*1000 + trial*10 + ranks)
						s.ranks, s.perNode = ranks, max(1, min(8, ranks/4))
						f.at, f.factor, f.rank = 90+7*trial, factor, (trial*37+11)%ranks
						s.fault = f
						m := newSimulated(s)
						m.run(0, f.at+75)
						name := string(f.kind)
						if f.starve {
							name = "steal"
						}
						key := name + " " + strconv.FormatFloat(factor, 'g', -1, 64)
						if scores[key] == nil {
							scores[key] = &score{}
						}
						c := scores[key]
						c.runs++
						e, ok := verdictOf(m.job.events)
						if !ok || e.Noticed.Before(simulationBegin.Add(time.Duration(f.at)*time.Second)) {
							if ok {
								t.Logf("FALSE program %d ranks %d %s: %+v", p, ranks, key, e)
							} else {
								t.Logf("missed: program %d ranks %d %s trial %d: %+v", p, ranks, key, trial, m.job.events)
							}
							continue
						}
						c.found++
						want := f.kind
						if f.starve {
							want = NodeSlow
						}
						right := f.kind == LinkSlow || f.kind == NodeSlow || e.Ranks.Contains(f.rank) && e.Ranks.Len() == 1
						if right {
							c.rank++
						}
						if e.Cause == want || f.kind == NodeSlow && s.perNode == 1 {
							c.cause++
						} else {
							t.Logf("wrong: program %d ranks %d %s: %s %s ratio %.2f conf %.2f", p, ranks, key, e.Cause, e.Ranks, e.ComputingRatio, e.Confidence)
						}
					}
				}
			}
		}
	}
	for key, c := range scores {
		t.Logf("%-12s runs %3d found %.2f rank %.2f cause %.2f", key, c.runs, float64(c.found)/float64(c.runs),
			float64(c.rank)/float64(max(c.found, 1)), float64(c.cause)/float64(max(c.found, 1)))
	}
}

// TestSimulatedHealthyRuns has healthy jobs run: LAGGARD_HOURS in all, half of them beside other load that comes and goes.
func TestSimulatedHealthyRuns(t *testing.T) {
	hours := 10
	if n, err := strconv.Atoi(os.Getenv("LAGGARD_HOURS")); err == nil {
		hours = n
	}
	false_, machine := 0, 0
	for hour := range hours {
		s := programs[hour%len(programs)]
		s.ranks, s.perNode, s.seed, s.busy = 16, 4, uint64(hour), hour/len(programs)%2 == 1
		m := newSimulated(s)
		m.run(0, 3600)
		for _, e := range m.job.events {
			switch {
			case !e.IsAlert():
			case s.busy && e.Cause == MachineSlow:
				machine++
			default:
				false_++
				t.Logf("hour %d program %d busy %v: %s %s at %v noticed %v, %.3f before %.3f, ratio %.2f conf %.2f %+v %+v", hour, hour%len(programs), s.busy, e.Cause, e.Ranks,
					e.Begin.Sub(simulationBegin), e.Noticed.Sub(simulationBegin), e.Rate.Now, e.Rate.Before, e.ComputingRatio, e.Confidence, e.Before, e.Now)
			}
		}
	}
	t.Logf("%d hours: %d false alarms, the machine was named %d times", hours, false_, machine)
}
