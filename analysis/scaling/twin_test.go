package scaling

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
	"laggard/analysis/scaling/training"
	"laggard/internal/musttest"
)

// lawlessProgram divides its work differently at each number of ranks and among them.
func lawlessProgram(noise float64) program {
	return program{noise: noise, sites: []programSite{
		{site: haloSite, bytes: func(rank, ranks int, arg float64) float64 {
			return arg * float64(20+(rank*rank*31+ranks*ranks*17)%97)
		}},
		{site: blockSite, bytes: func(rank, ranks int, arg float64) float64 {
			return arg * float64(10+(rank*rank*13+ranks*ranks*29)%89)
		}},
	}}
}

// trainedTwice trains on runs of several scales, and on more of one of them.
func trainedTwice(t *testing.T, p program, again, times int, rng *rand.Rand) *training.Model {
	t.Helper()
	table := p.trainingTable([]int{4, 6, 8, 12}, []float64{2048}, rng)
	for n := range times {
		p.appendRun(table, fmt.Sprint("again", n), again, 2048, rng)
	}
	return musttest.Get(trainModel(table, kcca.Options{}))(t)
}

// TestTwins: a program that no law predicts can be judged where training has a run of
// the same scale, the better the more often it was repeated.
func TestTwins(t *testing.T) {
	for _, c := range []struct {
		name    string
		noise   float64
		times   int     // runs of the scale of the test
		by      float64 // what the faulty site sends
		inRange bool
		found   bool
	}{
		{"no such run", 0, 0, 2, false, false},
		{"one, good", 0.01, 1, 1, true, false},
		{"one, half as much", 0.01, 1, 0.5, true, true},
		{"one, more, within what runs may differ by", 0.01, 1, 1.15, true, false},
		{"three, good", 0.01, 3, 1, true, false},
		{"three, more", 0.01, 3, 1.15, true, true},
		{"three, noisy, good", 0.05, 3, 1, true, false},
	} {
		for seed := range 5 * *seeds {
			rng := rand.New(rand.NewPCG(firstSeed()+seed, 7))
			p := lawlessProgram(c.noise)
			m := trainedTwice(t, p, 16, c.times, rng)
			v := musttest.Get(judgeRun(m, p.scaleBytes(haloSite, c.by).runTable(16, 2048, rng),
				judge.Circumstances{Library: func(f recorded.Frame) bool { return f.BuildID == "aa" }}))(t)
			if v.InRange != c.inRange || v.Flagged.Equal(everyRank(16)) != c.found || !c.found && v.Flagged.Len() > 0 {
				t.Errorf("%s, seed %d: flagged %s, in range %v, covered %.2f",
					c.name, seed, v.Flagged, v.InRange, v.Covered)
			}
			if c.found && firstFunction(v) != "halo" {
				t.Errorf("%s: %q", c.name, firstFunction(v))
			}
			if len(v.Same) != c.times || (v.Model == judge.ByTwin) != (c.times > 0) {
				t.Errorf("%s: by %s, compared with %q", c.name, v.Model, v.Same)
			}
		}
	}
}

// TestTwinsHaveSameControls: a run of the same scale with another argument is none.
func TestTwinsHaveSameControls(t *testing.T) {
	rng := rand.New(rand.NewPCG(firstSeed(), 8))
	p := lawlessProgram(0)
	v := musttest.Get(judgeRun(trainedTwice(t, p, 16, 1, rng), p.runTable(16, 4096, rng), judge.Circumstances{}))(t)
	if len(v.Same) > 0 || v.InRange {
		t.Errorf("compared with %q, in range %v", v.Same, v.InRange)
	}
}

// TestWanted: a run outside the range says why, and a training run that is as close as
// it says brings it into range.
func TestWanted(t *testing.T) {
	p := program{sites: []programSite{
		{site: haloSite, bytes: func(_, ranks int, arg float64) float64 { return arg * float64(ranks) }},
	}}
	for _, c := range []struct {
		name    string
		scales  []int
		args    []float64
		ranks   int
		arg     float64
		cause   regression.Cause
		control string
	}{
		{"few points close together", []int{8, 10, 12}, []float64{100}, 100, 100, regression.Far, "ranks"},
		{"few points", []int{2, 4, 16}, []float64{100}, 200, 100, regression.Far, "ranks"},
		{"an argument that did not vary", []int{4, 6, 8}, []float64{100}, 8, 200, regression.Untried, "arg"},
		{"smaller than training", []int{8, 10, 12}, []float64{100}, 4, 100, regression.Untried, "ranks"},
	} {
		table := p.trainingTable(c.scales, c.args, rand.New(rand.NewPCG(1, 1)))
		test := p.runTable(c.ranks, c.arg, rand.New(rand.NewPCG(1, 1)))
		v := judgedBy(t, table, test)
		if v.InRange || len(v.Wanted) != 1 {
			t.Errorf("%s: in range %v, wanted %+v", c.name, v.InRange, v.Wanted)
			continue
		}
		w := v.Wanted[0]
		if w.Cause != c.cause || w.Control != c.control || math.Abs(w.Share-1) > 1e-9 {
			t.Errorf("%s: wanted %+v", c.name, w)
		}
		ranks, arg := int(math.Ceil(w.Value)), c.args[0]
		if w.Control == "arg" {
			ranks, arg = c.scales[0], w.Value
		} else if c.cause == regression.Far && ranks >= c.ranks {
			t.Errorf("%s: %d ranks are no help for %d", c.name, ranks, c.ranks)
		}
		p.appendRun(table, "closer", ranks, arg, rand.New(rand.NewPCG(1, 1)))
		if v := judgedBy(t, table, test); !v.InRange || v.Wanted != nil {
			t.Errorf("%s: with %d ranks, %g: still outside: %+v", c.name, ranks, arg, v.Wanted)
		}
	}
}

func judgedBy(t *testing.T, table, test *recorded.Table) *judge.Verdict {
	t.Helper()
	m := musttest.Get(trainModel(table, kcca.Options{}))(t)
	return musttest.Get(judgeRun(m, test, judge.Circumstances{}))(t)
}
