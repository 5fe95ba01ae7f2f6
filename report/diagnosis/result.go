package diagnosis

import (
	"time"

	"laggard/analysis/progress"
	"laggard/report"
	"laggard/report/compare"
	"laggard/report/slice"
	"laggard/report/usage"
)

// Result is the diagnosis of a run. Its JSON form is a contract with scripts. Apart from Analysis it depends on the run
// directory alone.
type Result struct {
	SchemaVersion int        `json:"schema_version"`     // version of this JSON form
	Run           report.Run `json:"run"`                // the run that was analysed
	Ranks         int        `json:"ranks"`              // of the job, with those of spawned; 0: unknown
	Hang          bool       `json:"hang"`               // ranks have not finished, and none was seen to make progress
	Ending        bool       `json:"-"`                  // who asks ends the job behind the diagnosis
	Ended         *Ended     `json:"ended,omitempty"`    // how the job was ended from outside; absent: it was not
	Running       bool       `json:"running"`            // the job was making progress when it was last observed
	Progress      *Progress  `json:"progress,omitempty"` // how a running job progresses; absent: it does not run
	Speed         *Speed     `json:"speed,omitempty"`    // how the speed of a job developed that was ended or hangs; absent: unknown
	// processes that MPI_Comm_spawn started, which have ranks of the job behind those of the first MPI_COMM_WORLD
	Spawned []Spawned `json:"spawned,omitempty"`
	// how the job failed although nothing hung: ranks that ended by themselves while no other rank waited for them
	Failures        []Loss           `json:"failures,omitempty"`
	LeastProgressed *LeastProgressed `json:"least_progressed"` // the answer; null: no rank is named
	Deadlock        Deadlock         `json:"deadlock"`         // the deadlocks found
	Cause           *Cause           `json:"cause"`            // what the job hangs on; null: no hang, or no rank is named
	// collectives that the ranks did not begin alike, the earliest first
	Divergences []Divergence `json:"divergences,omitempty"`
	// messages that ranks wait for and that were not sent, or in whose receive MPI reported an error
	Unsent []Unsent `json:"unsent,omitempty"`
	// calls that ranks of a Python program went past, for which others wait
	Passed []Passed `json:"passed,omitempty"`
	// collective calls that several threads of a rank were in at once
	Concurrent []Concurrent `json:"concurrent,omitempty"`
	// threads of a rank that were in MPI at once, although the thread level forbids it
	AboveLevel []AboveLevel `json:"above_level,omitempty"`
	// mutexes that threads hold inside MPI calls, while other threads of their ranks wait for them
	HeldLocks []HeldLock `json:"held_locks,omitempty"`
	// locks of files that ranks wait for outside MPI
	FileLocks []FileLock `json:"file_locks,omitempty"`
	// waits in collectives among neighbours for ranks that do not list the waiting rank
	OneSided []OneSided `json:"one_sided,omitempty"`
	// persistent requests for messages that ranks wait for, which were not started
	Inactive []Inactive `json:"inactive,omitempty"`
	// receives that ranks never made, for which others wait in sends
	Unposted []Unposted `json:"unposted,omitempty"`
	// ranks that others left out of their epochs of a window
	Excluded []Excluded `json:"excluded,omitempty"`
	// the communicators, windows and files that texts name by the calls that made them
	NamedComms []NamedComm `json:"named_comms,omitempty"`
	// messages that another wildcard receive may have taken by mistake
	Taken []Taken `json:"taken,omitempty"`
	// waits for several messages from any source, of which some did not come
	AnySourceWaits []AnySourceWait `json:"any_source_waits,omitempty"`
	Against        *Against        `json:"against,omitempty"` // comparison with good runs; absent: none was named
	// how the ranks differ, where the evidence does not distinguish them
	Differences []Difference   `json:"differences,omitempty"`
	Explained   *usage.Finding `json:"explained,omitempty"` // the finding of laggard usage that explains the hang
	// exceptions of Python or C++ that ranks are handling or threw last
	Exceptions []Exception `json:"exceptions,omitempty"`
	// errors that MPI returned to the program, of a job that hangs or failed; those of the named ranks come first
	ReturnedErrors []ReturnedError `json:"returned_errors,omitempty"`
	// what was never freed, closed or completed, see docs/manual/diagnosis.md#what-was-never-freed: of a job that
	// finished, those of calls that left three or more in a rank, and every file; of another job, those of calls that left 256 or more
	Unfreed []Unfreed `json:"unfreed,omitempty"`
	// what the ranks do inside the MPI library, where all calls match and nothing moves
	Library *Library `json:"library,omitempty"`
	// ranks whose process is gone or stopped, or that left no record
	LostRanks    []int  `json:"lost_ranks"`
	Losses       []Loss `json:"losses"`        // why the lost ranks are lost
	DamagedRanks []int  `json:"damaged_ranks"` // ranks whose record could not be read completely
	// ranks whose recording stopped before they left MPI_Finalize, as on a full disk: what they did later is not known; "": none
	RecordingStopped string `json:"recording_stopped,omitempty"`
	// ranks that left MPI_Finalize and whose process, on the host of the diagnosis, has not ended; "": none
	RemainingProcesses string `json:"remaining_processes,omitempty"`
	// directory on each node in which the files of ranks without a record may still be (live_dir); absent: no reason to think so
	UncollectedDir string `json:"uncollected_dir,omitempty"`
	// exit status of the launcher, as laggard run saw it; absent: 0, or unknown
	LauncherStatus  int   `json:"launcher_status,omitempty"`
	UnfinishedRanks []int `json:"unfinished_ranks"` // ranks that did not reach MPI_Finalize although others did
	// ranks in the same state with the same role: the nodes of the progress dependence graph
	Groups        []Group `json:"groups"`
	Edges         []Edge  `json:"edges"`          // which group waits for which: the edges of the graph
	ProgressOrder [][]int `json:"progress_order"` // levels of group IDs, least progressed first
	// levels of rank sets, least progressed first; finer than progress_order
	RankOrder []string `json:"rank_order"`
	// remarks on the run and the diagnosis, see docs/reference/notes.md#diagnosis
	Notes []string `json:"notes"`
	// what was missing or damaged in the data, see docs/reference/notes.md#damaged-data
	Problems []string `json:"problems"`
	// source lines that may have led there; absent with --no-slice
	Slices   []slice.Slice `json:"slices,omitempty"`
	Analysis Analysis      `json:"analysis"` // how the analysis ran; differs from one analysis to the next
	Extra    Extra         `json:"-"`        // for the page
}

