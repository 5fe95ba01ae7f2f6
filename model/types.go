package model

import (
	"encoding/binary"
	"encoding/hex"
	"hash/fnv"
	"path"
	"slices"
	"strings"
	"time"

	"laggard/internal/lateregexp"
	"laggard/model/format"
	"laggard/model/mpi"
)

// Module is an object (program or library) that was mapped into a process, or a
// function of a Python program.
type Module struct {
	BuildID string // lower-case hex of the GNU build-id, "" if it has none
	Path    string // as the process saw it
	Base    uint64 // added to a file address gives the run-time address
	Size    uint64 // bytes mapped
}

// pythonID begins the build-id of a Module that is no file but a function of a
// Python program.
var pythonID = hex.EncodeToString([]byte(format.PythonID))

// PythonFunction returns which function of a Python program m stands for, and the file of
// its source; ok is false if m is a module. The Offset of a frame in it is a line of
// the file, 0 if it has none. Before Python 3.11 function is the plain name, else the
// qualified one.
func (m *Module) PythonFunction() (function, file string, ok bool) {
	if m == nil || !strings.HasPrefix(m.BuildID, pythonID) {
		return "", "", false
	}
	i := strings.LastIndexByte(m.Path, ':')
	return m.Path[i+1:], m.Path[:max(i, 0)], true
}

// interpreters matches the names of the modules that are the interpreter of Python.
var interpreters = lateregexp.New(`^(lib)?python(\d|\.|$)`)

// IsPython reports whether the file of a module has the name of an interpreter of Python.
func IsPython(module string) bool { return interpreters.MatchString(path.Base(module)) }

// PythonModule is the Module of a function of a Python program, as a recorder names it.
func PythonModule(file, function string) *Module {
	path := file + ":" + function
	hash := fnv.New64a()
	hash.Write([]byte(path))
	id := binary.LittleEndian.AppendUint64(nil, hash.Sum64())
	return &Module{BuildID: pythonID + hex.EncodeToString(id), Path: path}
}

// Frame is one level of a call stack: a file address in a module. Return
// addresses are kept as found on the stack.
type Frame struct {
	Module *Module // nil: no module was mapped there, Offset is the raw address
	Offset uint64
}

// StateID identifies a state by content, the MPI function and the (build-id,
// offset) stack, so that ranks, nodes and runs agree on it in spite of ASLR.
type StateID [16]byte

// State is a communication state of the Markov model: one MPI call site. The
// computation state behind it needs no name of its own: it is the part of an
// Edge between two calls, or Op.InMPI false.
//
// Ranks of one load that have the same state share one State. The modules of
// its stack tell build-id and path for all of them, but Base only for the first
// such rank; addresses in one process are made with Rank.Modules.
type State struct {
	ID      StateID
	Call    string  // MPI function, such as "MPI_Send"
	Stack   []Frame // innermost first: the caller of the MPI function
	Partial bool    // the unwinding ended before the outermost frame
	Binding mpi.Binding
}

// Samples count in which part of a state samples found the thread.
type Samples struct {
	Computing int // in the computation behind the call
	Waiting   int // inside the call, or between empty polls
}

// Edge counts the passages from one state, through the computation behind it,
// to the next one. From and To index Model.States.
type Edge struct {
	From, To int
	Count    uint64
}

// Model is the Markov model of one thread (PDI §3.1). No two of its states have
// the same ID.
type Model struct {
	States []*State
	Visits []uint64 // by state: how often it was entered, an entry in progress included
	// Samples are by state, too; nil: none were taken, or not read (see EachBatchBriefly).
	Samples []Samples
	Unfreed []Unfreed // by rising state; of a rank that runs, what is in use as well
	Edges   []Edge
}

// Kind says what a blocked or pending operation is.
type Kind uint32

// The kinds of operation.
const (
	Local      Kind = format.OpLocal
	Send       Kind = format.OpSend
	Recv       Kind = format.OpRecv
	Probe      Kind = format.OpProbe
	Collective Kind = format.OpColl
	Wait       Kind = format.OpWait    // AND over Pending
	WaitAny    Kind = format.OpWaitany // OR over Pending
	Poll       Kind = format.OpPoll    // OR over Pending; the call does not block
	Init       Kind = format.OpInit
	Finalize   Kind = format.OpFinalize
	RMA        Kind = format.OpRMA
	Other      Kind = format.OpOther
	Abort      Kind = format.OpAbort
)

// Values of a peer or a tag that name no rank and no tag.
const (
	None     = format.None
	Any      = format.Any
	ProcNull = format.ProcNull
)

