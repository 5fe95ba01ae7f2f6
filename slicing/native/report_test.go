package native

import (
	"testing"

	"laggard/slicing"
)

// TestRank: much code of a line comes first and makes up for distance, and a line that needs many others,
// or that decides, comes sooner; lines on the stack, calls, loops and what many lines need come later; lines
// without code come by distance, and equal ones in the order of the file.
func TestRank(t *testing.T) {
	shares := []share{{visits: 2}, {visits: 15}, {visits: 15, calls: true}, {visits: 7},
		{visits: 15, decides: true, loops: true}, {}, {}, {visits: 15}, {visits: 15}, {visits: 3},
		{visits: 7, decides: true}}
	distances := []int{1, 5, 1, 2, 3, 3, 2, 3, 1, 1, 1}
	r := &run{shares: map[lineKey]share{}, links: map[link]bool{}, stack: []slicing.Line{{File: "a.c", Line: 4}}}
	var lines []slicing.Line
	for i, s := range shares {
		r.shares[lineKey{"a.c", i + 1}] = s
		lines = append(lines, slicing.Line{File: "a.c", Line: i + 1, Distance: distances[i]})
	}
	for n := range 7 {
		other := lineKey{"b.c", n}
		r.links[link{other, lineKey{"a.c", 9}}] = true
		if n < 3 {
			r.links[link{lineKey{"a.c", 10}, other}] = true
		}
	}
	r.rank(lines)
	for n, want := range []int{11, 8, 2, 10, 5, 3, 1, 9, 4, 7, 6} {
		if lines[n].Line != want {
			t.Fatalf("%v: want line %d in place %d", lines, want, n)
		}
	}
}
