package provoke

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model/mpi"
)

// simulated is a program with some sites, each of which ranks come to a few times. It fails
// where all of certain choices are made.
type simulated struct {
	sites  []Site
	kinds  []mpi.Choice // by site
	ranks  int
	visits uint64
	needs  []Made     // without Value; Count 0: any
	flaky  int        // each so many-th run fails not although it should; 0: none
	rarely *rand.Rand // if it is there, only a quarter of the runs fail that should
	good   []int      // runs that do not fail although they should
	hidden int        // so many of the last sites are reached in failing runs only
	slow   bool       // it takes as long as all calls may be held back
	turns  bool       // in each run, only one rank comes to the sites, another one the next time
	alone  string     // what its first runs without choices come to, a letter each: f if it fails
	chance int        // each so many-th run fails, whatever is chosen; 0: none
	random *rand.Rand // if it is there, each of these runs fails with that chance
	ran    int

	failedOnce bool
	needsLong  bool // it fails with the longest delays of most schedules only
	justEnough bool // with these it fails once, and each time with longer ones only
}

// usualUS is the longest delay of most schedules for it, microseconds: a quarter of the time it takes.
const usualUS = 250_000

// open is what is open at the first n sites.
func (p *simulated) open(n int) (out []*Open) {
	for i, s := range p.sites[:n] {
		o := &Open{Kind: p.kinds[i], Site: s, Call: "MPI_Send", Visits: map[int]uint64{}}
		for rank := range p.ranks {
			o.Visits[rank] = p.visits
		}
		out = append(out, o)
	}
	return out
}

func (p *simulated) Reference(context.Context, string) (*Outcome, *Reference, error) {
	r := &Reference{Took: time.Second, Ranks: p.ranks, Open: p.open(len(p.sites) - p.hidden)}
	o := &Outcome{Took: time.Second}
	fails := strings.HasPrefix(p.alone, "f")
	p.alone = p.alone[min(1, len(p.alone)):]
	if fails {
		o.Failure = Crashes
		return o, nil, nil
	}
	return o, r, nil
}

func (p *simulated) Run(_ context.Context, s *Schedule, _ string, _ Patience) (*Outcome, error) {
	p.ran++
	o := &Outcome{}
	if p.chance > 0 {
		if p.random != nil && p.random.IntN(p.chance) == 0 || p.random == nil && p.ran%p.chance == 0 {
			o.Failure, o.Open = Fails, p.open(len(p.sites))
		}
		return o, nil
	}
	if s == nil {
		return o, nil
	}
	for i, site := range p.sites {
		for rank := range p.ranks {
			for count := uint64(1); count <= p.visits; count++ {
				m := Made{Kind: p.kinds[i], Rank: rank, Key: site.Key(), Count: count}
				if takes(s, m) && (!p.turns || rank == p.ran%p.ranks) {
					o.Made = append(o.Made, m)
				}
			}
		}
	}
	failed := !slices.ContainsFunc(p.needs, func(n Made) bool {
		return !slices.ContainsFunc(o.Made, func(m Made) bool {
			return m.Kind == n.Kind && (n.Rank == EveryRank || m.Rank == n.Rank) && m.Key == n.Key && (n.Count == 0 || m.Count == n.Count)
		})
	})
	if p.slow {
		o.Took = time.Second + time.Duration(s.BudgetUS)*time.Microsecond
	}
	failed = failed && (!p.needsLong || s.LongestUS >= usualUS)
	if failed && p.justEnough && s.LongestUS <= usualUS {
		failed = !p.failedOnce
		p.failedOnce = true
	}
	if failed && (p.flaky == 0 || p.ran%p.flaky != 0) && !slices.Contains(p.good, p.ran) &&
		(p.rarely == nil || p.rarely.IntN(4) == 0) {
		o.Failure, o.Open = Fails, p.open(len(p.sites))
	}
	return o, nil
}

// takes does what lg_schedule_takes does, with another hash.
func takes(s *Schedule, m Made) bool {
	return slices.ContainsFunc(s.Rules, func(r Rule) bool {
		h := mix(mix(mix(mix(uint64(s.Seed), uint64(m.Kind)), m.Key), uint64(m.Rank)), m.Count)
		return r.Choice() == m.Kind && (r.Rank == EveryRank || r.Rank == m.Rank) && (r.IsAny() || r.Key() == m.Key) &&
			(r.Count == 0 || r.Count == m.Count) && int(h%million) < r.Often
	})
}

