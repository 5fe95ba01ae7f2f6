package model

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// naiveSet is the set as a plain map, to compare with.
type naiveSet map[int]bool

func randomSet(r *rand.Rand) (RankSet, naiveSet) {
	var s RankSet
	n := naiveSet{}
	width := []int{60, 200_000}[r.IntN(2)] // runs that touch, or mostly not
	for range r.IntN(8) {
		first := r.IntN(width)
		last := first + r.IntN(40)
		s.AddRange(first, last)
		for i := first; i <= last; i++ {
			n[i] = true
		}
	}
	return s, n
}

func (n naiveSet) slice() []int {
	out := []int{}
	for r := range n {
		out = append(out, r)
	}
	slices.Sort(out)
	return out
}

func (n naiveSet) filter(keep func(int) bool) naiveSet {
	out := naiveSet{}
	for r := range n {
		if keep(r) {
			out[r] = true
		}
	}
	return out
}

func TestRankSetAgainstMap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 600 {
		a, na := randomSet(r)
		b, nb := randomSet(r)
		both := na.filter(func(x int) bool { return nb[x] })
		either := na.filter(func(int) bool { return true })
		for x := range nb {
			either[x] = true
		}
		checkSet(t, a, na)
		checkSet(t, a.Union(b), either)
		checkSet(t, a.Intersect(b), both)
		checkSet(t, a.Minus(b), na.filter(func(x int) bool { return !nb[x] }))
		musttest.Equal(t, cmp.Diff(na, nb) == "", a.Equal(b), "Equal", a, b)
	}
}

func checkSet(t *testing.T, s RankSet, want naiveSet) {
	t.Helper()
	list := want.slice()
	musttest.Equal(t, list, s.Slice())
	low, high := -1, -1
	if len(list) > 0 {
		low, high = list[0], list[len(list)-1]
	}
	if s.Len() != len(list) || s.Min() != low || s.Max() != high {
		t.Fatalf("%s: Len %d, Min %d, Max %d; want %d, %d, %d", s, s.Len(), s.Min(), s.Max(), len(list), low, high)
	}
	if s.Contains(high+1) || s.Contains(-1) || high >= 0 && !s.Contains(high) {
		t.Fatalf("%s: Contains is wrong at its end", s)
	}
	back, err := ParseRankSet(s.String())
	if err != nil || !back.Equal(s) {
		t.Fatalf("%q is read as %s, %v", s.String(), back, err)
	}
}

func TestParseRankSet(t *testing.T) {
	for _, c := range []struct{ text, want, bad string }{
		{"", "", ""},
		{"7", "7", ""},
		{"7,0-3", "0-3,7", ""},
		{" 1 , 2,3 ", "1-3", ""},
		{"0-2,1-5,5", "0-5", ""},
		{"0-2147483647", "0-2147483647", ""},
		{"65535,65536", "65535-65536", ""},
		{"0-4000000000", "", `"0-4000000000"`},
		{"1,,2", "", `""`},
		{"1,x", "", `"x"`},
		{"3,5-2", "", `"5-2"`},
		{"-1", "", `"-1"`},
		{"+1", "", `"+1"`},
		{"1-2-3", "", `"1-2-3"`},
		{"2147483648", "", `"2147483648"`},
	} {
		s, err := ParseRankSet(c.text)
		switch {
		case c.bad != "" && (!errors.Is(err, ErrRankSet) || !strings.Contains(err.Error(), c.bad)):
			t.Errorf("%q: error %v, want one that names %s", c.text, err, c.bad)
		case c.bad == "" && (err != nil || s.String() != c.want):
			t.Errorf("%q: %q, %v; want %q", c.text, s, err, c.want)
		}
	}
}

func TestRankSetCopies(t *testing.T) {
	a := NewRankSet(1, 2, -1)
	b := a.Clone()
	b.Add(9)
	var empty RankSet
	got := a.String() + "|" + b.String() + "|" + empty.Union(a).String() + "|" + empty.Clone().String()
	if got != "1-2|1-2,9|1-2|" {
		t.Error(got)
	}
}

func TestRankSetJSON(t *testing.T) {
	type box struct{ Set RankSet }
	text := musttest.Get(json.Marshal(box{NewRankSet(3, 1, 2)}))(t)
	musttest.Equal(t, `{"Set":"1-3"}`, string(text))
	var back box
	if err := json.Unmarshal(text, &back); err != nil || back.Set.String() != "1-3" {
		t.Errorf("%s, %v", back.Set, err)
	}
	checktest.ErrorIs(t, ErrRankSet, json.Unmarshal([]byte(`{"Set":"x"}`), &back))
}

func FuzzParseRankSet(f *testing.F) {
	for _, text := range []string{"", "0", "0-3,7", "0-2147483647", "9-1", "1,,2", "0-4000000000", " 4 - 5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseRankSet(text)
		if err != nil {
			if s.Len() != 0 {
				t.Fatal("an error and a set")
			}
			return
		}
		back, err := ParseRankSet(s.String())
		if err != nil || !back.Equal(s) {
			t.Fatalf("%q becomes %q becomes %q, %v", text, s, back, err)
		}
	})
}

func ExampleRankSet_Phrase() {
	fmt.Println(NewRankSet(3).Phrase())
	fmt.Println(NewRankSet(0, 1, 2, 7).Phrase())
	// Output:
	// rank 3
	// ranks 0-2,7
}
