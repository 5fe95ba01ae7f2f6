package diagnosis

import (
	"fmt"
	"slices"

	"laggard/model"
	"laggard/report/words"
)

// Headline is the answer in one sentence, without its full stop.
func Headline(r *Result) string {
	switch l := r.LeastProgressed; {
	case r.Ended != nil:
		return endedHeadline(r)
	case l != nil && r.Running:
		return fmt.Sprintf("No hang, but %s %s behind the others, of %s", words.Ranks(l.Set),
			words.Verb(l.Set, "is", "are"), words.Size(r.Ranks))
	case l != nil:
		return fmt.Sprintf("%s %s least progressed, of %s", words.Upper(words.Ranks(l.Set)),
			words.Verb(l.Set, "is", "are"), words.Size(r.Ranks))
	case r.Hang:
		return fmt.Sprintf("The run of %s did not finish; the least-progressed rank could not be determined",
			words.Size(r.Ranks))
	case len(r.Groups) == 0:
		return "No usable data in this run"
	}
	return fmt.Sprintf("No hang: nothing in this run of %s is stuck", words.Size(r.Ranks))
}

// distinctLocations are the locations, each once, with the process of its first rank.
func distinctLocations(l *LeastProgressed) []Location {
	return slices.CompactFunc(slices.Clone(l.Locations), func(a, b Location) bool { return a.Ranks == b.Ranks })
}

// cycleLines are those that the reason of the headline does not tell already: it
// has the ranks, but not who waits for whom. Only a cycle is out of order, the
// ranks of a knot ascend.
func cycleLines(r *Result) []string {
	var lines []string
	for _, c := range r.Deadlock.Cycles {
		switch {
		case !slices.IsSorted(c):
			lines = append(lines, fmt.Sprintf("Cycle: %s: each waits for the next.", cycleText(c)))
		case !allLeastProgressed(model.NewRankSet(c...).String(), r):
			lines = append(lines, fmt.Sprintf("Deadlock: %s wait for each other.",
				words.Ranks(model.NewRankSet(c...).String())))
		}
	}
	return lines
}

// allLeastProgressed reports whether all ranks of a set are least progressed, so that the
// headline speaks of them.
func allLeastProgressed(set string, r *Result) bool {
	if r.LeastProgressed == nil {
		return false
	}
	these, err := model.ParseRankSet(set)
	return err == nil && these.Minus(model.NewRankSet(r.LeastProgressed.Ranks...)).Len() == 0
}

// lossLines tell of the ranks that are gone, as far as the headline does not.
func lossLines(r *Result) []string {
	var lines []string
	for _, l := range r.Losses {
		if !allLeastProgressed(l.Ranks, r) {
			lines = append(lines, fmt.Sprintf("Lost: %s: %s", words.Ranks(l.Ranks), words.Cut(l.Reason)))
		}
	}
	if n := len(r.UnfinishedRanks); n > 0 {
		set := model.NewRankSet(r.UnfinishedRanks...).String()
		lines = append(lines, fmt.Sprintf("Unfinished: %s never came to MPI_Finalize although others did.",
			words.Ranks(set)))
	}
	return lines
}

// step is what to do next: a command, the host to type it on, and how the
// sentence goes on around it.
type step struct {
	When    string `json:"when"`    // ", while it still runs", "" at any time
	Host    string `json:"host"`    // "" any
	Aim     string `json:"aim"`     // what for, before the command
	Command string `json:"command"` // "" there is nothing to advise
	Also    string `json:"also"`    // after the command
}

// beforeCommand is the sentence up to the command.
func (s step) beforeCommand() string {
	if s.Host == "" {
		return s.Aim
	}
	return "on " + s.Host + ": " + s.Aim
}

func nextStep(r *Result) step {
	var l Location
	if r.Ended != nil {
		return step{} // its processes are gone
	}
	if r.LeastProgressed != nil && len(r.LeastProgressed.Locations) > 0 {
		l = r.LeastProgressed.Locations[0]
	}
	switch {
	case l.Contained && slices.Contains(r.LostRanks, l.Rank):
		return step{Host: l.Host, Aim: "check the system log for the process (", Command: "journalctl -k", Also: ")"}
	case l.Contained:
		return step{When: ", while it still runs", Host: l.Host, Aim: "inside its container, ",
			Command: fmt.Sprintf("gdb -p %d", l.PID)}
	case l.PID != 0 && slices.Contains(r.LostRanks, l.Rank):
		return step{Host: l.Host, Aim: "check whether the process exists (", Command: fmt.Sprintf("ps -fp %d", l.PID),
			Also: "), and the system log (journalctl -k)"}
	case l.PID != 0:
		return step{When: ", while it still runs", Host: l.Host, Command: fmt.Sprintf("gdb -p %d", l.PID)}
	case len(r.Groups) == 0:
		return step{Command: "laggard doctor PROGRAM", Also: " checks whether it can be recorded"}
	}
	return step{}
}
