package provoke

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"laggard/injector/provoke"
	"laggard/model/mpi"
)

// Condition says in a clause which choices a schedule makes: "the send of rank 2 (MPI_Send,
// exchange.c:88) is not buffered".
func Condition(s *provoke.Schedule) string {
	var parts []string
	for _, r := range s.Rules {
		parts = append(parts, clause(r))
	}
	const most = 4
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("%d more choices are made as in the schedule", len(parts)-most))
	}
	return joinClauses(parts)
}

func joinClauses(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// clause says what one rule does.
func clause(r provoke.Rule) string {
	switch r.Choice() {
	case mpi.SendMode:
		return fmt.Sprintf("the %s is not buffered", call(r, "send"))
	case mpi.Match:
		if r.Count > 0 {
			return fmt.Sprintf("the %s takes a message of rank %d of its communicator", call(r, "wildcard"), r.Value)
		}
		return fmt.Sprintf("the %s takes another sender's message", call(r, "wildcard"))
	case mpi.Completion:
		return fmt.Sprintf("the %s", completionClause(r))
	case mpi.Synchronising:
		which := "collectives that need not synchronise do so"
		if r.Count > 0 {
			which = fmt.Sprintf("collective number %d synchronises its ranks", r.Count)
		}
		return which + communicator(r)
	}
	return lateClause(r)
}

// completionClause says what a poll or a wait for one of several does.
func completionClause(r provoke.Rule) string {
	if mpi.FindFunction(r.Call).InClass(mpi.ClassWaitany, mpi.ClassWaitsome) {
		return call(r, "wait") + " returns another of the complete requests"
	}
	if r.Count > 0 {
		return fmt.Sprintf("%s says no %d times more", call(r, "poll"), r.Value)
	}
	return call(r, "poll") + " says no for longer"
}

// lateClause says who is late, where, and by how much.
func lateClause(r provoke.Rule) string {
	who := "a rank"
	if r.Rank != provoke.EveryRank {
		who = fmt.Sprintf("rank %d", r.Rank)
	}
	at := "at calls of MPI"
	if r.Call != "" {
		at = "at " + strings.Join(nonEmpty(r.Call, r.Where), ", ")
	}
	by := (time.Duration(r.Value) * time.Microsecond).Round(time.Millisecond)
	if r.Count == 0 {
		return fmt.Sprintf("%s is up to %s late %s", who, by, at)
	}
	return fmt.Sprintf("%s is %s late %s, time %d", who, by, at, r.Count)
}

// call names the calls of a rule: "send of rank 2 (MPI_Send, exchange.c:88)".
func call(r provoke.Rule, what string) string {
	text := what
	if r.Rank != provoke.EveryRank {
		text += fmt.Sprintf(" of rank %d", r.Rank)
	}
	in := nonEmpty(r.Call, r.Where)
	if r.Count > 0 {
		in = append(in, fmt.Sprintf("time %d", r.Count))
	}
	if len(in) > 0 {
		text += " (" + strings.Join(in, ", ") + ")"
	}
	return text
}

func nonEmpty(texts ...string) []string {
	return slices.DeleteFunc(texts, func(s string) bool { return s == "" })
}

func communicator(r provoke.Rule) string {
	if r.Where == "" {
		return ""
	}
	return " on " + r.Where
}

// reasons say, for each kind, why a correct program works with it.
var reasons = map[mpi.Choice]string{
	mpi.SendMode:      "MPI does not guarantee buffering (MPI-4.0 §3.4, §3.5)",
	mpi.Delay:         "MPI does not say when a rank comes to a call, or how long a message takes (MPI-4.0 §2.9)",
	mpi.Match:         "a wildcard may take the message of any sender (MPI-4.0 §3.5)",
	mpi.Completion:    "a poll says yes in the end, not at once, and any complete request may be returned (MPI-4.0 §3.7)",
	mpi.RMADelay:      "only synchronisation orders one-sided operations (MPI-4.0 §12.7)",
	mpi.Synchronising: "a collective may or may not synchronise its ranks (MPI-4.0 §6.1)",
	mpi.EndsDelay:     "ranks may start and end at any time",
}

// Reason says why the program has to work with the choices of a schedule.
func Reason(s *provoke.Schedule) string {
	var parts []string
	seen := mpi.Choice(0)
	for _, r := range s.Rules {
		if c := r.Choice(); seen&c == 0 {
			seen |= c
			parts = append(parts, reasons[c])
		}
	}
	return joinClauses(parts)
}
