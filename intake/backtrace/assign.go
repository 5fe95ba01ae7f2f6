package backtrace

import (
	"path"
	"regexp"
)

// lastNumber is that of a file's name.
var lastNumber = regexp.MustCompile(`(\d+)\D*$`)

// owner tells the processes of the texts apart.
type owner struct {
	file string
	rank int
	pid  int
}

// Assign gives a rank to the stacks of which the text does not say it. Where a
// text is of one process only, the last number in its file's name is the rank, as
// in core.17 or rank-17.txt. Other processes get the ranks that are free, in the
// order in which they come: that is a guess, and guessed is for how many. A number
// that is the process's own is no rank.
func Assign(stacks []Stack) (guessed int) {
	processes := map[string]map[owner]bool{} // by file
	for _, s := range stacks {
		if processes[s.File] == nil {
			processes[s.File] = map[owner]bool{}
		}
		processes[s.File][ownerOf(s)] = true
	}
	taken, given := map[int]bool{}, map[owner]int{}
	for i := range stacks {
		s := &stacks[i]
		if rank, ok := rankOfFile(s.File); ok && s.Rank < 0 && rank != s.PID && len(processes[s.File]) == 1 {
			s.Rank = rank
		}
		taken[s.Rank] = true
	}
	free := 0
	for i := range stacks {
		s := &stacks[i]
		if s.Rank >= 0 {
			continue
		}
		rank, known := given[ownerOf(*s)]
		if !known {
			for taken[free] {
				free++
			}
			rank, taken[free], given[ownerOf(*s)] = free, true, free
		}
		s.Rank = rank
	}
	return len(given)
}

func ownerOf(s Stack) owner { return owner{s.File, s.Rank, s.PID} }

func rankOfFile(name string) (int, bool) {
	m := lastNumber.FindStringSubmatch(path.Base(name))
	if m == nil {
		return 0, false
	}
	return number(m[1])
}
