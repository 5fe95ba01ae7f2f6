package facts

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"laggard/analysis/progress/loops"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// ErrOverlap wraps the rank that two merged blocks both hold.
var ErrOverlap = errors.New("rank in two blocks")

// Summary is what all analysis ranks need to know of all recorded ranks: the
// paper's statesSet (§4.2, steps 1 and 2) and the facts that evidence needs.
// It is a monoid; the zero value is its neutral element.
type Summary struct {
	Sizes  []Count // sizes of MPI_COMM_WORLD that ranks told of, ascending
	Facts  []Fact  // by rank
	Places []Place // the distinct positions, in their order
	Stacks []Stack // the distinct captured stacks, in their order
	// Beside are the distinct stacks of threads that do not call MPI, of ranks that wait outside MPI, in their order.
	Beside []Stack
	Raised []Raised // the distinct exceptions, in their order
	Failed []Failed // the distinct calls to which MPI returned errors, in their order
	// Unfreed are the distinct calls of which nothing freed what they made, in their order.
	Unfreed []Unfreed
	Comms   []Comm     // by ID
	Flow    loops.Flow // the union of the models
	// Outside counts ranks that are left out: started by MPI_Comm_spawn, or
	// without a rank in MPI_COMM_WORLD.
	Outside int
}

// Fact is what the analysis knows of one rank.
type Fact struct {
	Rank      int
	At        Position
	Driving   bool // a thread is in MPI and moves messages on
	Host      string
	Phase     model.Phase
	End       model.End
	Detail    int   // exit status, signal or error code
	EndTime   int64 // ns since 1970, 0 unknown
	Heartbeat int64 // ns since 1970, 0 unknown
	Quiet     bool  // it had made no progress for a while
	// Watched: a watcher on its node saw what became of the process. Stopped and Gone
	// are since when it was stopped, and when it ended; ns since 1970, 0 not seen.
	// GoneNoted: the order of these ends is certain, and how far apart they were is not.
	Watched       bool
	GoneNoted     bool
	Stopped, Gone int64
	// Still and Looking say what captured stacks show of a rank inside an MPI
	// call. A library that waits for messages looks for them here and there;
	// one that is found at the same instruction each time stands still.
	Still, Looking bool
	// MayPoll: it computes, and the stack that was captured does not show that it stands
	// still: it may sleep between two looks for a message.
	MayPoll bool
	// NoneActive: it tests again and again for any of some requests, none of which is active.
	NoneActive bool
	// LeftWorld: it has returned from MPI_Finalize, and works in a session.
	LeftWorld bool
	// PollsMemory: it goes round a loop of MPI_Win_sync, and waits for what another rank writes; who does is not known.
	PollsMemory bool
	Lasting     int64 // how long a rank that is at work inside a call has made no progress, ns; 0 unknown
	Outward     bool  // it is in a call that waits for more than other ranks: for a disk, or for processes that it starts
	Erred       bool  // MPI reported an error in the call that it is in, which did not return
	// Within: the program ended the process within the call that the rank is in, in a handler or another callback.
	Within   bool
	Off      bool // its record stopped before it did
	Evicted  bool // its message counters are not complete
	PID      int
	PIDSpace uint64 // the pid namespace in which PID counts; 0 unknown
	Waits    []Wait // of its blocked threads, the representative first
	// Wildcards are its receives with a wildcard that are not complete, in no order; those that it waits for are among them.
	Wildcards []Wildcard
	*Incident
}

// Incident is what is known of few ranks. All others share noIncident, which nothing changes: a job may have a million ranks.
type Incident struct {
	Working string // what the rank does inside a call; "" unless it was seen at work there
	Error   string // what MPI says of the error that it reported (Erred), in one line; "" unknown
	// Argument says what is wrong with an argument of the call that MPI reported an error in, or that faulted; "": nothing that is known.
	Argument string
	// FreedBy is the call that freed a handle that was given to that call; its stack has no run-time addresses. Call "": none, or it
	// is not known.
	FreedBy Call
	Buffers []Buffer // of that call, then of what was pending
	// ErrorMayFollow: as far as its class is known, that error may follow from the end of another process.
	ErrorMayFollow bool
	// ThreadsInMPI is how many threads are in MPI at once where MPI provided a thread level, ThreadLevel, that forbids it; 0: none.
	ThreadsInMPI int
	ThreadLevel  int // as in model.Rank
	// Holder is what its thread outside MPI waits for.
	Holder Holder
	// Held is a mutex of a thread in MPI for which another one waits.
	Held Held
	// How it ended, in more detail (model.Ended).
	Asked, Fatal Signal
	Ender        model.Ender
	Orphaned     bool
	EndedBy      string
	Handler      int // of Within: the signal whose handler it was; 0 unknown, or it was another callback
}

var noIncident = &Incident{}

// Call is a call of MPI.
type Call struct {
	Call  string
	Stack []model.Frame
}

