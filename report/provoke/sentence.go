package provoke

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"laggard/injector/provoke"
	"laggard/model/mpi"
	"laggard/report/words"
)

// Condition says in a clause which choices a schedule makes: "the send of rank 2 (MPI_Send,
// exchange.c:88) is not buffered".
func Condition(s *provoke.Schedule) string {
	var parts []string
	rules := slices.Clone(s.Rules)
	for len(rules) > 0 {
		first, ranks := rules[0], []string{}
		for _, r := range rules {
			if isAlike(first, r) {
				ranks = append(ranks, fmt.Sprint(r.Rank))
			}
		}
		parts = append(parts, clause(first, joinClauses(ranks)))
		rules = slices.DeleteFunc(rules, func(r provoke.Rule) bool { return isAlike(first, r) })
	}
	const most = 4
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("%d more choices are made as in the schedule", len(parts)-most))
	}
	return joinClauses(parts)
}

// isAlike reports whether two rules are said in one clause: they differ in the rank at most. Of late ranks each has its own.
func isAlike(a, b provoke.Rule) bool {
	if a.Choice()&(mpi.Delay|mpi.RMADelay|mpi.EndsDelay) == 0 {
		a.Rank, b.Rank = 0, 0
	}
	return a == b
}

func joinClauses(parts []string) string {
	if len(parts) < 2 {
		return strings.Join(parts, "")
	}
	return strings.Join(parts[:len(parts)-1], ", ") + " and " + parts[len(parts)-1]
}

// clause says what one rule does at these ranks.
func clause(r provoke.Rule, ranks string) string {
	switch r.Choice() {
	case mpi.SendMode:
		return fmt.Sprintf("the %s is not buffered", call(r, ranks, "send"))
	case mpi.Match:
		if r.Count > 0 {
			return fmt.Sprintf("the %s takes a message of rank %d of its communicator", call(r, ranks, "wildcard"), r.Value)
		}
		return fmt.Sprintf("the %s takes another sender's message", call(r, ranks, "wildcard"))
	case mpi.BufferUse:
		return bufferClause(r, ranks)
	case mpi.EpochEnd:
		if mpi.FindFunction(r.Call).InClass(mpi.ClassWinFlush) {
			return fmt.Sprintf("data put before the %s come to the target after it", call(r, ranks, "local flush"))
		}
		return fmt.Sprintf("the %s begins with the call that completes it", call(r, ranks, "one-sided operation"))
	case mpi.Completion:
		return fmt.Sprintf("the %s", completionClause(r, ranks))
	case mpi.Synchronising:
		if r.Count > 0 {
			return fmt.Sprintf("the %s synchronises its ranks", call(r, ranks, "collective"))
		}
		return "collectives that need not synchronise do so"
	}
	return lateClause(r)
}

// completionClause says what a poll or a wait for one of several does.
func completionClause(r provoke.Rule, ranks string) string {
	if mpi.FindFunction(r.Call).InClass(mpi.ClassWaitany, mpi.ClassWaitsome) {
		return call(r, ranks, "wait") + " returns another of the complete requests"
	}
	if r.Count > 0 {
		return fmt.Sprintf("%s finds nothing %s more", call(r, ranks, "poll"), words.Count(int(r.Value), "time", "times"))
	}
	return call(r, ranks, "poll") + " finds nothing for longer"
}

// bufferClause says when data come out of the buffer of a send, or into that of a receive.
func bufferClause(r provoke.Rule, ranks string) string {
	if isReordered(r) {
		return fmt.Sprintf("the %s begins its requests in another order", call(r, ranks, "start"))
	}
	if mpi.FindFunction(r.Call).InClass(mpi.ClassIsend, mpi.ClassStart, mpi.ClassStartall) {
		return fmt.Sprintf("the %s reads its buffer late", call(r, ranks, "send"))
	}
	return fmt.Sprintf("the %s fills its buffer when it completes, and not before", call(r, ranks, "receive"))
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

// call names the calls of a rule: "send of ranks 2 and 3 (MPI_Send, exchange.c:88)".
func call(r provoke.Rule, ranks, what string) string {
	text := what
	switch {
	case r.Rank == provoke.EveryRank:
	case strings.Contains(ranks, " "):
		text += " of ranks " + ranks
	default:
		text += " of rank " + ranks
	}
	in := nonEmpty(r.Call, r.Where)
	if r.Communicator != "" {
		in = append(in, fmt.Sprintf("number %d on its communicator", r.Count))
	} else if r.Count > 0 {
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

// reasons say, for each kind, why a correct program works with it.
var reasons = map[mpi.Choice]string{
	mpi.SendMode:      "MPI does not guarantee buffering (MPI-4.0 §3.4, §3.5)",
	mpi.Delay:         "MPI does not say when a rank comes to a call, or how long a message takes (MPI-4.0 §2.9)",
	mpi.Match:         "a wildcard may take the message of any sender (MPI-4.0 §3.5)",
	mpi.Completion:    "a poll returns true in the end, not at once, and any complete request may be returned (MPI-4.0 §3.7)",
	mpi.RMADelay:      "only synchronisation orders one-sided operations (MPI-4.0 §12.7)",
	mpi.Synchronising: "a collective may or may not synchronise its ranks (MPI-4.0 §6.1)",
	mpi.EndsDelay:     "ranks may start and end at any time",
	mpi.BufferUse:     "the buffer of a nonblocking call belongs to MPI until the call is complete (MPI-4.0 §3.7.2)",
	mpi.EpochEnd:      "a one-sided operation is complete after synchronisation only (MPI-4.0 §12.3, §12.7)",
}

// isReordered reports whether a rule starts the requests of MPI_Startall in another order.
func isReordered(r provoke.Rule) bool {
	return r.Choice() == mpi.BufferUse && r.Value > 0 && mpi.FindFunction(r.Call).InClass(mpi.ClassStartall)
}

// reason says why a correct program works with what a rule does.
func reason(r provoke.Rule) string {
	if isReordered(r) {
		return "MPI_Startall starts its requests in an arbitrary order (MPI-4.0 §3.9)"
	}
	return reasons[r.Choice()]
}

// Reason says why the program has to work with the choices of a schedule.
func Reason(s *provoke.Schedule) string {
	var parts []string
	for _, r := range s.Rules {
		if text := reason(r); !slices.Contains(parts, text) {
			parts = append(parts, text)
		}
	}
	return joinClauses(parts)
}
