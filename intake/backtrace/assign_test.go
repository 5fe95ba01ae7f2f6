package backtrace

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAssign(t *testing.T) {
	for name, c := range map[string]struct {
		stacks  []Stack
		ranks   []int
		guessed int
	}{
		"the text says it": {[]Stack{{File: "core.9", Rank: 4}}, []int{4}, 0},
		"the name says it": {[]Stack{
			{File: "d1/core.17", Rank: -1, PID: 5, TID: 5}, {File: "d1/core.17", Rank: -1, PID: 5, TID: 6},
			{File: "d1/rank-0003.gdb2.txt", Rank: -1, PID: 9},
		}, []int{17, 17, 2}, 0},
		"several in a file": {[]Stack{
			{File: "node1.txt", Rank: -1, PID: 70}, {File: "node1.txt", Rank: -1, PID: 71},
			{File: "node1.txt", Rank: -1, PID: 70},
		}, []int{0, 1, 0}, 2},
		"the name is that of the process": {[]Stack{{File: "stack.4711", Rank: -1, PID: 4711}}, []int{0}, 1},
		"free ranks only": {[]Stack{{File: "a", Rank: 0}, {File: "b", Rank: -1},
			{File: "c", Rank: 1}}, []int{0, 2, 1}, 1},
	} {
		guessed := AssignRanks(c.stacks)
		var ranks []int
		for _, s := range c.stacks {
			ranks = append(ranks, s.Rank)
		}
		if diff := cmp.Diff(c.ranks, ranks); diff != "" || guessed != c.guessed {
			t.Errorf("%s: %d guessed, want %d; ranks (-want +got):\n%s", name, guessed, c.guessed, diff)
		}
	}
}
