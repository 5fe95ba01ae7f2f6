package wording

import (
	"fmt"
	"strings"

	"laggard/analysis/progress"
	"laggard/analysis/progress/evidence"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/report/words"
)

// Reason says why ranks are least progressed. What is known of the first reason besides is put right behind it.
func (n Names) Reason(l *progress.LeastProgressed, besides string) string {
	var parts []string
	for i := range l.Reasons {
		parts = append(parts, n.reasonPart(&l.Reasons[i])+besides)
		besides = ""
	}
	text := strings.Join(parts, "; ")
	if l.Samples > 0 {
		text = fmt.Sprintf("in %d samples of the running job it was behind for %.0f %% of the time; in the one shown, %s",
			l.Samples, 100*l.Behind, text)
	}
	return text
}

func (n Names) reasonPart(r *progress.Reason) string {
	who, others := r.Ranks.Phrase(), r.Others.Phrase()
	switch r.Kind {
	case progress.RanksLost:
		if r.Loss.Lead == evidence.MayLive {
			return r.Loss.Ranks.Phrase() + " " + Loss(r.Loss)
		}
		return r.Loss.Ranks.Phrase() + ": " + Loss(r.Loss)
	case progress.LeftSequence:
		return n.deviation(r.Divergence)
	case progress.LeftLikewise:
		return fmt.Sprintf("so did %s on %s", who, n.Comm(r.On))
	case progress.WentToFinalize:
		return fmt.Sprintf("%s went to MPI_Finalize, while %s %s for messages and can never continue",
			who, others, verb(r.Others, "waits", "wait"))
	case progress.InDeadlock:
		return "deadlock: " + deadlockRoots(r.Roots)
	case progress.AwaitedBy:
		return "ultimately awaited by " + who
	case progress.BlockedUnknown:
		return "other ranks wait for it; what blocks it is unknown"
	case progress.ThreadsBlocked:
		return fmt.Sprintf("in %s a thread is in %s and another one waits outside MPI, and they may block each other; "+
			"other ranks wait for %s", who, r.Call, verb(r.Ranks, "it", "them"))
	case progress.AwaitNoSender:
		return who + ": waits for a message no remaining rank can send"
	case progress.NotListed:
		text := n.oneSided(&r.OneSided[0])
		if more := len(r.OneSided) - 1; more > 0 {
			text += " (+" + words.Count(more, "similar wait", "similar waits") + ")"
		}
		return text
	case progress.IdleInCall:
		return who + ": idle inside the call, while others poll for messages"
	case progress.CallsMatch:
		return "all members are in matching calls, nothing is missing, and nothing moves: " +
			"the MPI library or the network may be at fault"
	case progress.NotCompared:
		text := "all members are in matching calls, and nothing moves; the "
		if r.Others.Len() > 0 {
			text = "awaited by " + others + "; the "
		}
		return text + notCompared(r.Call)
	case progress.OutsideMPI:
		return "outside MPI, unlike " + others + ", whose waits are not recorded"
	case progress.LeastByHistory:
		return "by the execution history, no rank has made less progress"
	case progress.NotDistinguished:
		return "the evidence does not distinguish the ranks"
	case progress.MayBeSatisfied:
		return "some of the waits may be satisfied already"
	case progress.OweMessage:
		return fmt.Sprintf("%s wait for a message of %s", others, who)
	case progress.FurtherByHistory:
		return who + " may be as well, but the execution history shows further progress"
	case progress.StalledBehind:
		return fmt.Sprintf("%s %s still before that, on %s own", who, verb(r.Ranks, "stands", "stand"), verb(r.Ranks, "its", "their"))
	case progress.NotStarted:
		return fmt.Sprintf("%s %s for %s to start a persistent request", others, verb(r.Others, "waits", "wait"), who)
	case progress.FailedToSend:
		text := fmt.Sprintf("%s %s for a message that %s did not send; MPI had returned an error to %s",
			others, verb(r.Others, "waits", "wait"), who, verb(r.Ranks, "it", "them"))
		if r.At != nil {
			text += " in " + r.At.Call + n.line(r.At)
		}
		return text
	case progress.HoldLock:
		text := fmt.Sprintf("%s still %s a lock that %s %s for",
			who, verb(r.Ranks, "holds", "hold"), others, verb(r.Others, "asks", "ask"))
		if r.At != nil {
			text += ", taken by " + r.At.Call + n.line(r.At)
		}
		return text
	case progress.NewlyThere:
		return who + " is where no rank has been before, the others are where ranks come again and again"
	case progress.WentPast:
		return fmt.Sprintf("%s went past %s, in which %s %s, on a way that no rank had taken before",
			who, r.Call, others, verb(r.Others, "waits", "wait"))
	case progress.LeftOutSend:
		return fmt.Sprintf("for the first time %s went on without %s%s to %s, which waits for the message",
			who, r.Call, n.line(r.At), others)
	case progress.CallConcurrently:
		return fmt.Sprintf("threads of %s call collectives on %s at once, in an order that ranks do not share", who, n.Comm(r.On))
	case progress.TestNothing:
		return fmt.Sprintf("%s %s %s again and again, and none of its requests is active", who, verb(r.Ranks, "calls", "call"), r.Call)
	case progress.AwaitConnection:
		return fmt.Sprintf("%s %s in %s for a connection", who, verb(r.Ranks, "waits", "wait"), r.Call)
	case progress.PollMemory:
		return fmt.Sprintf("%s %s memory in %s", who, verb(r.Ranks, "polls", "poll"), r.Call)
	case progress.ReceivesNone:
		return fmt.Sprintf("%s sent messages to %s%s, which has received none of them", others, who, n.line(r.At))
	case progress.AwaitedOfNobody:
		return fmt.Sprintf("%s waits for a message such as no rank has sent, while %s went to MPI_Finalize", who, others)
	case progress.MayAwaitOther:
		return fmt.Sprintf("%s may wait for the wrong rank: %s has gone on without sending it the message", who, others)
	case progress.OnlyRaising:
		return "only " + who + " encountered an exception"
	}
	return work(r.Work)
}

