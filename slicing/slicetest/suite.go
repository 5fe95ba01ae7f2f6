package slicetest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/symbol"
)

// Bar is what the mean over the reported programs must reach.
type Bar struct {
	Root, First, Recall, Precision float64
}

// Bars are by optimisation: for our own programs, and for those of others.
var (
	Bars = map[string]Bar{
		"-O0": {.95, .80, .90, .80},
		"-Og": {.95, .80, .90, .80},
		"-O2": {.80, .60, .65, .60},
	}
	OthersBars = map[string]Bar{
		"-O0": {.70, .50, .80, .80},
		"-Og": {.75, .50, .80, .80},
		"-O2": {.75, .50, .80, .75},
	}
)

// Families are the compilers, with how they are called.
var Families = []string{"gcc", "clang"}

// New makes the backend that is tested. The resolver finds files at the paths
// of a criterion.
type New func(r *symbol.Resolver) slicing.Slicer

// Accuracy slices all programs in all builds and holds the figures against the
// bars. It returns them for a table.
func Accuracy(t *testing.T, backend New) Figures { return AccuracyOn(t, backend, Target{}, Families) }

// AccuracyOn is Accuracy of programs for another processor, by some of the compilers.
func AccuracyOn(t *testing.T, backend New, g Target, families []string) Figures {
	fig := Figures{map[string][]Score{}, map[string][]Score{}}
	var filling sync.Mutex
	stub := g.Stub(t)
	runCase := func(t *testing.T, p Program, compiler, opt string) {
		t.Parallel()
		s, b := Case(t, backend, p, p.Build(t, stub, compiler, opt))
		key := programSet(p) + " " + opt
		filling.Lock()
		defer filling.Unlock()
		fig.Backend[key] = append(fig.Backend[key], s)
		fig.Baseline[key] = append(fig.Baseline[key], b)
	}
	t.Run("programs", func(t *testing.T) { // ends when all cases have ended
		for _, p := range Programs(t) {
			p.target = g
			for _, family := range families {
				compiler := Compiler(family, p.Name)
				if compiler == "" {
					continue
				}
				for opt := range Bars {
					t.Run(fmt.Sprintf("%s/%s%s", p.Name, family, opt), func(t *testing.T) {
						runCase(t, p, g.Prefix+compiler, opt)
					})
				}
			}
		}
	})
	for _, opt := range []string{"-O0", "-Og", "-O2"} {
		for _, set := range []string{"tune", "report"} {
			checkBar(t, set+" "+opt, Bars[opt], meanScore(fig.Backend[set+" "+opt]))
			others := "others' " + set + " " + opt
			checkBar(t, others, OthersBars[opt], meanScore(fig.Backend[others]))
		}
	}
	return fig
}

// Sample slices every n-th program as gcc -O2 makes it for another processor, and holds that most
// faults are found.
func Sample(t *testing.T, backend New, g Target, n int) {
	stub := g.Stub(t)
	var scores []Score
	for i, p := range Programs(t) {
		if i%n != 0 {
			continue
		}
		p.target = g
		t.Run(p.Name, func(t *testing.T) {
			s, _ := Case(t, backend, p, p.Build(t, stub, g.Prefix+Compiler("gcc", p.Name), "-O2"))
			scores = append(scores, s)
		})
	}
	checkBar(t, "a sample", Bar{Root: .60}, meanScore(scores))
}

func programSet(p Program) string {
	name := "tune"
	if p.Report {
		name = "report"
	}
	if p.Others {
		name = "others' " + name
	}
	return name
}

func checkBar(t *testing.T, set string, b Bar, s Score) {
	for _, f := range []struct {
		what      string
		got, want float64
	}{{"root in the slice", s.Root, b.Root}, {"root in the first 20 lines", s.First, b.First}, {"recall", s.Recall,
		b.Recall}, {"precision", s.Precision, b.Precision}} {
		if s.Programs > 0 && f.got < f.want {
			t.Errorf("%s: %s: %.2f, want %.2f", set, f.what, f.got, f.want)
		}
	}
}

// Case slices one build of a program. The test fails if the slice breaks a rule
// that holds for every slice.
func Case(t *testing.T, backend New, p Program, exe string) (slice, baseline Score) {
	t.Helper()
	r := symbol.New(symbol.Config{DebugDirs: []string{}})
	defer r.Close()
	c := p.Criterion(t, exe)
	begin := time.Now()
	s := musttest.Get(backend(r).Slice(context.Background(), c, slicing.Budget{}))(t)
	took := time.Since(begin)
	wellFormed(t, s)
	slice, baseline = scoreSlice(p, s), scoreSlice(p, baselineSlice(r, c))
	slice.Time = took
	if testing.Verbose() {
		t.Log(lineDifference(p, s))
	}
	return slice, baseline
}

// wellFormed holds for every slice: see slicing.Slice.
func wellFormed(t *testing.T, s slicing.Slice) {
	t.Helper()
	seen := map[slicing.LineID]bool{}
	for _, l := range s.Lines {
		key := l.ID()
		if l.File == "" || l.Line < 0 || l.Line == 0 && l.Function == "" || l.Distance < 0 || seen[key] {
			t.Errorf("line %+v", l)
		}
		switch l.Kind {
		case slicing.Data, slicing.Control, slicing.Call, slicing.Communication:
		default:
			t.Errorf("%+v: kind %q", key, l.Kind)
		}
		seen[key] = true
	}
}

// lineDifference tells which lines are missing and which are too many.
func lineDifference(p Program, s slicing.Slice) string {
	got := map[int]bool{}
	var b strings.Builder
	for _, l := range s.Lines {
		got[l.Line] = true
		mark := " "
		if !p.Want[l.Line] {
			mark = "+"
		}
		fmt.Fprintf(&b, "%s%d:%s:%d ", mark, l.Line, l.Kind[:2], l.Distance)
	}
	b.WriteString("| missing:")
	for n := range p.Want {
		if !got[n] {
			fmt.Fprintf(&b, " %d", n)
			if n == p.Root {
				b.WriteString("(root)")
			}
		}
	}
	return b.String() + " | " + strings.Join(s.Notes, "; ")
}

// baselineSlice is the baseline: all lines of the functions on the stack, by frame and
// then by line.
func baselineSlice(r *symbol.Resolver, c slicing.Criterion) slicing.Slice {
	var out slicing.Slice
	seen := map[string]bool{}
	for depth, f := range c.Stack {
		code, err := r.CodeOf(f.Module)
		if err != nil {
			continue
		}
		fn, ok := code.FunctionAt(f.Offset - 1)
		for pc := fn.Lo; ok && pc < fn.Hi; pc++ {
			l := r.Resolve(model.Frame{Module: f.Module, Offset: pc}, false)
			key := fmt.Sprintf("%s:%d", l.File, l.Line)
			if l.Line > 0 && !seen[key] {
				seen[key] = true
				out.Lines = append(out.Lines, slicing.Line{File: l.File, Line: l.Line, Function: l.Function,
					Distance: depth, Kind: slicing.Control})
			}
		}
	}
	return out
}