// LeastProgressed is the answer: the ranks that the others ultimately wait for.
type LeastProgressed struct {
	Ranks      []int      `json:"ranks"`      // the ranks
	Set        string     `json:"set"`        // the same as a rank set
	Rule       string     `json:"rule"`       // the rule that decided, see docs/reference/rules.md#rules
	Method     string     `json:"method"`     // evidence, or the algorithm that decided: loop-aware or pdi
	Confidence float64    `json:"confidence"` // 0 to 1, see docs/manual/diagnosis.md#confidence
	Reason     string     `json:"reason"`     // why, in words
	Locations  []Location `json:"locations"`  // where these ranks are, one entry for each place
}

// Ended is how a job that did not finish was ended from outside.
type Ended struct {
	By     string    `json:"by"`               // signal, launcher, parent, alarm, launcher_gone or killed_together
	Signal string    `json:"signal,omitempty"` // name of the signal
	Time   time.Time `json:"time"`             // when
	Sender string    `json:"sender,omitempty"` // who sent the signal, or to whom it was sent, as far as known
	// the ranks that received it; absent: the launcher or all ranks did
	Ranks string `json:"ranks,omitempty"`
}

// Progress is how a running job progresses.
type Progress struct {
	SecondsSince        float64 `json:"seconds_since"`         // since a rank was last seen to make progress; 0: just now
	IterationsPerSecond float64 `json:"iterations_per_second"` // of the outermost loop; 0: unknown
}