// orNone is the incident, or noIncident if it is empty.
func (i *Incident) orNone() *Incident {
	nobody := i.Holder.For == model.NothingAwaited && i.Holder.TID == 0 && len(i.Held.Waits) == 0
	if i.ThreadsInMPI == 0 && i.Working == "" && i.Error == "" && i.Argument == "" && len(i.Buffers) == 0 && !i.ErrorMayFollow && nobody &&
		i.Asked == (Signal{}) && i.Fatal == (Signal{}) && i.Ender == 0 && !i.Orphaned && i.EndedBy == "" && i.Handler == 0 {
		return noIncident
	}
	return i
}

// Holder is the thread that the representative one waits for outside MPI, or the process.
type Holder struct {
	For   model.Awaited // what it waits for of that thread; nothing: the thread is only the one other in MPI
	TID   int           // the system's number of that thread, or of the process that has the lock of a file, 0 unknown
	Call  string        // the MPI function that it is in, "" none
	Stack []model.Frame // of that call; without one, where the thread is outside MPI; empty: not known
	// File is the one whose lock is waited for, and Command the name of the process that has it; "" unknown.
	File, Command string
}

// Held is a mutex that a thread has inside an MPI call, while another thread of its rank waits for it outside MPI. The stacks have no
// run-time addresses.
type Held struct {
	By    Call          // the call that its owner is in
	Waits []model.Frame // where the other thread waits, innermost first; empty: nothing is held
}

// Equal reports whether both are at the same places.
func (h *Held) Equal(o *Held) bool {
	return h.By.Call == o.By.Call && CompareFrames(h.By.Stack, o.By.Stack) == 0 && CompareFrames(h.Waits, o.Waits) == 0
}

// Signal is a signal that a rank got.
type Signal struct {
	Number int // 0: none
	Sender model.Sender
	PID    int   // of the sender, 0 unknown
	Time   int64 // ns since 1970
}

// Place is a position that ranks are in.
type Place struct {
	At    Position
	Call  string        // MPI function of the state, "" at the start
	Stack []model.Frame // of the state; without run-time addresses
}

// Stack is a stack captured in the computation that a rank is still in, inside
// the MPI call that it stands still in, or when a fatal signal arrived.
type Stack struct {
	Frames []model.Frame // innermost first, a program counter; without run-time addresses
	Fatal  bool
	Other  bool // of another thread than the representative one
	Ranks  model.RankSet
}

// Comm is a communicator as its members know it together.
type Comm struct {
	ID     uint64
	World  bool
	Window bool
	IO     bool // a file
	// Groups are its ranks of MPI_COMM_WORLD; the second is empty unless it is
	// an intercommunicator, and the first holds the smallest rank.
	Groups [2]model.RankSet
	// Order are its ranks of MPI_COMM_WORLD by rank in it, where these do not rise and a member waits for the lower ones; else nil.
	Order []int
	// Counts are the collective operations that members have begun, ascending.
	Counts []Count
	// Locks are those that members have on a window, ascending.
	Locks []Hold
}

// Hold is a lock and the ranks that have it.
type Hold struct {
	Target int // a rank of MPI_COMM_WORLD, or None: all members
	Type   model.LockType
	Ranks  model.RankSet
}

// Count is a number and the ranks that gave it.
type Count struct {
	N     uint64
	Ranks model.RankSet
}

// Question returns what a block is asked about of the merged summary: of the facts
// only those of ranks that wait for messages or neighbours. It is small where the summary
// grows with the job.
func (s *Summary) Question() Summary {
	q := Summary{Places: s.Places, Flow: s.Flow}
	for _, f := range s.Facts {
		if slices.ContainsFunc(f.Waits, asksPeers) {
			q.Facts = append(q.Facts, f)
		}
	}
	return q
}

// asksPeers reports whether a peer's counters, or its lists of neighbours, may say something of a wait.
func asksPeers(w Wait) bool {
	return slices.ContainsFunc(w.Wants, func(w Want) bool { return w.Neighbourhood || PointToPoint(w.Kind) && !w.Lost })
}

// MergeSummaries joins the summaries of two blocks. Errors wrap ErrOverlap.
func MergeSummaries(a, b Summary) (Summary, error) {
	facts := slices.Concat(a.Facts, b.Facts)
	slices.SortFunc(facts, compareFacts)
	for i := 1; i < len(facts); i++ {
		if facts[i].Rank == facts[i-1].Rank {
			return Summary{}, fmt.Errorf("progress: rank %d: %w", facts[i].Rank, ErrOverlap)
		}
	}
	return Summary{
		Sizes:   reduce.MergeSorted(a.Sizes, b.Sizes, compareCounts, joinCounts),
		Facts:   facts,
		Places:  reduce.MergeSorted(a.Places, b.Places, comparePlaces, firstOf[Place]),
		Stacks:  reduce.MergeSorted(a.Stacks, b.Stacks, compareStacks, joinStacks),
		Beside:  reduce.MergeSorted(a.Beside, b.Beside, compareStacks, joinStacks),
		Raised:  reduce.MergeSorted(a.Raised, b.Raised, compareRaised, joinRaised),
		Failed:  reduce.MergeSorted(a.Failed, b.Failed, compareFailed, joinFailed),
		Unfreed: reduce.MergeSorted(a.Unfreed, b.Unfreed, compareUnfreed, joinUnfreed),
		Comms:   reduce.MergeSorted(a.Comms, b.Comms, compareComms, joinComms),
		Flow:    loops.Merge(a.Flow, b.Flow),
		Outside: a.Outside + b.Outside,
	}, nil
}

