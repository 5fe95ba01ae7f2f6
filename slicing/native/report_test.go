package native

import (
	"testing"

	"laggard/slicing"
)

// TestRank: of lines at one distance that with more code comes first, much code makes up for some
// distance, and the order of equal lines is that of the file.
func TestRank(t *testing.T) {
	r := &run{visits: map[lineKey]int{{"a.c", 1}: 1, {"a.c", 2}: 3, {"a.c", 3}: 7, {"a.c", 4}: 1, {"a.c", 6}: 1}}
	lines := []slicing.Line{{File: "a.c", Line: 6, Distance: 2}, {File: "a.c", Line: 1, Distance: 1},
		{File: "a.c", Line: 2, Distance: 1}, {File: "a.c", Line: 3, Distance: 5}, {File: "a.c", Line: 4, Distance: 2},
		{File: "a.c", Line: 5, Distance: 1}} // the last one has no code
	r.rank(lines)
	for n, want := range []int{2, 3, 1, 4, 6, 5} {
		if lines[n].Line != want {
			t.Fatalf("%v: want line %d in place %d", lines, want, n)
		}
	}
}