// notCompared says what of a function is to be compared by hand.
func notCompared(call string) string {
	of := "counts of each member in " + call
	switch f := mpi.FunctionOf(call); {
	case f.HasPartitions():
		of = "MPI_Pready calls for " + call
	case f.MatchesByTag():
		of = "tags given to " + call
	case f.HasTrait(mpi.FromRoot|mpi.ToRoot) && !f.HasOwnCounts(): // of an intercommunicator
		return "roots that both groups give to " + call + " are not compared: look whether they agree"
	}
	return of + " are not recorded: compare them"
}

// oneSided says of an edge that only the waiting rank lists what it waits for, and who should list it.
func (n Names) oneSided(e *evidence.OneSided) string {
	in, peers, listed := e.Wait.Call+n.line(e.In), e.Peers.Phrase(), fmt.Sprintf("rank %d", e.Rank)
	if e.Want.Call != "" && e.Want.Call != e.Wait.Call {
		in += " for " + e.Want.Call
	}
	if e.Peers.Equal(model.NewRankSet(e.Rank)) {
		listed = "itself"
	}
	does, end := "waits for data from", "destination"
	if e.Sends {
		does, end = "sends data to", "source"
	}
	return fmt.Sprintf("rank %d %s %s in %s, but %s %s not list %s as a %s of %s",
		e.Rank, does, peers, in, peers, verb(e.Peers, "does", "do"), listed, end, n.Comm(e.On))
}

// deadlockRoots says why some ranks are the roots of deadlocks.
func deadlockRoots(roots []evidence.Root) string {
	var parts []string
	for i := range roots {
		parts = append(parts, deadlockRoot(&roots[i]))
	}
	return strings.Join(parts, "; ")
}

func deadlockRoot(r *evidence.Root) string {
	who := r.Ranks.Phrase()
	switch r.Kind {
	case evidence.Wild:
		return fmt.Sprintf("%s %s for a message from any rank, and all that could send it wait for %s", who,
			verb(r.Ranks, "waits", "wait"), verb(r.Ranks, "it", "them"))
	case evidence.Unlike:
		return who + " wait for each other: one message is offered but not received, another is awaited but not sent"
	case evidence.Hub:
		return fmt.Sprintf("%s and others wait for each other, and only %s would release all", who, who)
	case evidence.Late:
		return fmt.Sprintf("%s wait for each other, and %s %s begun fewer collectives",
			model.NewRankSet(r.Cycle...).Phrase(), who, verb(r.Ranks, "has", "have"))
	case evidence.Sides:
		if r.Asking.Len() > 0 {
			return fmt.Sprintf("%s wait for each other, %s for the lock of a window; either may be wrong", who, r.Asking.Phrase())
		}
		return who + " wait for each other, some in a collective and some for a message; either may be wrong"
	}
	if r.Ranks.Len() == 1 {
		return fmt.Sprintf("rank %d waits for itself", r.Ranks.Min())
	}
	return who + " wait for each other"
}

func work(w progress.Work) string {
	lasting := ""
	if w.Lasting > 0 {
		lasting = fmt.Sprintf(" for %.0f s", w.Lasting.Seconds())
	}
	return fmt.Sprintf("rank %d has been in %s%s and is at work (%s)", w.Rank, w.Call, lasting, w.Doing)
}

func verb(ranks model.RankSet, one, several string) string {
	return words.Verb(ranks.String(), one, several)
}