// Cause is what the job hangs on.
type Cause struct {
	Kind  string `json:"kind"`  // one of the kinds in docs/manual/diagnosis.md#cause
	Ranks string `json:"ranks"` // the ranks at fault
	Text  string `json:"text"`  // one sentence
}

// Location is where a least-progressed rank is. The site is the frame to look at first.
type Location struct {
	Rank  int    `json:"rank"`  // one of the ranks at this place, whose stack is shown
	Ranks string `json:"ranks"` // all ranks at this place
	report.Site
	InMPI *string `json:"in_mpi"` // MPI function the rank is in; null: it computes
	After string  `json:"after"`  // while it computes: the last MPI function called
	// the stack was captured while the rank stood still; otherwise it is that of its last MPI call
	Captured bool `json:"captured"`
	// while it computes: what the thread waits for, such as lock, thread, sleep or read
	WaitsFor string `json:"waits_for,omitempty"`
	// the thread of the rank that has the lock that it waits for, or that it joins, or which it may wait for; absent: unknown
	Holder *Holder `json:"holder,omitempty"`
	// threads of these ranks that do not call MPI, while it waits for another thread: they wait as well, or are in Python
	Beside []ThreadPlace `json:"beside,omitempty"`
	// a fatal signal arrived in another thread than the one that calls MPI, whose stack this is
	OtherThread bool           `json:"other_thread,omitempty"`
	Ended       bool           `json:"ended,omitempty"`     // the process ended there
	Within      string         `json:"within,omitempty"`    // import or destructor, in Python: how the place was reached
	Stack       []report.Frame `json:"stack"`               // the call stack, innermost frame first
	Host        string         `json:"host"`                // name of the node
	PID         int            `json:"pid"`                 // process ID
	Contained   bool           `json:"contained,omitempty"` // pid is the number inside a container
	Alive       bool           `json:"alive"`               // the process existed when the run was diagnosed, as far as known
	Since       *time.Time     `json:"since"`               // no progress since then; null: unknown
}

// ThreadPlace is where a thread that does not call MPI waits. The site is the frame to look at first.
type ThreadPlace struct {
	Ranks string `json:"ranks"` // those of the place that have such a thread
	report.Site
	WaitsFor string         `json:"waits_for,omitempty"` // what it waits for, such as lock, thread or openmp
	Stack    []report.Frame `json:"stack"`               // the call stack, innermost frame first
}

// Holder is a thread that another thread of its rank waits for. The site is that of its MPI call, or where it is outside MPI.
type Holder struct {
	Thread int `json:"thread"` // the system's number of the thread
	report.Site
	InMPI    *string `json:"in_mpi"`              // MPI function that it is in; null: none
	WaitsFor string  `json:"waits_for,omitempty"` // what it waits for outside MPI, such as lock, thread or sleep
	Ended    bool    `json:"ended,omitempty"`     // it ended without unlocking the mutex
	// it is the only other thread of the rank in MPI; that it is waited for is not known
	Assumed bool `json:"assumed,omitempty"`
}

// Exception is an exception that ranks are handling or threw last. The site is where it was raised.
type Exception struct {
	Ranks string `json:"ranks"` // the ranks that have it
	Type  string `json:"type"`  // type of the exception
	// handled, raised or uncaught in Python; ended_thread: nothing caught it in a thread; in_future: a thread put it into a future; thrown
	// in C++; fatal: an error or a statement by which a run-time library ends it
	State string `json:"state"`
	Text  string `json:"text"`                   // what it says on the first of the ranks; "" if that is not known
	Ended bool   `json:"thread_ended,omitempty"` // the thread that threw it has ended
	// the thread that threw it does not call MPI
	Elsewhere bool `json:"elsewhere,omitempty"`
	report.Site
	Stack []report.Frame `json:"stack"` // frames it passed through, innermost first
}

