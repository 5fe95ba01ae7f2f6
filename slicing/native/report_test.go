package native

import (
	"testing"

	"laggard/slicing"
)

// TestRank: much code of a line comes first; a line that needs much of the slice, or that is farther, comes sooner;
// one that many lines need, those of functions on the stack, loops and, last, the frames themselves come later;
// equal ones are in the order of the file.
func TestRank(t *testing.T) {
	f := &function{}
	shares := []share{{code: 2}, {code: 15}, {code: 15, of: f}, {code: 60, of: f},
		{code: 15, loops: true}, {}, {}, {code: 15}, {code: 15}, {code: 15}}
	distances := []int{1, 3, 3, 2, 3, 3, 3, 9, 3, 3}
	r := &run{shares: map[slicing.LineID]share{}, links: map[link]bool{}, stack: []slicing.Line{{File: "a.c", Line: 4}},
		nodes: map[nodeKey]bool{{a: &activation{f: f}}: true}}
	var lines []slicing.Line
	for i, s := range shares {
		r.shares[slicing.LineID{File: "a.c", Line: i + 1}] = s
		lines = append(lines, slicing.Line{File: "a.c", Line: i + 1, Distance: distances[i]})
	}
	for _, l := range [][2]int{{10, 6}, {6, 7}, {7, 6}, {1, 9}, {6, 9}, {7, 9}} { // 10 needs 6, 7 and 9
		r.links[link{slicing.LineID{File: "a.c", Line: l[0]}, slicing.LineID{File: "a.c", Line: l[1]}}] = true
	}
	r.reporter().rankLines(lines)
	for n, want := range []int{8, 10, 2, 3, 5, 9, 1, 7, 6, 4} {
		if lines[n].Line != want {
			t.Fatalf("%v: want line %d in place %d", lines, want, n)
		}
	}
}
