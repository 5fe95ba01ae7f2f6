package backtrace

import (
	"path"

	"laggard/internal/lateregexp"
)

// lastNumber is that of a file's name.
var lastNumber = lateregexp.New(`(\d+)\D*$`)

// processKey tells the processes of the texts apart.
type processKey struct {
	file string
	rank int
	pid  int
}

// AssignRanks gives a rank to the stacks of which the text does not say it. Where a
// text is of one process only, the last number in its file's name is the rank, as
// in core.17 or rank-17.txt. Other processes get the ranks that are free, in the
// order in which they come: that is a guess, and guessed is for how many. A number
// that is the process's own is no rank.
func AssignRanks(stacks []Stack) (guessed int) {
	processes := map[string]map[processKey]bool{} // by file
	for _, s := range stacks {
		if processes[s.File] == nil {
			processes[s.File] = map[processKey]bool{}
		}
		processes[s.File][processKeyOf(s)] = true
	}
	taken, given := map[int]bool{}, map[processKey]int{}
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
		rank, known := given[processKeyOf(*s)]
		if !known {
			for taken[free] {
				free++
			}
			rank, taken[free], given[processKeyOf(*s)] = free, true, free
		}
		s.Rank = rank
	}
	return len(given)
}

func processKeyOf(s Stack) processKey { return processKey{s.File, s.Rank, s.PID} }

func rankOfFile(name string) (int, bool) {
	m := lastNumber.FindStringSubmatch(path.Base(name))
	if m == nil {
		return 0, false
	}
	return parseNumber(m[1])
}
