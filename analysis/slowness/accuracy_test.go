package slowness

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// programs are like those that were measured: iterations of 5 ms to 4 s, that compute for 60 to 90 % of the time.
var programs = []simulation{
	{iteration: 0.005, computing: 0.85, imbalance: 0.02, noise: 0.05, jitter: 0.01},
	{iteration: 0.02, computing: 0.7, imbalance: 0.05, noise: 0.05, jitter: 0.01, every: 50},
	{iteration: 0.1, computing: 0.9, imbalance: 0.03, noise: 0.03, jitter: 0.015},
	{iteration: 0.3, computing: 0.6, imbalance: 0.1, noise: 0.1, jitter: 0.02, every: 20},
	{iteration: 1.1, computing: 0.8, imbalance: 0.05, noise: 0.05, jitter: 0.02},
	{iteration: 4, computing: 0.75, imbalance: 0.02, noise: 0.03, jitter: 0.01},
}

// kinds of fault. A node is slow with two ranks or more on it.
var kinds = []struct {
	name  string
	fault fault
	cause Cause
	ranks []int
}{
	{"rank", fault{kind: RankComputes}, RankComputes, []int{2, 16, 256}},
	{"steal", fault{kind: RankComputes, starve: true}, NodeSlow, []int{2, 16, 256}},
	{"node", fault{kind: NodeSlow}, NodeSlow, []int{16, 256}},
	{"io", fault{kind: IOSlow}, IOSlow, []int{2, 16, 256}},
	{"link", fault{kind: LinkSlow}, LinkSlow, []int{2, 16, 256}},
}

// score counts runs, those whose slowdown was told within 75 s, and of these those with the right ranks and cause; and among the runs
// those whose job became slower, by leastChange at least, and how many of these were found.
type score struct{ runs, found, ranks, cause, early, slower, slowerFound int }

func (s *score) add(o score) {
	s.runs, s.found, s.ranks, s.cause, s.early = s.runs+o.runs, s.found+o.found, s.ranks+o.ranks, s.cause+o.cause, s.early+o.early
	s.slower, s.slowerFound = s.slower+o.slower, s.slowerFound+o.slowerFound
}

func (s score) String() string {
	part := func(n, of int) float64 { return float64(n) / float64(max(of, 1)) }
	return fmt.Sprintf("%4d runs, found %.2f, right ranks %.2f, right cause %.2f, too early %d; of %d whose job became slower %.2f",
		s.runs, part(s.found, s.runs), part(s.ranks, s.found), part(s.cause, s.found), s.early, s.slower, part(s.slowerFound, s.slower))
}

// countFromEnv is how much of something a test does.
func countFromEnv(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	return musttest.Get(strconv.Atoi(text))(t, name)
}

// judge simulates a run with a fault and scores the first event that run would tell of.
func (s *score) judge(t *testing.T, m *simulated, want Cause) {
	f := m.fault
	m.run(0, f.at+75)
	s.runs++
	slower := m.slowdown() >= leastChange
	if slower {
		s.slower++
	}
	at := slices.IndexFunc(m.job.events, func(e Event) bool { return e.IsAlert() })
	if at < 0 {
		return
	}
	e := &m.job.events[at]
	if e.Noticed.Before(simulationBegin.Add(time.Duration(f.at) * time.Second)) {
		s.early++
		t.Logf("too early: seed %d, %d ranks: %+v", m.seed, m.ranks, *e)
		return
	}
	s.found++
	if slower {
		s.slowerFound++
	}
	if f.kind == LinkSlow || e.Ranks.Contains(f.rank) && (f.kind == NodeSlow || e.Ranks.Len() == 1) {
		s.ranks++
	}
	if e.Cause == want {
		s.cause++
	}
}