func firstOf[T any](x, _ T) T { return x }

// comparePlaces compares contents too: should two ranks disagree on what a
// state is, both versions stay and no order of merging matters.
func comparePlaces(a, b Place) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Call, b.Call), CompareFrames(a.Stack, b.Stack))
}

func compareStacks(a, b Stack) int {
	return cmp.Or(CompareBools(a.Fatal, b.Fatal), CompareBools(a.Other, b.Other), CompareFrames(a.Frames, b.Frames))
}

func joinStacks(a, b Stack) Stack {
	a.Ranks = a.Ranks.Union(b.Ranks)
	return a
}

// CompareFrames orders stacks by their modules and offsets; 0: they are the same.
func CompareFrames(a, b []model.Frame) int {
	return slices.CompareFunc(a, b, func(x, y model.Frame) int {
		return cmp.Or(compareModules(x.Module, y.Module), cmp.Compare(x.Offset, y.Offset))
	})
}

func compareModules(a, b *model.Module) int {
	if a == nil || b == nil {
		return CompareBools(a != nil, b != nil)
	}
	return cmp.Or(cmp.Compare(a.BuildID, b.BuildID), cmp.Compare(a.Path, b.Path))
}

func compareCounts(x, y Count) int { return cmp.Compare(x.N, y.N) }

func joinCounts(x, y Count) Count { return Count{x.N, x.Ranks.Union(y.Ranks)} }

func compareComms(a, b Comm) int { return cmp.Compare(a.ID, b.ID) }

// joinComms joins what members know of one communicator. One that does not
// know the members adds only its count.
func joinComms(a, b Comm) Comm {
	a.World = a.World || b.World
	a.Window = a.Window || b.Window
	a.IO = a.IO || b.IO
	a.Groups = joinGroups(a.Groups, b.Groups)
	if slices.Compare(a.Order, b.Order) < 0 { // nearly always one has none, or both have the same
		a.Order = b.Order
	}
	a.Counts = reduce.MergeSorted(a.Counts, b.Counts, compareCounts, joinCounts)
	a.Locks = reduce.MergeSorted(a.Locks, b.Locks, compareHolds, joinHolds)
	return a
}

func compareHolds(x, y Hold) int {
	return cmp.Or(cmp.Compare(x.Target, y.Target), cmp.Compare(x.Type, y.Type))
}

func joinHolds(x, y Hold) Hold {
	x.Ranks = x.Ranks.Union(y.Ranks)
	return x
}

// joinGroups joins two views of the groups; each has the smallest rank in its
// first group, so they are in the same order.
func joinGroups(a, b [2]model.RankSet) [2]model.RankSet {
	for i := range a {
		if a[i].Len() == 0 {
			a[i] = b[i]
		} else if !a[i].Equal(b[i]) {
			a[i] = a[i].Union(b[i])
		}
	}
	return a
}

// Size returns how many ranks the run should have: the size that most ranks
// told of, the larger of equals, but no less than what was expected or seen.
func (s *Summary) Size(expected int) int {
	size, votes, most := uint64(0), 0, uint64(runfiles.CredibleRanks(len(s.Facts)))
	for _, c := range s.Sizes {
		if n := c.Ranks.Len(); n >= votes && c.N > 0 && c.N <= most {
			size, votes = c.N, n
		}
	}
	return min(max(int(size), expected, s.Bound()), model.MaxRanks)
}

// FactOf returns what is known of a rank; nil: nothing. Nearly always all ranks are there, and each is at its place.
func (s *Summary) FactOf(rank int) *Fact {
	if rank >= 0 && rank < len(s.Facts) && s.Facts[rank].Rank == rank {
		return &s.Facts[rank]
	}
	i, known := slices.BinarySearchFunc(s.Facts, rank, func(f Fact, rank int) int { return cmp.Compare(f.Rank, rank) })
	if !known {
		return nil
	}
	return &s.Facts[i]
}

// Bound is what all ranks with facts are below.
func (s *Summary) Bound() int {
	if n := len(s.Facts); n > 0 {
		return s.Facts[n-1].Rank + 1
	}
	return 0
}

// PlaceAt returns what is known of a position.
func (s *Summary) PlaceAt(p Position) Place {
	i, _ := slices.BinarySearchFunc(s.Places, p, func(x Place, at Position) int { return x.At.Compare(at) })
	if i < len(s.Places) && s.Places[i].At == p {
		return s.Places[i]
	}
	return Place{At: p}
}

// Positions returns the distinct positions of the ranks, in their order: the
// paper's statesSet.
func (s *Summary) Positions() []Position {
	var out []Position
	for _, p := range s.Places {
		if n := len(out); n == 0 || out[n-1] != p.At {
			out = append(out, p.At)
		}
	}
	return out
}