func program(sites int) *simulated {
	kinds := []mpi.Choice{mpi.SendMode, mpi.Match, mpi.Completion, mpi.Delay}
	p := &simulated{ranks: 4, visits: 6}
	for i := range sites {
		p.sites = append(p.sites, Site{BuildID: "ab", Offset: uint64(i + 1)})
		p.kinds = append(p.kinds, kinds[i%len(kinds)])
	}
	return p
}

func (p *simulated) need(site, rank int, count uint64) {
	p.needs = append(p.needs, Made{Kind: p.kinds[site], Rank: rank, Key: p.sites[site].Key(), Count: count})
}

func (p *simulated) search(t *testing.T, seed uint64) *Result {
	t.Helper()
	s := Search{Runner: p, Runs: 400, Seed: seed, Only: ^mpi.Choice(0), Repeat: 5}
	return musttest.Get(s.Run(context.Background()))(t)
}

// TestSearchFindsMinimalSet: what is left makes no choice at another site or rank than the failure takes.
func TestSearchFindsMinimalSet(t *testing.T) {
	for seed := range uint64(12) {
		for _, needs := range [][][2]int{{{0, 1}}, {{1, 2}}, {{2, 0}}, {{4, 3}, {8, 0}}, {{0, 1}, {5, 2}}} {
			t.Run(fmt.Sprint(seed, needs), func(t *testing.T) {
				p := program(10)
				for _, n := range needs {
					p.need(n[0], n[1], 0)
				}
				r := p.search(t, seed)
				if r.Failed == nil || r.With != (Ratio{5, 5}) || r.Without != (Ratio{0, 5}) {
					t.Fatalf("%+v", r)
				}
				if len(r.Schedule.Rules) != len(needs) {
					t.Fatalf("left are %+v", r.Schedule.Rules)
				}
				for _, rule := range r.Schedule.Rules {
					isNeeded := func(n Made) bool {
						return n.Kind == rule.Choice() && n.Key == rule.Key() && n.Rank == rule.Rank
					}
					if !slices.ContainsFunc(p.needs, isNeeded) {
						t.Errorf("%+v is left", rule)
					}
				}
			})
		}
	}
}

// TestReductionOfCertainChoices: where a send of each rank must not be buffered, as in a ring, no run is wasted on which of its
// messages it is, nor on what was tried before.
func TestReductionOfCertainChoices(t *testing.T) {
	p := program(10)
	for rank := range p.ranks {
		p.need(0, rank, 0)
	}
	const perturbed, again, reduced, repeated = 1, confirmations, confirmations, 2 * 5
	r := p.search(t, 1)
	if r.Failed == nil || r.Runs != perturbed || len(r.Schedule.Rules) != p.ranks {
		t.Fatalf("%+v", r)
	}
	if slices.ContainsFunc(r.Schedule.Rules, func(rule Rule) bool { return !rule.isPlain() }) {
		t.Errorf("left are %+v", r.Schedule.Rules)
	}
	if got := p.ran - perturbed - again - reduced - repeated; got > 12 {
		t.Errorf("%d runs to reduce it", got)
	}
}

// TestReductionWhereRanksTakeTurns: which rank makes the choice differs from run to run, so what is left names the site alone.
func TestReductionWhereRanksTakeTurns(t *testing.T) {
	p := program(6)
	p.ranks, p.turns = 8, true
	p.need(0, EveryRank, 0)
	r := p.search(t, 1)
	want := Rule{Kind: mpi.SendMode.String(), Rank: EveryRank, Site: p.sites[0], Often: million}
	if r.With != (Ratio{5, 5}) || !slices.Equal(r.Schedule.Rules, []Rule{want}) {
		t.Fatalf("%+v, left is %+v", r, r.Schedule)
	}
}

// TestSearchFindsHiddenSite: a choice at a place that the first run did not reach is reduced to as well.
func TestSearchFindsHiddenSite(t *testing.T) {
	p := program(9)
	p.hidden = 1
	p.need(1, 2, 0)
	p.need(8, 3, 0)
	r := p.search(t, 3)
	if r.Failed == nil || r.With != (Ratio{5, 5}) || len(r.Schedule.Rules) != 2 ||
		!slices.ContainsFunc(r.Schedule.Rules, func(r Rule) bool { return r.Site == p.sites[8] }) {
		t.Fatalf("%+v", r)
	}
}

// TestSearchOfSureProgram: nothing fails, and what was tried is counted.
func TestSearchOfSureProgram(t *testing.T) {
	p := program(4)
	p.need(0, 99, 0)
	r := p.search(t, 1)
	if r.Failed != nil || r.Runs != 400 || len(r.Tried) != 4 {
		t.Fatalf("%+v", r)
	}
	for _, k := range r.Tried {
		if k.Open != 1 || k.Sites != 1 || k.Made == 0 || k.Choices != 24 {
			t.Errorf("%+v", k)
		}
	}
}

