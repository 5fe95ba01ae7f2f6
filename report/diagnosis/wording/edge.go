package wording

import (
	"cmp"
	"fmt"
	"strings"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
	"laggard/report/words"
)

// Edge says why ranks of one group wait for ranks of another.
func (n Names) Edge(e *progress.Edge) string {
	if e.Example == nil {
		return inferred(&e.Inferred)
	}
	text := n.explanation(e.Example)
	if e.Weak && e.Example.Kind != evidence.NotReached && e.Example.Kind != evidence.LeftNoRecord {
		text += " (it may be satisfied already)"
	}
	var others []string
	if e.More > 0 {
		others = append(others, "+"+words.Count(e.More, "similar wait", "similar waits"))
	}
	if e.Unlike > 0 {
		others = append(others, "+"+words.Count(e.Unlike, "other wait", "other waits"))
	}
	if len(others) > 0 {
		text += " (" + strings.Join(others, ", ") + ")"
	}
	return text
}

func (n Names) explanation(x *evidence.Explanation) string {
	switch x.Kind {
	case evidence.HoldsFileLock:
		return fmt.Sprintf("rank %d waits for the lock of a file, which rank %d holds", x.Rank, x.Peer)
	case evidence.HoldsMutex:
		return fmt.Sprintf("rank %d waits for a mutex of several processes, which rank %d holds", x.Rank, x.Peer)
	}
	who := fmt.Sprintf("rank %d is in %s", x.Rank, callName(x.Wait.Call))
	if x.Wait.Side { // the rank's state is that of another thread
		who = "a thread of " + who
	}
	if x.Kind == evidence.NotReached {
		return fmt.Sprintf("%s, rank %d has not reached it", who, x.Peer)
	}
	if w := x.Want; w != nil && w.Call != "" && w.Call != x.Wait.Call {
		who += " for " + w.Call
	}
	if x.Kind == evidence.LeftNoRecord {
		return fmt.Sprintf("%s%s; nothing is known of rank %d", who, n.awaited(x), x.Peer)
	}
	if !x.Counted && x.Want.Kind != model.RMA {
		return who + n.uncounted(x)
	}
	return who + n.counted(x)
}

// callName is the name of an MPI function; of none, as in a damaged record, it says that.
func callName(call string) string { return cmp.Or(call, "an MPI call that is not known") }

// awaited says what a rank waits for, and nothing of the peer; "": the whole call.
func (n Names) awaited(x *evidence.Explanation) string {
	w, on := x.Want, n.Comm(x.On)
	switch {
	case w == nil:
		return ""
	case w.Kind == model.Collective && x.Counted:
		return fmt.Sprintf(" %d on %s", w.Seq, on)
	case w.Kind == model.Collective, w.Kind == model.RMA:
		return " on " + on
	case w.Kind == model.Send:
		return fmt.Sprintf(" to rank %d%s on %s%s", x.Peer, tag(w.Tag), on, messageNumber(w.Seq))
	}
	return fmt.Sprintf(" from rank %d%s on %s%s", x.Peer, tag(w.Tag), on, messageNumber(w.Seq))
}

// counted says what counts show that the peer has not done.
func (n Names) counted(x *evidence.Explanation) string {
	w, on := x.Want, n.Comm(x.On)
	switch x.Kind {
	case evidence.MeetsLeader:
		return fmt.Sprintf(", rank %d meets the other group's leader for it", x.Peer)
	case evidence.InOther:
		return fmt.Sprintf(" %d on %s, rank %d is in %s at that position", w.Seq, on, x.Peer, callName(x.PeerCall))
	case evidence.NotBegun:
		return fmt.Sprintf(" %d on %s, rank %d has begun %d", w.Seq, on, x.Peer, x.Count)
	case evidence.HoldsLock:
		target := ""
		if w.Peer != model.None {
			target = fmt.Sprintf(" of rank %d", w.Peer)
		}
		return fmt.Sprintf("%s on %s, rank %d holds a lock on it", target, on, x.Peer)
	case evidence.NotDriving:
		return fmt.Sprintf(" on %s, rank %d is outside MPI", on, x.Peer)
	case evidence.NotInCall:
		return fmt.Sprintf(" on %s, rank %d is in no such call", on, x.Peer)
	case evidence.NotPosted:
		return fmt.Sprintf(" %d toward rank %d on %s, which has posted %d", w.Seq, x.Peer, on, x.Count)
	case evidence.NotComplete:
		return fmt.Sprintf(" %d for rank %d on %s, which has completed %d", w.Seq, x.Peer, on, x.Count)
	case evidence.NotReceived:
		probed := ""
		if x.Probed {
			probed = "; it has only matched the message with a probe"
		}
		posted := countOrNo(x.Count, "matching receive", "matching receives")
		if x.Taker != nil {
			posted = n.taker(x.Taker) + ", which may match it"
		}
		return fmt.Sprintf(" to rank %d%s on %s%s; rank %d has posted %s%s", x.Peer, tag(w.Tag), on, messageNumber(w.Seq), x.Peer,
			posted, probed)
	case evidence.MaySend:
		return fmt.Sprintf(" from any source%s on %s; rank %d may send it%s", tag(w.Tag), on, x.Peer, n.mayHaveTaken(x, "what came"))
	case evidence.NoMoreSent:
		return fmt.Sprintf(" from rank %d%s on %s; it has sent %s%s", x.Peer, tag(w.Tag), on,
			countOrNo(x.Count, "further message", "further messages"), n.mayHaveTaken(x, "it"))
	}
	return fmt.Sprintf(" from rank %d%s on %s%s; rank %d has sent %s%s%s", x.Peer, tag(w.Tag), on, messageNumber(w.Seq), x.Peer,
		countOrNo(x.Count, "such message", "such messages"), n.mayHaveTaken(x, "it"), n.strays(x))
}

