package progress

import (
	"time"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/passed"
	"laggard/model"
)

// Reason is one fact for which ranks are named. report/diagnosis/wording says it in words.
type Reason struct {
	Kind ReasonKind
	// Ranks are those that it is about, and Others those that it relates them to, as the kind says; empty where it says nothing of them.
	Ranks, Others model.RankSet
	Loss          *Loss                  // of RanksLost
	Divergence    *divergence.Divergence // of LeftSequence
	Roots         []evidence.Root        // of InDeadlock
	OneSided      []evidence.OneSided    // of NotListed
	Work          Work                   // of AtWork
	Call          string                 // of ThreadsBlocked, NotCompared, WentPast, AwaitConnection, …: the MPI function
	At            *model.State           // of sends: the call, as of LeftOutSend; of HoldLock: that which took the lock, nil unknown
	On            model.CommRef          // of CallConcurrently and LeftLikewise
	Passed        *passed.Call           // of WentPast: what they went past, and on which way
}

// ReasonKind says what a Reason is.
type ReasonKind int

// The kinds of reason: first what a rule concludes from, then what is added to that.
const (
	RanksLost        ReasonKind = iota // the processes of Ranks are gone or stand still
	LeftSequence                       // ranks left the sequence of collectives that others share
	LeftLikewise                       // so did Ranks, on On
	WentToFinalize                     // Ranks did, while Others wait for messages and can never continue
	InDeadlock                         // ranks wait for each other
	AwaitedBy                          // Ranks ultimately wait for the named ones
	BlockedUnknown                     // others wait for the named ranks, and it is not known what these wait for
	ThreadsBlocked                     // likewise, but in each of Ranks a thread is in Call and another one waits outside MPI
	AwaitNoSender                      // Ranks wait for a message that no remaining rank can send
	NotListed                          // Ranks wait for neighbours, Others, that do not list them
	IdleInCall                         // Ranks stand still inside their call, while others look for messages
	CallsMatch                         // all are in calls for which nothing is missing
	NotCompared                        // likewise, or Others wait for them, but of Call something is not recorded that may be missing
	OutsideMPI                         // the named ranks are, and Others are inside
	LeastByHistory                     // the execution history has no rank that made less progress
	NotDistinguished                   // nothing tells the ranks apart
	MayBeSatisfied                     // some of the waits may be satisfied already
	OweMessage                         // Others wait for a message of Ranks
	FurtherByHistory                   // Ranks may be meant as well, but have made more progress
	StalledBehind                      // Ranks stand still before the place of the named ones
	NotStarted                         // Others wait for Ranks to start a persistent request
	FailedToSend                       // MPI returned an error to Ranks in a call that sends, and Others wait for their message
	HoldLock                           // Ranks have a lock that Others ask for
	NewlyThere                         // Ranks are where no rank has been before
	WentPast                           // Ranks went past Call, in which Others wait, as no rank had before
	LeftOutSend                        // Ranks went on without Call, for whose message Others wait, for the first time
	CallConcurrently                   // threads of each of Ranks call collectives on On at once
	TestNothing                        // Ranks make Call again and again, and none of its requests is active
	AwaitConnection                    // Ranks wait in Call for other processes to connect
	PollMemory                         // Ranks look for what another rank writes to memory, in Call
	ReceivesNone                       // Ranks have received none of the messages that Others sent alike
	AwaitedOfNobody                    // Ranks wait for a message such as no rank has sent, and Others went to MPI_Finalize
	MayAwaitOther                      // Ranks wait for a message of Others, and one of another rank lies unreceived
	OnlyRaising                        // only Ranks are in the midst of an exception
	AtWork                             // a rank is at work inside a call
)

// OneSided are the edges that the reasons name which only one end lists.
func (d *Diagnosis) OneSided() (out []evidence.OneSided) {
	if l := d.LeastProgressed; l != nil {
		for _, r := range l.Reasons {
			out = append(out, r.OneSided...)
		}
	}
	return out
}

// Work is what a rank does inside a call that lasts.
type Work struct {
	Rank    int
	Call    string
	Lasting time.Duration // 0: it was not found to make no progress
	Doing   string        // as the record says
}