// Tags of the messages as which the synchronisation of a window between some of
// its members is kept: MPI_Win_post sends one to each of its group, which
// MPI_Win_start receives; MPI_Win_complete sends one back, for MPI_Win_wait to
// receive.
const (
	TagPost     = format.TagPost
	TagComplete = format.TagComplete
)

// LockType is the kind of a lock of a window.
type LockType uint32

// The types of a lock.
const (
	Exclusive LockType = format.LockExclusive
	Shared    LockType = format.LockShared
	Either    LockType = format.LockEither // one of these: which is not known to who has the lock
)

// Pending is an operation that has been started and that the rank waits for.
type Pending struct {
	Kind Kind
	Comm int    // index into Rank.Comms, -1 unknown
	Peer int    // rank in the communicator (remote group of an intercommunicator), or None, Any, ProcNull
	Tag  int    // or None, Any, TagPost, TagComplete; for RMA the LockType that it is under or asks for, or None
	Seq  uint64 // its number on its channel or, for a collective, on its communicator; from 1, 0 unknown
	// State indexes Thread.Model.States: the call that started it; -1 unknown, or
	// one of another thread.
	State int
}

// Op is what a thread does now, or did last.
type Op struct {
	State   int  // index into Model.States; -1 before the first call
	InMPI   bool // inside the call; else in the computation behind it
	Kind    Kind
	Pending []Pending
	// Unlisted counts the operations it waits for that the record had no room for.
	Unlisted int
	// Passing: the thread was not seen inside the call for all the time in which the threads of its rank were read, one after the
	// other. So it may have left the call before another thread, which is in one too, entered it.
	Passing bool
}

// Traffic counts calls that moved bytes, and these.
type Traffic struct {
	Calls, Bytes uint64
}

// Sent is what the calls of a state sent, by their arguments: the bytes of the
// send buffers.
type Sent struct {
	State int // index into Model.States
	Traffic
	// Distance adds up, over point-to-point and one-sided calls, how far the peer
	// was away in the communicator, as on a ring.
	Distance uint64
}

// Site is a call stack below MPI, of any thread: calls of a function of the C
// library, such as "writev" on a socket, with what they sent.
type Site struct {
	Function string
	Stack    []Frame // innermost first: the caller of the function
	Partial  bool    // the unwinding ended before the outermost frame
	// Interpreter: the interpreter's own code called the function; its frames are not in Stack where
	// lines of Python stand for them.
	Interpreter bool
	Traffic
}

// Thread is one thread of a rank that called MPI.
type Thread struct {
	Index    int
	TID      int  // the system's number of the thread; a later thread may have taken over an Index
	Ended    bool // it has ended, and no other has taken over its Index; older recorders did not note it
	Model    Model
	Op       Op
	Calls    uint64 // MPI calls that are states
	Progress uint64 // of these, communicating ones that were no empty poll
	Polls    uint64 // empty polls
	Light    uint64 // MPI calls that are no states, such as MPI_Wtime
	Captured *Capture
	Raised   *Raised  // nil: none, or none that is known
	Failed   []Failed // by rising state and class
	Buffers  []Buffer // of one that died, in no order
	Sent     []Sent   // by rising state, if volume was recorded
	// FileLock is what it waited for when FileLockAwaited was captured last; nil: never, or it is not known.
	FileLock *FileLock
}

// Failed is the errors of one class that MPI returned to a state, or the one over which it ends the job.
type Failed struct {
	State int    // index into Model.States
	Class int    // as the MPI library numbers them
	Text  string // what MPI says of the first one; "" unknown
	Count uint64 // how many were returned
	Calls uint64 // of the thread, at the last one
}

// CurrentCall is the MPI function that the thread is in, "" outside MPI.
func (t *Thread) CurrentCall() string {
	if s := t.Op.State; t.Op.InMPI && s >= 0 && s < len(t.Model.States) {
		return t.Model.States[s].Call
	}
	return ""
}

// InFailedCall reports whether MPI reported an error in the call that the thread is in, and did not return.
func (t *Thread) InFailedCall() bool {
	switch t.Op.Kind {
	case Init, Finalize, Abort:
		return false
	}
	return t.capturedInCall(CaptureError) != nil
}

// EndedWithinCall is the capture of a thread that ended the process within the call that it is in, from a handler or another callback
// of the program; nil: it did not.
func (t *Thread) EndedWithinCall() *Capture {
	if t.Op.Kind == Abort {
		return nil
	}
	return t.capturedInCall(CaptureExit)
}

// capturedInCall is the capture that was made for a reason in the call that the thread is in; nil: there is none.
func (t *Thread) capturedInCall(why CaptureReason) *Capture {
	c := t.Captured
	if c != nil && c.Why == why && c.InMPI && t.Op.InMPI && c.Calls == t.Calls {
		return c
	}
	return nil
}