// mayHaveTaken says which receive may have taken the message, which is there; "": none.
func (n Names) mayHaveTaken(x *evidence.Explanation, what string) string {
	if x.Taker == nil {
		return ""
	}
	return fmt.Sprintf("; %s may have taken %s", n.taker(x.Taker), what)
}

// taker names receives with a wildcard that are not complete.
func (n Names) taker(w *facts.Wildcard) string {
	call := w.Call
	if call == "" {
		call = "a receive"
	}
	return call + " with " + Wildcards(w.Peer == model.Any, w.Tag == model.Any) + n.line(&model.State{Call: w.Call, Stack: w.Stack})
}

// Wildcards says what a receive leaves open.
func Wildcards(source, tag bool) string {
	switch {
	case source && tag:
		return "any source and tag"
	case tag:
		return "any tag"
	}
	return "any source"
}

// uncounted says the same where the places of the ranks show it.
func (n Names) uncounted(x *evidence.Explanation) string {
	on, peer := "", fmt.Sprintf("rank %d", x.Peer)
	if x.On.ID != 0 {
		on = " on " + n.Comm(x.On)
	}
	switch x.Kind {
	case evidence.NotBegun:
		return fmt.Sprintf("%s, which %s is not in", on, peer)
	case evidence.NotPosted:
		return fmt.Sprintf(" toward %s%s, which is in no MPI_Win_wait", peer, on)
	case evidence.NotComplete:
		return fmt.Sprintf(" for %s%s, which is in no MPI_Win_complete", peer, on)
	case evidence.NotReceived:
		return fmt.Sprintf(" to %s%s%s, which is in no matching receive", peer, tag(x.Want.Tag), on)
	case evidence.MaySend:
		return fmt.Sprintf(" from any source%s%s; %s may send it", tag(x.Want.Tag), on, peer)
	}
	return fmt.Sprintf(" from %s%s%s", peer, tag(x.Want.Tag), on)
}

func messageNumber(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (message %d)", n)
}

// countOrNo is a number of things in words: "no thing", "1 thing", "2 things".
func countOrNo(n uint64, one, many string) string {
	if n == 0 {
		return "no " + one
	}
	return words.Count(int(n), one, many)
}

// strays says which messages of the peer lie unreceived.
func (n Names) strays(x *evidence.Explanation) string {
	if len(x.Strays) == 0 {
		return ""
	}
	var parts []string
	for _, m := range x.Strays {
		part := fmt.Sprintf("%d with tag %d", m.Count, m.Tag)
		if m.On.ID != x.On.ID {
			part += " on " + n.Comm(m.On)
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("; unreceived from rank %d: %s", x.Peer, strings.Join(parts, ", "))
}

// inferred says of the rank that waits why it is ahead.
func inferred(w *inference.Why) string {
	switch w.Kind {
	case inference.ByCollectives:
		return fmt.Sprintf("it has begun %d collectives on MPI_COMM_WORLD, the other %d", w.More, w.Fewer)
	case inference.ByIterations:
		loop := "the loop around both"
		if w.Level > 1 {
			loop = fmt.Sprintf("the loop around both, %d deep", w.Level)
		}
		return fmt.Sprintf("it is in iteration %d of %s, the other in iteration %d", w.More, loop, w.Fewer)
	case inference.ByReturn:
		return "it has left the call the other is in"
	case inference.ByCourse:
		return "the program leads from the other to it"
	case inference.MixedOrder:
		return "in one iteration of a loop that ranks go through in different orders"
	case inference.LeadBoth:
		return fmt.Sprintf("%s and %s lead to each other, with probability %s and %s: not ordered",
			spot(w.From), spot(w.To), probability(w.Reach), probability(w.Back))
	}
	return fmt.Sprintf("%s leads to %s with probability %s, back with %s",
		spot(w.From), spot(w.To), probability(w.Reach), probability(w.Back))
}

func spot(s inference.Spot) string {
	switch {
	case !s.Begun:
		return "before the first MPI call"
	case s.InMPI:
		return "in " + s.Call
	case s.Call == "":
		return "in computation"
	}
	return "after " + s.Call
}

// probability writes one so that only 0 and 1 themselves look like them.
func probability(p float64) string {
	switch {
	case p > 0 && p < 0.001:
		return "<0.001"
	case p < 1 && p > 0.999:
		return ">0.999"
	}
	return fmt.Sprintf("%.3g", p)
}
