package recorded

import (
	"math"
	"path"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

func TestValidate(t *testing.T) {
	row := func(change func(*Observation)) *Table {
		o := Observation{Run: "r", Rank: 1, Ranks: 2, Controls: map[string]float64{"n": 1},
			Volume: map[int]float64{0: 1}}
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
		checktest.ErrorIs(t, c.want, row(c.change).Validate(), name)
	}
	checktest.ErrorIs(t, ErrEmpty, new(Table).Validate(), "no rows")
}

func TestTrimmed(t *testing.T) {
	wire := func(offset uint64) Frame { return Frame{Module: "/lib/mca_btl_tcp.so", Offset: offset} }
	caller, outer := Frame{Module: "/usr/lib/libmpi.so.40", Offset: 5}, Frame{Module: "app", Offset: 6}
	for _, c := range []struct{ frames, want []Frame }{
		{[]Frame{wire(1), caller, wire(3), outer}, []Frame{caller, wire(3), outer}},
		{[]Frame{wire(2), wire(1), caller, wire(3), outer}, []Frame{caller, wire(3), outer}},
		{[]Frame{wire(1), wire(2)}, []Frame{wire(2)}},
		{nil, nil},
	} {
		checktest.EqualList(t, c.want, trimTransport(c.frames, isTransport))
	}
}

func TestBadModulePattern(t *testing.T) {
	checktest.Fails(InModules("["))(t, path.ErrBadPattern, "bad pattern")
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
		{"other build", Frame{Module: "x", BuildID: "1", Offset: 1}, Frame{Module: "x", BuildID: "2", Offset: 1},
			false},
		{"named later", Frame{Module: "x", Offset: 1}, Frame{Module: "x", Offset: 1, Function: "f"}, true},
		{"other line", Frame{Function: "f", Line: 1}, Frame{Function: "f", Line: 2}, false},
	} {
		if (c.a.Key() == c.b.Key()) != c.same {
			t.Errorf("%s: %q and %q", c.name, c.a.Key(), c.b.Key())
		}
	}
}