// TestSearchOfFlakyFailure: one that comes in most runs only is found and reduced all the same.
func TestSearchOfFlakyFailure(t *testing.T) {
	p := program(8)
	p.need(4, 2, 0)
	p.flaky = 3
	r := p.search(t, 2)
	if r.Failed == nil || r.With.Failed == 0 || len(r.Schedule.Rules) > 4 {
		t.Errorf("%+v", r)
	}
}

// TestSearchOfProgramThatFailsByItself: choices that do not make it fail more often are not what it takes, and the search goes on.
func TestSearchOfProgramThatFailsByItself(t *testing.T) {
	p := program(8)
	p.chance = 3
	r := p.search(t, 2)
	if r.Schedule != nil || r.Failed == nil || r.With != r.Without || r.Without.Failed == 0 || r.Runs < 10 || len(r.Unconfirmed) == 0 {
		t.Errorf("%+v", r)
	}
}

// TestChanceIsNotACause: of a program that fails in a tenth of its runs whatever is chosen, hardly any search says what it takes.
func TestChanceIsNotACause(t *testing.T) {
	const searches, most = 200, 6
	wrong := 0
	for seed := range uint64(searches) {
		p := program(8)
		p.chance, p.random = 10, rand.New(rand.NewPCG(seed, 1))
		s := Search{Runner: p, Runs: 50, Seed: seed, Only: ^mpi.Choice(0), Repeat: 10}
		if musttest.Get(s.Run(context.Background()))(t).Schedule != nil {
			wrong++
		}
	}
	if wrong > most {
		t.Errorf("%d of %d searches name a cause", wrong, searches)
	}
}

// TestRareFailureIsRepeated: where a few runs do not tell whether choices make a program fail, more do.
func TestRareFailureIsRepeated(t *testing.T) {
	found := 0
	for seed := range uint64(20) {
		p := program(8)
		p.need(4, 2, 0)
		p.rarely = rand.New(rand.NewPCG(seed, 1))
		r := p.search(t, seed)
		if r.Failed != nil {
			found++
			if !r.With.isSurelyMoreOften(r.Without) {
				t.Errorf("%+v", r)
			}
		}
		for _, o := range r.Unconfirmed {
			if w := o.With; w != nil && w.isMoreOften(*o.Without) && w.Runs < mostRepeats*5 {
				t.Errorf("%v, %v: more runs were not made", o.With, o.Without)
			}
		}
	}
	if found < 15 {
		t.Errorf("%d of 20 found", found)
	}
}

// TestFailureThatThereIsNoTimeToRepeat: a single run that failed tells of no cause.
func TestFailureThatThereIsNoTimeToRepeat(t *testing.T) {
	p := program(4)
	p.need(0, 1, 0)
	s := Search{Runner: p, Runs: 20, Only: ^mpi.Choice(0), Repeat: 5, Limit: time.Hour, reducing: 2 * time.Hour}
	s.end = time.Now().Add(time.Hour)
	out := &Result{Reference: &Outcome{}, Without: Ratio{0, 1}}
	failed := &Outcome{Failure: Fails}
	musttest.Succeed(t, s.reduceFailure(context.Background(), out, &Schedule{}, failed, sites{}))
	if out.Failed != nil || !out.OutOfTime || !slices.Contains(out.Unconfirmed, failed) || *failed.With != (Ratio{}) {
		t.Errorf("%+v", out)
	}
}

// TestReductionOfFailureThatSeemedSure: it fails four times, but not with the first candidates, which choose the same.
func TestReductionOfFailureThatSeemedSure(t *testing.T) {
	p := program(8)
	p.need(4, 2, 0)
	p.good = []int{5, 6}
	r := p.search(t, 2)
	if r.With != (Ratio{5, 5}) || len(r.Schedule.Rules) != 1 || r.Schedule.Rules[0].Site != p.sites[4] {
		t.Errorf("%+v, left is %+v", r, r.Schedule)
	}
}

// TestReductionAfterBadLuck: a candidate that passes by luck leaves a choice that the failure does not take; it is asked about again.
func TestReductionAfterBadLuck(t *testing.T) {
	for bad := 5; bad < 16; bad++ {
		p := program(8)
		p.need(4, 2, 0)
		p.good = []int{bad}
		r := p.search(t, 2)
		if len(r.Schedule.Rules) != 1 || r.Schedule.Rules[0].Site != p.sites[4] {
			t.Errorf("run %d passes: left is %+v", bad, r.Schedule)
		}
	}
}

