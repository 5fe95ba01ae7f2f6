package diagnosis

import (
	"fmt"
	"slices"

	"laggard/model"
	"laggard/report/slice"
	"laggard/report/words"
)

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
			set := model.NewRankSet(c...).String()
			wait := words.Verb(set, "waits for itself", "wait for each other")
			lines = append(lines, fmt.Sprintf("Deadlock: %s %s.", words.Ranks(set), wait))
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
	lines = append(lines, bufferLines(r)...)
	if n := len(r.UnfinishedRanks); n > 0 {
		set := model.NewRankSet(r.UnfinishedRanks...).String()
		lines = append(lines, fmt.Sprintf("Unfinished: %s had not come to MPI_Finalize when last seen, although others had.",
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
	switch {
	case r.Ended != nil || len(r.Failures) > 0:
		return step{} // its processes are gone, and nothing hung
	case r.LeastProgressed != nil && len(r.LeastProgressed.Locations) > 0:
		return nextStepAt(r, r.LeastProgressed.Locations[0])
	case len(r.Groups) == 0 && r.UncollectedDir != "":
		return step{Aim: "on a node of the job, ", Command: "laggard diagnose " + shellCommand(r.UncollectedDir),
			Also: " reads the files there"}
	case len(r.Groups) == 0:
		return step{Command: "laggard doctor PROGRAM", Also: " checks whether it can be recorded"}
	}
	return step{}
}

// nextStepAt is what to do about the place of a rank that is named.
func nextStepAt(r *Result, l Location) step {
	switch {
	case l.Alive && r.Ending:
		return stepBehindEnd(r, l)
	case l.PID != 0 && l.Alive && l.Contained:
		return step{When: ", while it still runs", Host: l.Host, Aim: "inside its container, ",
			Command: fmt.Sprintf("gdb -p %d", l.PID)}
	case l.PID != 0 && l.Alive:
		return step{When: ", while it still runs", Host: l.Host, Command: fmt.Sprintf("gdb -p %d", l.PID)}
	case l.PID != 0 && slices.Contains(r.LostRanks, l.Rank) && endOf(r) == nil && mpiErrorOf(r) == nil && !hasExited(r):
		return step{Host: l.Host, Aim: fmt.Sprintf("look for process %d in the system log: ", l.PID), Command: "journalctl -k"}
	}
	return stepBehindEnd(r, l)
}

// stepBehindEnd is what to do where the rank's process is gone, or will be.
func stepBehindEnd(r *Result, l Location) step {
	switch {
	case slices.ContainsFunc(r.Slices, func(s slice.Slice) bool { return len(s.Lines) > 0 }):
		return step{Command: "laggard slice " + shellCommand(r.Run.Dir), Also: " shows all lines that may have led there"}
	case l.PID != 0 && len(r.Run.Command) > 0:
		return step{Command: "laggard run --record usage -- " + shellCommand(r.Run.Command...),
			Also: " looks for wrong use of MPI"}
	}
	return step{}
}

// shellCommand are words as a user would type them, as far as they can be printed.
func shellCommand(args ...string) string { return words.Printable(words.ShellCommand(args...)) }
