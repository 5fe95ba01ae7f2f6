package scaling

import (
	"errors"
	"math"
	"path"
	"testing"

	"laggard/model"
)

func TestValidate(t *testing.T) {
	row := func(change func(*Observation)) *Table {
		o := Observation{Run: "r", Rank: 1, Ranks: 2, Controls: map[string]float64{"n": 1}, Volume: map[int]float64{0: 1}}
		change(&o)
		first := Observation{Run: "r", Rank: 0, Ranks: 2, Controls: map[string]float64{"n": 1}}
		return &Table{Sites: []Site{{Feature: "f"}}, Rows: []Observation{first, o}}
	}
	for name, c := range map[string]struct {
		change func(*Observation)
		want   error
	}{
		"good":            {func(*Observation) {}, nil},
		"rank":            {func(o *Observation) { o.Rank = 2 }, ErrRow},
		"negative rank":   {func(o *Observation) { o.Rank = -1 }, ErrRow},
		"site":            {func(o *Observation) { o.Volume = map[int]float64{1: 1} }, ErrRow},
		"negative volume": {func(o *Observation) { o.Volume = map[int]float64{0: -1} }, ErrRow},
		"no number":       {func(o *Observation) { o.Controls = map[string]float64{"n": math.NaN()} }, ErrRow},
		"infinite":        {func(o *Observation) { o.Volume = map[int]float64{0: math.Inf(1)} }, ErrRow},
		"missing control": {func(o *Observation) { o.Controls = nil }, ErrControls},
		"other control":   {func(o *Observation) { o.Controls = map[string]float64{"m": 1} }, ErrControls},
		"twice":           {func(o *Observation) { o.Rank = 0 }, ErrTwice},
	} {
		if err := row(c.change).Validate(); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if err := new(Table).Validate(); !errors.Is(err, ErrEmpty) {
		t.Errorf("no rows: %v", err)
	}
}

func TestTrainRefuses(t *testing.T) {
	small := &Table{Sites: []Site{{Feature: "f"}}, Rows: []Observation{{Run: "r", Ranks: 1}}}
	if _, err := FitWhole(small, Options{}); !errors.Is(err, ErrFew) {
		t.Errorf("one row: %v", err)
	}
	bad := DefaultSettings()
	bad.Gamma = 0
	if _, err := FitWhole(small, Options{Settings: &bad}); !errors.Is(err, ErrSettings) {
		t.Errorf("γ 0: %v", err)
	}
	if _, err := Fit(small, Options{}, 2, 2); !errors.Is(err, ErrSettings) {
		t.Errorf("part 2 of 2: %v", err)
	}
	m := smallModel(t)
	other := &Table{Sites: []Site{{Feature: "f"}}, Rows: []Observation{{Run: "r", Ranks: 1}}}
	if _, err := m.Judge(other); !errors.Is(err, ErrControls) {
		t.Errorf("without the control: %v", err)
	}
	if _, err := m.Conclude(small, &Judgement{}, Circumstances{}); !errors.Is(err, ErrFew) {
		t.Errorf("not judged: %v", err)
	}
	two := &Table{Sites: small.Sites, Rows: []Observation{{Run: "a", Ranks: 1}, {Run: "b", Ranks: 1}}}
	if _, err := m.Conclude(two, &Judgement{}, Circumstances{}); !errors.Is(err, ErrRow) {
		t.Errorf("two runs: %v", err)
	}
}

func TestTrim(t *testing.T) {
	transport, err := InModules(TransportModules...)
	if err != nil {
		t.Fatal(err)
	}
	wire := func(offset uint64) Frame { return Frame{Module: "/lib/mca_btl_tcp.so", Offset: offset} }
	caller, outer := Frame{Module: "/usr/lib/libmpi.so.40", Offset: 5}, Frame{Module: "app", Offset: 6}
	table := &Table{}
	o := Observation{Run: "r", Ranks: 1, Volume: map[int]float64{
		table.Site(Site{Frames: []Frame{wire(1), caller, wire(3), outer}}):          1,
		table.Site(Site{Frames: []Frame{wire(2), wire(1), caller, wire(3), outer}}): 2,
		table.Site(Site{Frames: []Frame{wire(1), wire(2)}}):                         4,
		table.Site(Site{Feature: "neighbours"}):                                     8,
	}}
	table.Rows = []Observation{o}
	want := &Table{}
	o.Volume = map[int]float64{
		want.Site(Site{Frames: []Frame{caller, wire(3), outer}}): 3,
		want.Site(Site{Frames: []Frame{wire(2)}}):                4,
		want.Site(Site{Feature: "neighbours"}):                   8,
	}
	want.Rows = []Observation{o}
	same(t, Trim(table, transport), want)
	if _, err := InModules("["); !errors.Is(err, path.ErrBadPattern) {
		t.Errorf("bad pattern: %v", err)
	}
}

func TestFrames(t *testing.T) {
	m := &model.Module{Path: "/lib/a.so", BuildID: "ab", Base: 0x1000}
	got := Frames([]model.Frame{{Module: m, Offset: 1}, {Offset: 2}})
	want := []Frame{{Module: "/lib/a.so", BuildID: "ab", Offset: 1}, {Offset: 2}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range []struct {
		name string
		a, b Frame
		same bool
	}{
		{"place of the file", Frame{Module: "/a/x.so", Offset: 1}, Frame{Module: "/b/x.so", Offset: 1}, true},
		{"other build", Frame{Module: "x", BuildID: "1", Offset: 1}, Frame{Module: "x", BuildID: "2", Offset: 1}, false},
		{"named later", Frame{Module: "x", Offset: 1}, Frame{Module: "x", Offset: 1, Function: "f"}, true},
		{"other line", Frame{Function: "f", Line: 1}, Frame{Function: "f", Line: 2}, false},
	} {
		if (c.a.key() == c.b.key()) != c.same {
			t.Errorf("%s: %q and %q", c.name, c.a.key(), c.b.key())
		}
	}
}

func TestDivergence(t *testing.T) {
	library, err := InModules(LibraryModules...)
	if err != nil {
		t.Fatal(err)
	}
	lib, app := libFrame, appFrame
	for _, c := range []struct {
		name             string
		training, run    []Frame
		function, plainf string // with the library known, and without
	}{
		{"in the library", []Frame{lib("send", 1), lib("ring", 2), app("x", 1)}, []Frame{lib("send", 1), lib("tree", 3), app("x", 1)}, "tree", "tree"},
		{"in the application", []Frame{lib("send", 1), app("x", 1), app("y", 2)}, []Frame{lib("isend", 9), app("z", 3), app("y", 2)}, "z", "isend"},
		{"equal", []Frame{lib("send", 1), app("x", 1)}, []Frame{lib("send", 1), app("x", 1)}, "x", "send"},
		{"shorter", []Frame{app("a", 1), app("b", 2)}, []Frame{app("a", 1)}, "a", "a"},
		{"nothing to compare", nil, []Frame{lib("send", 1), app("x", 1)}, "x", "send"},
		{"only library", []Frame{lib("a", 1)}, []Frame{lib("b", 2)}, "b", "b"},
	} {
		if got := divergence(c.training, c.run, Circumstances{Library: library}); got.Function != c.function {
			t.Errorf("%s: %s, want %s", c.name, got, c.function)
		}
		if got := divergence(c.training, c.run, Circumstances{}); got.Function != c.plainf {
			t.Errorf("%s, library not known: %s, want %s", c.name, got, c.plainf)
		}
	}
	if divergence(nil, nil, Circumstances{}) != nil {
		t.Error("a divergence without a stack")
	}
}

// TestRoles: every rank of every size of run has a class in every role, and the
// trees have as many edges as a tree has.
func TestRoles(t *testing.T) {
	for ranks := 1; ranks <= 70; ranks++ {
		low, high, inner2, inner3 := 0, 0, 0, 0
		for rank := range ranks {
			low += lowChildren(rank, ranks)
			high += highChildren(rank, ranks)
			inner2 += neighbours(rank, ranks, 2)
			inner3 += neighbours(rank, ranks, 3)
			for _, r := range roles {
				if _, times := r.of(rank, ranks); times < 1 {
					t.Errorf("%s: rank %d of %d: %v times", r.name, rank, ranks, times)
				}
			}
		}
		if low != ranks-1 || high != ranks-1 {
			t.Errorf("%d ranks: %d and %d edges", ranks, low, high)
		}
		for _, c := range []struct{ dimensions, got int }{{2, inner2}, {3, inner3}} {
			product, want := 1, 0
			for _, side := range sides(ranks, c.dimensions) {
				product *= side
			}
			for _, side := range sides(ranks, c.dimensions) {
				want += 2 * (side - 1) * product / side
			}
			if product != ranks || c.got != want {
				t.Errorf("%d ranks in %d dimensions: %d neighbours, want %d; sides %v", ranks, c.dimensions, c.got, want, sides(ranks, c.dimensions))
			}
		}
	}
}