// FatalError is the error over which MPI ends the job in the call that the thread is in; nil: there is none, or it is not known.
func (t *Thread) FatalError() *Failed {
	for i := range t.Failed {
		if f := &t.Failed[i]; t.InFailedCall() && f.State == t.Op.State && f.Calls == t.Calls {
			return f
		}
	}
	return nil
}

// CommKind says what a Comm is. An object of MPI is of one kind alone.
type CommKind uint8

// The kinds of a Comm. Windows and files are no communicators, but they have
// members and collective operations as communicators have.
const (
	Intra  CommKind = iota // an intracommunicator other than the next two
	World                  // MPI_COMM_WORLD
	Self                   // MPI_COMM_SELF
	Inter                  // an intercommunicator
	Window                 // an RMA window over the members of Parent
	File                   // a file, opened by the members of Parent
)

// Comm is a communicator, a window or a file as one rank knows it.
type Comm struct {
	ID     uint64 // the same at all members
	Parent uint64 // 0 none
	Kind   CommKind
	// Forming: its members alone are still making it (MPI_Comm_create_group); the
	// call is the first collective on it.
	Forming bool
	Rank    int // own rank in it; -1 unknown
	// Members are the world ranks of the local group, by rank in it; -1 outside
	// MPI_COMM_WORLD; nil unknown. Ranks of one load share it: do not change it.
	Members    []int
	Remote     []int  // the same of the remote group
	Size       int    // of the local group, known even where Members is not
	RemoteSize int    // of the remote group, 0 for an intracommunicator
	Coll       uint64 // collective operations begun on it
	Freed      bool
	ToParent   bool // an intercommunicator whose remote group spawned this process
	// Spawned is when MPI_Comm_spawn had started the remote group, at its root; else zero.
	Spawned time.Time
	Place   uint32 // which of the communicators of Parent with these members it is, from 0
	// History is that of its collectives; nil where none was begun, or it has one
	// member.
	History *History
	// Neighbours is that of a communicator with a topology, else nil.
	Neighbours *Neighbours
	State      int // index into Threads[Thread].Model.States: the call that made it; -1 none
	Thread     int // index into Rank.Threads
}

// PeerGroup returns the group that the peers of an operation on the communicator are
// in, as in Members: of an intercommunicator the remote one.
func (c *Comm) PeerGroup() []int {
	if c.Kind == Inter {
		return c.Remote
	}
	return c.Members
}

// WorldRank returns the rank in MPI_COMM_WORLD of a peer, -1 if that is not known.
func (c *Comm) WorldRank(peer int) int {
	if group := c.PeerGroup(); peer >= 0 && peer < len(group) {
		return group[peer]
	}
	return -1
}

// Neighbours are the ranks, in a communicator with a topology, that the own rank
// receives from and sends to in a collective among neighbours; rising.
type Neighbours struct {
	Sources, Dests []int
}

// Lock is a lock of a window that the rank has.
type Lock struct {
	Comm   int // index into Rank.Comms
	Target int // rank in the window, or None: every member
	Type   LockType
}

// Phase is how far a rank got in the life of an MPI process.
type Phase uint32

// The phases, in order. 0: not known, the record is damaged.
const (
	Starting   Phase = format.Starting
	Running    Phase = format.Running
	Finalizing Phase = format.Finalizing
	Finalized  Phase = format.Finalized
)

// End says how a process ended, as far as it could still tell.
type End uint32

// The ways to end. NoEnd: it lives, or was killed by SIGKILL.
const (
	NoEnd     End = format.Alive
	Exited    End = format.Exited
	Signalled End = format.Signalled
	Aborted   End = format.Aborted
)