// TestSimulatedSlowRanks slows down ranks, nodes, links and files of simulated jobs, LAGGARD_TRIALS times each. The bounds
// are below what docs/results/slowness.md reports, which was measured with more trials.
func TestSimulatedSlowRanks(t *testing.T) {
	trials := countFromEnv(t, "LAGGARD_TRIALS", 1)
	scores, total := map[string]*score{}, map[bool]*score{false: {}, true: {}}
	for _, kind := range kinds {
		for _, factor := range []float64{1.1, 1.25, 1.5, 2, 4} {
			key := fmt.Sprintf("%-5s %.4g", kind.name, factor)
			scores[key] = &score{}
			for p, program := range programs {
				for _, ranks := range kind.ranks {
					for trial := range trials {
						s := program
						s.seed, s.ranks, s.perNode = uint64(p*1000+trial*10+ranks), ranks, max(1, min(8, ranks/4))
						s.fault = kind.fault
						s.fault.at, s.fault.factor, s.fault.rank = 90+7*(trial%9), factor, (trial*37+11)%ranks
						scores[key].judge(t, newSimulated(s), kind.cause)
					}
				}
			}
			total[factor >= 1.25].add(*scores[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(scores)) {
		t.Logf("%-10s %v", key, scores[key])
	}
	t.Logf("1.1        %v", total[false])
	t.Logf("1.25 to 4  %v", total[true])
	if s := total[true]; 100*s.found < 93*s.runs || 100*s.ranks < 95*s.found || 100*s.cause < 93*s.found {
		t.Errorf("slowdowns by 1.25 and more: %v", s)
	}
}

// TestSimulatedLargeJobs slows down ranks, nodes, links and files of jobs of LAGGARD_RANKS ranks. Of so many ranks, that are never quite
// alike, the last one computes for much longer than the others, so that a slowdown by less delays the job little. The bounds are below
// what docs/results/slowness.md reports of 32,768 ranks.
func TestSimulatedLargeJobs(t *testing.T) {
	ranks, trials := countFromEnv(t, "LAGGARD_RANKS", 512), countFromEnv(t, "LAGGARD_TRIALS", 1)
	for _, factor := range []float64{1.25, 1.5, 2} {
		var total score
		for _, kind := range kinds {
			var found score
			for p, program := range programs {
				for trial := range trials {
					s := program
					s.seed, s.ranks, s.perNode = uint64(390_000+p*1000+trial*10), ranks, 8
					s.fault = kind.fault
					s.fault.at, s.fault.factor, s.fault.rank = 90+7*trial, factor, (trial*3700+1111)%ranks
					found.judge(t, newSimulated(s), kind.cause)
				}
			}
			t.Logf("%d ranks, %-5s %.4g %v", ranks, kind.name, factor, found)
			total.add(found)
		}
		missed := 100*total.found < 85*total.runs || 100*total.ranks < 95*total.found || 100*total.cause < 90*total.found
		if factor >= 1.5 && missed {
			t.Errorf("slowdowns by %v: %v", factor, total)
		}
	}
}

// TestSimulatedHealthyRuns has healthy jobs of LAGGARD_RANKS ranks run for LAGGARD_HOURS, half of them beside other load that comes and
// goes: then the machine is the right answer.
func TestSimulatedHealthyRuns(t *testing.T) {
	hours, ranks := countFromEnv(t, "LAGGARD_HOURS", 24), countFromEnv(t, "LAGGARD_RANKS", 16)
	wrong, machine := 0, 0
	for hour := range hours {
		s := programs[hour%len(programs)]
		s.ranks, s.perNode, s.seed, s.busy = ranks, 4, uint64(hour), hour/len(programs)%2 == 1
		m := newSimulated(s)
		m.run(0, 3600)
		for _, e := range m.job.events {
			switch {
			case !e.IsAlert():
			case s.busy && e.Cause == MachineSlow:
				machine++
			default:
				wrong++
				t.Logf("hour %d, busy %v: %+v", hour, s.busy, e)
			}
		}
	}
	t.Logf("%d hours: %d false alarms; %d times the machine was named", hours, wrong, machine)
	if 20*wrong > max(hours, 20) {
		t.Errorf("%d false alarms in %d hours", wrong, hours)
	}
	if hours >= 24 && machine == 0 {
		t.Error("load of others was never noticed")
	}
}

// TestInnerLoops: of some ranks the iterations that are counted are those of a loop within the other ranks' iterations. What
// is told of a slowdown does not depend on that.
func TestInnerLoops(t *testing.T) {
	for _, kind := range kinds {
		for _, ranks := range kind.ranks[:1] {
			one, inner := &score{}, &score{}
			for p, program := range programs {
				s := program
				s.seed, s.ranks, s.perNode = uint64(p), ranks, max(1, min(8, ranks/4))
				s.fault = kind.fault
				s.fault.at, s.fault.factor, s.fault.rank = 90, 1.6, 1
				one.judge(t, newSimulated(s), kind.cause)
				s.inner = 19
				inner.judge(t, newSimulated(s), kind.cause)
			}
			if *one != *inner {
				t.Errorf("%s: %v; with an inner loop %v", kind.name, one, inner)
			}
		}
	}
}

// alerts are the events of a run until some time after its fault that run would tell of.
func alerts(s simulation) (out []Event) {
	m := newSimulated(s)
	m.run(0, s.fault.at+75)
	for _, e := range m.job.events {
		if e.IsAlert() {
			out = append(out, e)
		}
	}
	return out
}

// TestFileCalls: in jobs whose ranks meet in a collective file call, who computes longer is told, and not the ranks that wait for it
// there; nothing is told of a rank that computes less than before, which waits there for longer. Slow files are told.
func TestFileCalls(t *testing.T) {
	for _, kind := range kinds {
		for _, factor := range []float64{1.1, 1.25, 2} {
			runs, found, onFiles := 0, 0, 0
			for p, program := range programs {
				for _, ranks := range []int{8, 16, 64} {
					s := program
					s.seed, s.ranks, s.perNode, s.inFiles = uint64(p*1000+ranks), ranks, ranks/4, true
					s.fault = kind.fault
					s.fault.at, s.fault.factor, s.fault.rank = 90, factor, ranks/2
					runs++
					if told := alerts(s); len(told) > 0 {
						found++
						if told[0].Cause == IOSlow {
							onFiles++
						}
					}
				}
			}
			slowFiles := kind.cause == IOSlow || kind.cause == LinkSlow // which looks the same
			if factor >= 1.25 && 10*found < 9*runs || slowFiles && onFiles < found || !slowFiles && onFiles > 0 {
				t.Errorf("%s %v: %d runs, %d told, %d as on files", kind.name, factor, runs, found, onFiles)
			}
		}
	}
	for p, program := range programs {
		s := program
		s.seed, s.ranks, s.perNode, s.inFiles = uint64(p), 16, 4, true
		s.fault = fault{kind: RankComputes, at: 90, rank: 7, factor: 0.75}
		if told := alerts(s); len(told) > 0 {
			t.Errorf("a rank computes less: %+v, of %+v", told, s)
		}
	}
}

// TestFileCallsElsewhere: whoever sees one node cannot tell whether its ranks wait in a collective file call for one of another node.
func TestFileCallsElsewhere(t *testing.T) {
	for p, program := range programs {
		s := program
		s.seed, s.ranks, s.perNode, s.inFiles = uint64(p), 4, 4, true
		s.fault = fault{kind: LinkSlow, at: 90, factor: 2}
		m := newSimulated(s)
		m.job.size = 8
		m.run(0, 165)
		if e := m.job.events; len(e) == 0 || e[0].Cause != IOSlow || e[0].Confidence > 0.6 {
			t.Errorf("%+v, of %+v", e, s)
		}
	}
}

// TestMoreCalls: ranks that wait longer and make more MPI calls in an iteration than before do more; the network may be as fast as it was.
func TestMoreCalls(t *testing.T) {
	for p, program := range programs {
		for _, calls := range []float64{0, 2} {
			s := program
			s.seed, s.ranks, s.perNode = uint64(p), 16, 4
			s.fault = fault{kind: LinkSlow, at: 90, factor: 2, calls: calls}
			told := alerts(s)
			if calls == 0 && (len(told) == 0 || told[0].Cause != LinkSlow) {
				t.Errorf("the network is slower: %+v, of %+v", told, s)
			} else if calls > 0 && len(told) > 0 {
				t.Errorf("the ranks make more calls: %+v, of %+v", told, s)
			}
		}
	}
}

// TestSlowdownEnds: whatever was told as slow is told to be so no more: a rank alone that is as fast as before, a job that leaves its
// loop, and one that stays slow for long.
func TestSlowdownEnds(t *testing.T) {
	s := programs[2]
	s.ranks, s.perNode = 8, 4
	s.fault = fault{kind: RankComputes, at: 90, rank: 1, factor: 2}
	for _, c := range []struct {
		name  string
		alone bool // the rank has so little to do that nobody waits for it
		ends  int
		loop  int // second from which on the job is in another one
		want  []EventKind
	}{
		{"a rank alone", true, 200, 1000, []EventKind{Slowdown, Settled}},
		{"a rank alone, in another loop", true, 0, 160, []EventKind{Slowdown, OtherLoop}},
		{"another loop", false, 0, 160, []EventKind{Slowdown, OtherLoop}},
		{"the usual speed", false, 0, 1000, []EventKind{Slowdown, Settled}},
		{"as fast as before", false, 200, 1000, []EventKind{Slowdown, Recovery}},
	} {
		one := s
		one.fault.ends = c.ends
		m := newSimulated(one)
		if c.alone {
			m.usual[1] /= 4
		}
		m.run(0, c.loop)
		m.loop++
		m.run(c.loop, max(c.loop+60, 300))
		var got []EventKind
		for _, e := range m.job.events {
			got = append(got, e.Kind)
		}
		checktest.Equal(t, c.want, got[:min(len(got), 2)], c.name)
	}
}