// TestShorten: of a program that takes long with all delays, and fails with shorter ones too, the runs that reduce the failure have
// the shorter ones.
func TestShorten(t *testing.T) {
	for needsLong, want := range map[bool]int64{false: 125_000, true: 1_000_000} {
		p := program(4)
		p.need(0, 1, 0)
		p.slow, p.needsLong = true, needsLong
		r := p.search(t, 1)
		if r.With != (Ratio{5, 5}) || r.Schedule.LongestUS != want/4 {
			t.Errorf("needs long delays: %t: %+v, left is %+v", needsLong, r, r.Schedule)
		}
	}
}

// TestLengthen: a failure for which a delay was only just long enough is reduced with longer ones, with which it always comes.
func TestLengthen(t *testing.T) {
	p := program(4)
	p.need(3, 1, 0)
	p.justEnough = true
	if r := p.search(t, 1); r.With != (Ratio{5, 5}) || !p.failedOnce || r.Schedule.LongestUS <= usualUS || len(r.Schedule.Rules) != 1 {
		t.Errorf("%+v, left is %+v", r, r.Schedule)
	}
}

// TestReference: a program that fails by itself, always, in most runs or once.
func TestReference(t *testing.T) {
	for alone, want := range map[string]struct {
		without Ratio
		finding bool
	}{"": {Ratio{0, 1}, false}, "fpf": {Ratio{2, 3}, true}, "ffp": {Ratio{2, 3}, true}, "fpp": {Ratio{1, 3}, false}} {
		p := program(2)
		p.alone = alone
		p.need(0, 99, 0)
		r := p.search(t, 1)
		if r.Without != want.without || (r.Failed != nil) != want.finding || (r.Unperturbed != nil) != (want.without.Failed > 0) ||
			want.finding && (r.Runs != 0 || r.With != r.Without || r.Schedule != nil) {
			t.Errorf("%q: %+v", alone, r)
		}
	}
	p := program(2)
	p.alone = "fff"
	s := Search{Runner: p, Runs: 3, Only: ^mpi.Choice(0), Repeat: 1}
	if _, err := s.Run(context.Background()); !errors.Is(err, ErrReference) || !strings.Contains(err.Error(), "3 of 3 runs") {
		t.Errorf("%v", err)
	}
}

// TestDrawnSchedulesAreLegal: what is drawn can be written and followed, keeps to the kinds that were asked for, and holds
// back within the bounds.
func TestDrawnSchedulesAreLegal(t *testing.T) {
	_, ref, _ := program(12).Reference(context.Background(), "")
	for seed := range uint64(20) {
		d := newDrawer(ref, mpi.SendMode|mpi.Delay, seed)
		for n := range 30 {
			s := d.draw(n)
			musttest.Succeed(t, s.check())
			for _, r := range s.Rules {
				if r.Choice()&(mpi.SendMode|mpi.Delay) == 0 || r.Value > ref.Longest().Microseconds() {
					t.Errorf("%+v", r)
				}
			}
		}
	}
}

// TestRanksStarveForAllLengths: a rank that starves for the longest time is overtaken by all events, though some of them may have to
// come later.
func TestRanksStarveForAllLengths(t *testing.T) {
	_, ref, _ := program(8).Reference(context.Background(), "")
	d := newDrawer(ref, mpi.Delay, 1)
	for round := range 2 * starvingLengths {
		longest, ranks := ref.Longest(), map[int]bool{}
		for range round % starvingLengths {
			longest /= starvingPart
		}
		for range ref.Ranks {
			next := d.nextStarving()
			ranks[next.rank] = true
			if next.longest != longest {
				t.Errorf("round %d: %v, not %v", round, next.longest, longest)
			}
		}
		if len(ranks) != ref.Ranks {
			t.Errorf("round %d: ranks %v", round, ranks)
		}
	}
}

// TestNothingOpen: kinds of which no choice is open are told, and no run is made.
func TestNothingOpen(t *testing.T) {
	p := &simulated{sites: []Site{{Offset: 1}}, kinds: []mpi.Choice{mpi.Delay}, ranks: 2, visits: 3}
	for only, want := range map[mpi.Choice][]string{mpi.Match: {"match"}, mpi.Delay: nil} {
		s := &Search{Runner: p, Runs: 2, Repeat: 1, Seed: 1, Only: only}
		out := musttest.Get(s.Run(context.Background()))(t)
		if !slices.Equal(out.Closed, want) || (out.Runs == 0) != (want != nil) {
			t.Errorf("only %s: %+v", only, out)
		}
	}
}
