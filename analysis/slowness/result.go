package slowness

import (
	"time"

	"laggard/model"
)

// Result is how fast a job runs, and why it is slower than it was.
type Result struct {
	Begin, End time.Time     // of the samples, of all ranks together; zero: there are none
	Size       int           // of MPI_COMM_WORLD
	Sampled    model.RankSet // ranks with samples
	// Rate is in iterations per second, that of the median rank; 0 unknown.
	Rate Rate
	// Compared is the time, the latest, in which a change of speed would have been noticed: all of it was spent in the same loop. 0:
	// it is too short yet.
	Compared time.Duration
	// Ranks are those of Sampled, by rising rank.
	Ranks []RankSpeed
	// Events are slowdowns and recoveries, in order of time.
	Events []Event
	// Imbalance is what ranks that compute longer than others cost since the job began; nil unknown.
	Imbalance *Imbalance
	Problems  []model.Problem // what was missing or damaged
}

// Rate is a speed now, over the latest 10 to 60 s, and before: over the time in which the same loop ran at its usual speed.
type Rate struct {
	Now, Before float64 // iterations per second; 0 unknown
}

// Shares are parts of a length of time, 0 to 1.
type Shares struct {
	Computing float64 // outside MPI
	Waiting   float64 // inside an MPI call, or between polls that found nothing
	IO        float64 // in MPI-IO, or asleep on a disk
	Absent    float64 // there were no samples: the process was stopped, or had no processor at all
	// Starved is the time in which the thread would have run but had no processor. It is a part of the others.
	Starved float64
}

// RankSpeed is what one rank does.
type RankSpeed struct {
	Rank   int
	Host   string
	Latest time.Time // end of its latest samples
	Now    Shares    // over its latest 10 s
	Before Shares    // over the time in which the same loop ran at its usual speed; zero unknown
	Rate   Rate
	// ComputingRatio is the time that it computes in an iteration, now over before; 0 unknown.
	ComputingRatio float64
	// Place is the state that was sampled most lately, the call or the computation behind it; nil unknown. InMPI says which.
	Place *model.State
	InMPI bool
	// WaitsFor is the world rank that it waited for most lately; -1 none, several, or unknown.
	WaitsFor int
}

// Event is a moment from which the job or some ranks were slower, or as fast as before again.
type Event struct {
	Kind    EventKind
	Begin   time.Time // the estimate of when it changed
	Noticed time.Time // the samples up to then showed it
	Cause   Cause     // of a Slowdown
	// Ranks are those at which the cause lies; empty: none can be named. Hosts are the nodes that they are on, in order.
	Ranks model.RankSet
	Hosts []string
	// ComputingRatio is the time that Ranks compute in an iteration, over that before: the median of them; 0 unknown.
	ComputingRatio float64
	Rate           Rate   // of the job, at the time
	Before, Now    Shares // of Ranks, or if there are none of all ranks: the median
	// Evidence says more of a node: what it lacks. "" nothing.
	Evidence   Lack
	Place      *model.State // where Ranks are most, in the computation behind it or, of a link, in the call; nil unknown
	Confidence float64      // that Cause and Ranks are right, 0 to 1
}

// EventKind says what an Event is.
type EventKind string

// The kinds of event.
const (
	Slowdown EventKind = "slowdown"
	Recovery EventKind = "recovery"
	// Settled: a slower speed of the job counts as its usual one by now, or Ranks do as is usual for them by now.
	Settled EventKind = "settled"
	// OtherLoop: the job is in another loop, of which it is not known whether it is slower.
	OtherLoop EventKind = "other_loop"
)

// Cause says why ranks became slower.
type Cause string

// The causes.
const (
	RankComputes Cause = "rank"    // some ranks compute longer in an iteration, and have their processors
	NodeSlow     Cause = "node"    // all ranks of some nodes, or a rank that others take the processor from
	MachineSlow  Cause = "machine" // all nodes
	// LinkSlow: ranks wait longer, and nobody computes longer on average, with as many calls. That is the network or the MPI library, or
	// the ranks send more data, or one after the other is late.
	LinkSlow   Cause = "link"
	IOSlow     Cause = "io"      // ranks wait for files
	AllCompute Cause = "program" // all ranks compute longer, and nothing says that the machine is slower
	Unclear    Cause = "unclear"
)

// Lack is what a slow node lacks.
type Lack string

// What a node can lack.
const (
	NoProcessor Lack = "cpu"    // its processes wait for processors
	NoMemory    Lack = "memory" // pages are read from disk
	SlowClock   Lack = "clock"  // the processors run slower than before
)

// Imbalance is what it costs that ranks compute for different times while others wait for them.
type Imbalance struct {
	// Cost is the part of the run that all ranks together would be faster by, if each computed as long as the mean, 0 to 1.
	Cost float64
	// Starved are the ranks that lack a processor, if that may explain more than half of Cost, and StarvedShare is for which part of the
	// time they do, 0 to 1: they need not have more work than others.
	Starved      model.RankSet
	StarvedShare float64
	// Sites are where that arises, the most expensive first.
	Sites []ImbalancedSite
}

// ImbalancedSite is a call and the computation behind it.
type ImbalancedSite struct {
	State   *model.State
	Cost    float64       // its part of Imbalance.Cost
	Most    model.RankSet // the ranks that compute longest there
	Mean    float64       // the part of the run that a rank computes there, 0 to 1
	Longest float64       // the same of Most
}

// leastAlert is the confidence from which on a slowdown is told without being asked for.
const leastAlert = 0.5

// IsAlert reports whether a user should be told of the event at once: its cause is known, and it is none of the program's own doing.
func (e *Event) IsAlert() bool {
	switch e.Cause {
	case RankComputes, NodeSlow, MachineSlow, LinkSlow, IOSlow:
		return e.Kind == Slowdown && e.Confidence > leastAlert
	}
	return false
}