// Deadlock is the cycles and knots of ranks of which none can ever continue.
type Deadlock struct {
	// each a list of ranks that wait for one another in a cycle or knot
	Cycles [][]int `json:"cycles"`
}

// Loss is a set of ranks whose process is gone or stopped.
type Loss struct {
	Ranks  string `json:"ranks"`  // the ranks
	Reason string `json:"reason"` // why they are lost, in words, see docs/reference/notes.md#reasons-of-losses
	// they ended by themselves: an exit, an abort or a fault; the reason then says what they did
	Acted bool `json:"by_itself"`
	// the status with which a process that recorded no end probably exited, as that of the launcher tells; absent: unknown
	Status int `json:"exit_status,omitempty"`
	// MPI ended the job over an error of the call that the ranks are in
	Erred bool `json:"mpi_error,omitempty"`
	// what MPI says of that error, and what is wrong with an argument; "" unknown
	Error string `json:"mpi_error_text,omitempty"`
	// what is wrong with an argument of the MPI call in which the ranks died of a fault; "" nothing that is known
	Argument string `json:"argument,omitempty"`
	// the buffers of that call, and of operations that were pending, with which something is wrong
	Buffers []Buffer `json:"buffers,omitempty"`
	// the call that freed a handle which was an argument of that call, and its line
	FreedBy string `json:"freed_by,omitempty"`
}

// Group is a set of ranks in the same state with the same role.
type Group struct {
	ID       int    `json:"id"`               // number of the group, used by edges and progress_order
	Ranks    string `json:"ranks"`            // its ranks
	Count    int    `json:"count"`            // number of ranks
	State    State  `json:"state"`            // what they do
	Isolated bool   `json:"isolated"`         // the group is a single rank
	Least    bool   `json:"least_progressed"` // least progressed
}

// State is a node of the progress dependence graph.
type State struct {
	Kind  string         `json:"kind"`  // communication, computation or unknown
	MPI   string         `json:"mpi"`   // MPI function the ranks are in, or called last
	Stack []report.Frame `json:"stack"` // the call stack, innermost frame first
}

// Edge is a wait of one group for another.
type Edge struct {
	From   int    `json:"from"`   // ID of the group that waits
	To     int    `json:"to"`     // ID of the group it waits for; the same as from: its ranks wait for one another
	Kind   string `json:"kind"`   // collective, which a lock is too, p2p, inferred or undefined
	Weak   bool   `json:"weak"`   // the wait may be satisfied already
	Reason string `json:"reason"` // why, in words
}

// Against is what the run did otherwise than good ones.
type Against struct {
	Good []report.Run `json:"good"` // the good runs
	// the diagnosis has no evidence that distinguishes the ranks: the first difference is the first evidence
	FirstEvidence bool `json:"first_evidence"`
	compare.Comparison
}

// Analysis is how the result was made.
type Analysis struct {
	Algorithm string             `json:"algorithm"`                 // loop-aware or pdi
	Ranks     int                `json:"ranks"`                     // number of analysis ranks
	Rounds    int                `json:"rounds"`                    // rounds of one pass over the binomial tree
	Bytes     int64              `json:"bytes"`                     // bytes sent and received by analysis rank 0
	PerRound  []int64            `json:"bytes_per_round,omitempty"` // the same, by round
	Seconds   map[string]float64 `json:"seconds"`                   // duration of each phase: load, build_pdg, find_lp, output
}

// NewAnalysis says how a result was made.
func NewAnalysis(r *progress.Result) Analysis {
	return Analysis{
		Algorithm: r.Algorithm, Ranks: r.Analysts, Rounds: r.Stats.Rounds(), Bytes: r.Stats.Bytes(),
		PerRound: r.Stats.PerRound(), Seconds: r.Seconds,
	}
}
