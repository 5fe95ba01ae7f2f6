package progress

import (
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// Diagnosis is what is concluded of a run, with everything its report shows but the
// names of functions and lines. Ranks are ranks of MPI_COMM_WORLD.
type Diagnosis struct {
	Algorithm string // that did the inference
	Size      int    // ranks the run should have
	// Hang says that ranks have not finished, and were not seen to move.
	Hang bool
	// Certain says that ranks can never move, whatever the others do.
	Certain bool
	// LeastProgressed is nil if the job has ended well, or if no rank is known. Of
	// a job that makes progress it is who was behind at that moment.
	LeastProgressed *LeastProgressed
	Deadlock        *Deadlock // nil: none
	Lost            []Loss
	// Failures are how the job failed although nothing hung.
	Failures []Failure
	// Ended: the job was ended from outside, and no rank had failed before; nil: it was not.
	Ended    *Ended
	Launched int // the exit status of the launcher, as `laggard run` saw it; 0: that, or it is not known
	// Unfinished are the ranks that never came to MPI_Finalize although others
	// did.
	Unfinished model.RankSet
	Off        model.RankSet // whose recording stopped before they left MPI_Finalize
	Groups     []Group       // by their smallest rank; Groups[i].ID is i
	Edges      []Edge        // by From, To, Kind; an edge from a group to itself is among its ranks
	// ProgressOrder lists the IDs of all groups, from the least to the most
	// progressed; groups in one list are not told apart.
	ProgressOrder [][]int
	// Diverged are the communicators whose members did not begin the same
	// collectives; the one that parted first comes first.
	Diverged []divergence.Divergence
	// Concurrent are collective calls that threads of one rank were in at once, of a job that hangs or failed.
	Concurrent []Concurrent
	// AboveLevel are ranks with several threads in MPI at once that should not be, of such a job.
	AboveLevel []AboveLevel
	// HeldLocks are mutexes of threads in MPI for which other threads of their ranks wait, of a job that hangs; by rank.
	HeldLocks []HeldLock
	// FileLocks are those that ranks wait for outside MPI, of such a job; by rank.
	FileLocks []evidence.FileLock
	// Taken are messages that receives with wildcards took, of channels on which ranks that hang
	// now wait in vain; by rank.
	Taken []Taken
	// AnySource are waits for several messages from any source of which some did not come, of a job that hangs.
	AnySource []AnySourceWait
	// Raised are the exceptions that ranks in Python are in the midst of.
	Raised []facts.Raised
	// ReturnedErrors are calls to which MPI returned errors, of a job that hangs or failed: those of the named ranks come first.
	ReturnedErrors []facts.Failed
	// Unfreed is what was never freed, closed or completed, of a job that has finished; of one that failed or hangs, where it was so much
	// that MPI may have had no more to give.
	Unfreed []facts.Unfreed
	// RankOrder is the same by rank, and finer: ranks of one group may wait
	// for each other.
	RankOrder   []model.RankSet
	Unrecorded  bool // no rank left a record
	LeftOut     int  // processes outside MPI_COMM_WORLD, or without a known rank
	Unordered   bool // the execution history leaves the order undefined
	OnlyNearest bool // the groups are so many that only the nearest edges are drawn
}

// Loss is a set of ranks whose process is gone or stands still.
type Loss = evidence.Loss

// Failure is a set of ranks by whose end the job failed, while no other rank waited for them.
type Failure = evidence.Failure

// Taken is a message that may have been meant for another receive.
type Taken = evidence.Taken

// AnySourceWait is a wait for several messages from any source, of which some did not come.
type AnySourceWait = evidence.AnySourceWait

// LeastProgressed is the least progressed rank, or ranks.
type LeastProgressed struct {
	Ranks  model.RankSet
	Rule   string // that decided; docs/reference/rules.md lists them
	Method string // MethodEvidence, or the name of the algorithm
	// Confidence says how much the conclusion rests on facts; see confidence.
	Confidence float64
	Reasons    []Reason
	Cause      CauseKind
	Locations  []Location // by smallest rank
	// Samples is how many looks at a running job show the ranks behind, and Behind for which share of the time; 0: it was looked at once.
	Samples int
	Behind  float64
	working bool // a rank is at work inside a call
}

// nameNoRank leaves out of a diagnosis that ranks are least progressed.
func (d *Diagnosis) nameNoRank() {
	d.LeastProgressed = nil
	for i := range d.Groups {
		d.Groups[i].Least = false
	}
}

// MethodEvidence is the method of a conclusion from evidence alone.
const MethodEvidence = "evidence"

// Location is where some of the least progressed ranks are.
type Location struct {
	Ranks model.RankSet
	Call  string // the MPI function they are in; "" in computation
	After string // in computation: the MPI function they called last, "" none
	// Stack is innermost first. Its modules have no addresses: only build-id
	// and path.
	Stack []model.Frame
	// Captured says that Stack was taken where the rank stands, in the
	// computation or inside the call, and starts with a program counter. Else it
	// is that of the call, all return addresses.
	Captured bool
	// CallStack is the stack of the call that they are in, where Stack was captured inside it; nil otherwise.
	CallStack []model.Frame
	// Other: Stack is of another thread, in which a fatal signal arrived.
	Other bool
	Ended bool // their processes ended there
	// Holder is the thread that the first of the ranks waits for in computation.
	Holder facts.Holder
	// Beside are the stacks of other threads of some of the ranks, which do not call MPI and wait as well.
	Beside []facts.Stack
}

// StateKind says what a group's state is.
type StateKind string

// The kinds of state. Unknown: there is no record.
const (
	Communication StateKind = "communication"
	Computation   StateKind = "computation"
	Unknown       StateKind = "unknown"
)

// Group is a set of ranks at one position with the same role.
type Group struct {
	ID       int
	Ranks    model.RankSet
	Kind     StateKind
	Call     string        // MPI function of the state, "" before the first call or unknown
	Stack    []model.Frame // of the state, as in Location
	Isolated bool          // it is a single rank (the paper's isolation, §5.2)
	Least    bool          // its ranks are least progressed
}

// GroupOf returns the group of a rank; nil: it is in none.
func (d *Diagnosis) GroupOf(rank int) *Group {
	i := slices.IndexFunc(d.Groups, func(g Group) bool { return g.Ranks.Contains(rank) })
	if i < 0 {
		return nil
	}
	return &d.Groups[i]
}

// EdgeKind tells how an edge is known.
type EdgeKind string

// The kinds of edge: two of evidence, two of inference.
const (
	EdgeCollective            = EdgeKind(evidence.Collective)
	EdgePointToPoint          = EdgeKind(evidence.PointToPoint)
	EdgeInferred     EdgeKind = "inferred"
	EdgeUndefined    EdgeKind = "undefined"
)

// Edge says that ranks of one group wait for ranks of another. The ends of an
// undefined edge are in no order.
type Edge struct {
	From, To int // group IDs
	Kind     EdgeKind
	Weak     bool // evidence that may be satisfied already
	// Example is why one of the ranks waits; nil: the edge is inferred. More others wait likewise, and Unlike others
	// only in calls, on communicators, or with tags that differ from it.
	Example  *evidence.Explanation
	More     int
	Unlike   int
	Inferred inference.Why
}

// Deadlock is a set of ranks of which none can ever move, whatever the others
// do.
type Deadlock struct {
	// Cycles are disjoint, in the order of the rank with which each starts. Where
	// every rank waits for exactly one other the ranks come in that order; in a
	// knot they ascend. Where a deadlock has a root that is a part of it, the
	// cycle is a shortest one through the root; other ranks wait for these.
	Cycles [][]int
	// Certain is false if buffering may have satisfied one of the waits.
	Certain bool
}