// Rank is what one process of the job left behind.
type Rank struct {
	Rank, Size   int // in MPI_COMM_WORLD; -1 unknown
	Host         string
	PID          int
	Processors   int        // on which the process could run when it started; 0 unknown
	PIDSpace     uint64     // the pid namespace in which PID counts, as its host numbers them; 0 unknown
	File         string     // name of the node file it was read from
	Slot         int        // and the slot in it
	Family       mpi.Family // "" unknown
	Library      string     // what MPI_Get_library_version says, its first line; "" unknown
	Exe          string
	Start        time.Time
	Phase        Phase
	End          End
	EndDetail    int // exit status, signal or error code; -1 unknown
	EndTime      time.Time
	Ended        // more of it
	Bad          BadArgument
	Heartbeat    time.Time
	QuietSince   time.Time // zero while it progresses
	LongestQuiet time.Duration
	Activity     // since QuietSince
	// What the watcher of the node saw of the process, if Watched: since when it was
	// stopped, and when it ended. It is not in the node file (process.Sightings).
	Watched       bool
	Stopped, Gone time.Time
	// GoneNoted: Gone is when the kernel was seen to have noted the end. So the order is certain; how far apart
	// ends were is not.
	GoneNoted   bool
	ThreadLevel int // that MPI provided: 0..3, MPI_THREAD_SINGLE to ThreadMultiple; -1 unknown
	// Spawned: MPI_Comm_spawn has started it, and Rank and Size are those in another MPI_COMM_WORLD than the
	// job's. runfiles.Index.JoinWorlds gives such processes ranks of the job, where it can.
	Spawned bool
	// World is a hash of the launcher's name for its MPI_COMM_WORLD, ParentWorld of that whose rank ParentRank was
	// the root of the MPI_Comm_spawn that started it; 0 unknown. Spawns is how often it was such a root itself.
	World, ParentWorld uint64
	ParentRank         int
	Spawns             uint32
	// Starter is a hash of the process on the node that started the ranks of its MPI job there; 0: the launcher
	// gives the job a name, World, or it is not known.
	Starter      uint64
	Off          bool     // the recorder turned itself off
	Evicted      uint64   // channels dropped, or locks, probed messages or wildcards left out, because the table was full
	LostRequests uint64   // requests not followed because the table was full
	Notes        []string // why the recorder gave something up
	Modules      []*Module
	Threads      []*Thread // in order of Index; never empty
	Comms        []*Comm
	Channels     []Channel
	Locks        []Lock
	Origins      []Origin // in no order; at most one of a channel
	Persistent   []Persistent
	Taken        []Taken    // by what wildcards took last, in no order
	Probed       []Taken    // by matched probes, and not received yet; in no order
	Wildcards    []Wildcard // in no order; none with a Count of 0
	Sites        []*Site    // if volume was recorded
	// Others are threads that did not call MPI and were in a system call while one that does waited outside of it, in no order; of
	// those with like stacks one is there. What has another time than the last capture may be out of date.
	Others []OtherThread
	// Thrown are the first format.MaxThrown exceptions of threads that did not call MPI, by time: of C++, and those of Python that ended
	// the thread or that it put into a future. Their Calls are of all threads.
	Thrown []Raised
	// Series is what the process did over time, without overlap, by rising time. The steps get longer the longer ago
	// they are; moments at which there were no samples are missing. SampleHz is how many samples a second there should be.
	Series    []Interval
	SampleHz  int
	Arguments []string // of the program, without its name, cut at 4096 bytes; nil unknown
}

// Run is a run directory that has been read.
type Run struct {
	Dir      string
	ID       uint64
	Manifest *Manifest // nil if there is none
	Ranks    []*Rank   // in order of rank; at most one per rank, the latest
	// Others are processes that are no rank of the job's MPI_COMM_WORLD: those
	// started by MPI_Comm_spawn, and those that ended before they knew their rank.
	Others []*Rank
	// Unfinished are the other MPI jobs of the recording that did not finish, by how likely each is what the user asks about: where
	// all of a run directory, or of a file, is read at once.
	Unfinished []*Run
	Problems   []Problem // what was missing or damaged
	Size       int       // of MPI_COMM_WORLD, as most ranks or the manifest say; 0 unknown
	Seen       RankSet   // ranks with data in the directory, in this load or not
}

// Jobs are the MPI jobs: the one that the run is about, and Unfinished.
func (r *Run) Jobs() []*Run { return append([]*Run{r}, r.Unfinished...) }

// Processes are those of all Jobs, ranks or not.
func (r *Run) Processes() (all []*Rank) {
	for _, job := range r.Jobs() {
		all = append(append(all, job.Ranks...), job.Others...)
	}
	return all
}

// HasSampling reports whether a rank took samples, or would have if it had run for a second.
func (r *Run) HasSampling() bool {
	return slices.ContainsFunc(r.Ranks, func(k *Rank) bool { return k.SampleHz > 0 })
}

// MissingRanks returns the ranks of MPI_COMM_WORLD that left nothing in the
// directory.
func (r *Run) MissingRanks() RankSet {
	seen, size := r.Seen.Clone(), r.Size
	for _, k := range r.Ranks {
		seen.Add(k.Rank)
		size = max(size, k.Size)
	}
	return seen.MissingBelow(size)
}

// Problem is one thing wrong with the data of a run.
type Problem struct {
	File string // name of the node file, or of the manifest
	Rank int    // -1 if it is not about one rank
	Err  error  // usually a *FormatError, which says the place too
}
