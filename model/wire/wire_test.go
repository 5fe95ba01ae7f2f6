package wire

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

// sample has a value of every form.
type sample struct {
	U          uint64
	I          int64
	Small      int8
	Near       uint64
	A, B       bool
	Below      int32
	Texts      []string
	Numbers    []int32
	ID         [4]byte
	States     []model.StateID
	Stack      []model.Frame
	Set        model.RankSet
	Group, Nil []int
}

func (s *sample) codeSample(c *Coder) {
	c.TypeMark("sample")
	Uint(c, &s.U)
	Int(c, &s.I)
	Int(c, &s.Small)
	Delta(c, &s.Near, s.U)
	c.Flags(&s.A, &s.B)
	Index(c, &s.Below, 7)
	List(c, &s.Texts, func(t *string, c *Coder) { c.Text(t) })
	Ints(c, &s.Numbers)
	c.FixedBytes(s.ID[:])
	state := func(id *model.StateID, c *Coder) { c.State(id) }
	SortedList(c, &s.States, state, func(x, y model.StateID) int { return bytes.Compare(x[:], y[:]) })
	c.Stack(&s.Stack)
	c.Set(&s.Set)
	c.Group(&s.Group)
	c.Group(&s.Nil)
}

func newSample() *sample {
	m, same := &model.Module{BuildID: "aa", Path: "a.out"}, &model.Module{BuildID: "aa", Path: "a.out", Base: 7}
	return &sample{
		U: math.MaxUint64, I: math.MinInt64, Small: -128, Near: 3, B: true, Below: 6,
		Texts: []string{"x", "", "x"}, Numbers: []int32{-1, math.MaxInt32}, ID: [4]byte{1, 2, 3, 4},
		States: []model.StateID{{}, {1}},
		Stack:  []model.Frame{{Module: m, Offset: 1}, {Offset: 2}, {Module: same, Offset: 3}, {}},
		Set:    model.NewRankSet(1, 2, 9), Group: []int{4, 6, 8, 1, 1, 0}, Nil: nil,
	}
}

func TestRoundTrip(t *testing.T) {
	want := newSample()
	data := musttest.Get(Encode(want.codeSample))(t)
	var got sample
	musttest.Succeed(t, Decode(data, got.codeSample))
	if got.Stack[0].Module != got.Stack[2].Module {
		t.Error("a module is read twice")
	}
	want.Stack[2].Module = want.Stack[0].Module // where it was mapped does not travel
	checktest.EqualBy(t, cmp.Comparer(model.RankSet.Equal), want, &got)
	for n := range data {
		if err := Decode(data[:n], new(sample).codeSample); !errors.Is(err, ErrDamaged) {
			t.Fatalf("the first %d bytes: %v", n, err)
		}
	}
	if err := Decode(append(data, 0), new(sample).codeSample); !errors.Is(err, ErrDamaged) {
		t.Fatalf("a byte more: %v", err)
	}
}

func TestFewBytesStandForLittle(t *testing.T) {
	groups := func(n int) func(*Coder) {
		return func(c *Coder) {
			all := []run{{0, 1, n}}
			var none []int
			is := true
			if c.reading {
				c.Group(&none)
				return
			}
			c.Flags(&is)
			at := 0
			Uint(c, &at)
			c.codeRuns(&all)
		}
	}
	for n, ok := range map[int]bool{1000: true, 0: false, maxExpanded + 1: false} {
		data := musttest.Get(Encode(groups(n)))(t)
		if err := Decode(data, groups(n)); (err == nil) != ok {
			t.Errorf("a group of %d ranks: %v", n, err)
		}
	}
	long := []byte{0xff, 0xff, 0xff, 0xff, 0x0f}
	checktest.ErrorIs(t, ErrDamaged, Decode(long, func(c *Coder) { Ints(c, new([]int)) }), "a list longer than what follows")
	checktest.ErrorIs(t, ErrDamaged, Decode([]byte{0x80, 0}, func(c *Coder) { Uint(c, new(int)) }), "a number in more bytes than it needs")
}

func FuzzDecode(f *testing.F) {
	data := musttest.Get(Encode(newSample().codeSample))(f)
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		var a, b sample
		if Decode(data, a.codeSample) != nil {
			return
		}
		first := musttest.Get(Encode(a.codeSample))(t)
		musttest.Succeed(t, Decode(first, b.codeSample))
		if second, err := Encode(b.codeSample); err != nil || !bytes.Equal(first, second) {
			t.Fatal("not stable", err)
		}
	})
}
