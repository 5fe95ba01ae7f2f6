package diagnosis

import (
	"time"

	"laggard/analysis/progress"
	"laggard/report"
	"laggard/report/slice"
	"laggard/report/usage"
)

// Result is the diagnosis of a run as the user gets it. Its JSON form is the
// contract with scripts. All of it but Analysis depends on the run directory
// alone.
type Result struct {
	SchemaVersion   int              `json:"schema_version"`
	Run             report.Run       `json:"run"`
	Ranks           int              `json:"ranks"` // of MPI_COMM_WORLD, 0 unknown
	Hang            bool             `json:"hang"`
	Running         bool             `json:"running"`          // it made progress when it was looked at
	LeastProgressed *LeastProgressed `json:"least_progressed"` // null: none
	Deadlock        Deadlock         `json:"deadlock"`
	Cause           *Cause           `json:"cause"`                 // null: there is no hang, or nobody is named
	Divergences     []Divergence     `json:"divergences,omitempty"` // the one that began first comes first
	Taken           []Taken          `json:"taken,omitempty"`       // messages that went to another receive, perhaps by mistake
	Differences     []Difference     `json:"differences,omitempty"` // where nothing tells ranks apart
	Explained       *usage.Finding   `json:"explained,omitempty"`   // the wrong use of MPI that explains the hang
	Exceptions      []Exception      `json:"exceptions,omitempty"`  // of ranks in Python
	Library         *Library         `json:"library,omitempty"`     // where all calls match and nothing moves
	LostRanks       []int            `json:"lost_ranks"`
	Losses          []Loss           `json:"losses"` // why the lost ranks are lost
	DamagedRanks    []int            `json:"damaged_ranks"`
	UnfinishedRanks []int            `json:"unfinished_ranks"`
	Groups          []Group          `json:"groups"`
	Edges           []Edge           `json:"edges"`
	ProgressOrder   [][]int          `json:"progress_order"` // group ids, least progressed first
	RankOrder       []string         `json:"rank_order"`     // the same by rank sets, and finer
	Notes           []string         `json:"notes"`
	Problems        []string         `json:"problems"` // what was missing or damaged in the data
	Slices          []slice.Slice    `json:"slices,omitempty"`
	Analysis        Analysis         `json:"analysis"`
	Extra           Extra            `json:"-"` // for the page
}

// LeastProgressed is the answer: the ranks the others wait for in the end.
type LeastProgressed struct {
	Ranks      []int      `json:"ranks"`
	Set        string     `json:"set"` // the same as "0-3,7"
	Method     string     `json:"method"`
	Confidence float64    `json:"confidence"` // 0 to 1, see docs/diagnosis.md
	Reason     string     `json:"reason"`
	Locations  []Location `json:"locations"`
}

// Cause says what the job hangs on.
type Cause struct {
	Kind  string `json:"kind"` // see docs/diagnosis.md
	Ranks string `json:"ranks"`
	Text  string `json:"text"` // one sentence
}

// Location is where a least-progressed rank is. Function, file and line are
// those of the frame to look at first; Stack has all.
type Location struct {
	Rank  int    `json:"rank"`
	Ranks string `json:"ranks"` // all that are there
	report.Site
	InMPI     *string        `json:"in_mpi"` // MPI function, null in computation
	After     string         `json:"after"`  // in computation: the last MPI function
	Captured  bool           `json:"captured"`
	WaitsFor  string         `json:"waits_for,omitempty"` // in computation: a key of outside.Waits
	Within    string         `json:"within,omitempty"`    // "import" or "destructor", of Python
	Stack     []report.Frame `json:"stack"`
	Host      string         `json:"host"`
	PID       int            `json:"pid"`
	Contained bool           `json:"contained,omitempty"` // PID is its number inside a container
	Since     *time.Time     `json:"since"`               // no progress since then; null unknown
}

// Exception is one of Python that ranks are in the midst of. The place is where it was
// raised; Stack are the frames that it came through, innermost first.
type Exception struct {
	Ranks string `json:"ranks"`
	Type  string `json:"type"`
	State string `json:"state"` // handled, raised or uncaught; of C++ thrown
	report.Site
	Stack []report.Frame `json:"stack"`
}

// Deadlock lists the cycles and knots of ranks none of which can go on.
type Deadlock struct {
	Cycles [][]int `json:"cycles"`
}

// Loss is a set of ranks whose process is gone or stands still.
type Loss struct {
	Ranks  string `json:"ranks"`
	Reason string `json:"reason"`
}

// Group is a set of ranks in the same state with the same role.
type Group struct {
	ID       int    `json:"id"`
	Ranks    string `json:"ranks"`
	Count    int    `json:"count"`
	State    State  `json:"state"`
	Isolated bool   `json:"isolated"`
	Least    bool   `json:"least_progressed"`
}

// State is a node of the progress dependence graph.
type State struct {
	Kind  string         `json:"kind"` // communication, computation or unknown
	MPI   string         `json:"mpi"`  // the MPI function they are in, or called last
	Stack []report.Frame `json:"stack"`
}

// Edge says that ranks of group From wait for ranks of group To.
type Edge struct {
	From   int    `json:"from"`
	To     int    `json:"to"`
	Kind   string `json:"kind"` // collective, p2p, inferred or undefined
	Weak   bool   `json:"weak"` // evidence that may be satisfied already
	Reason string `json:"reason"`
}

// Analysis says how the result was made; it differs from one analysis of a run
// to the next.
type Analysis struct {
	Algorithm string             `json:"algorithm"`
	Ranks     int                `json:"ranks"`
	Rounds    int                `json:"rounds"`                    // of one pass over the binomial tree
	Bytes     int64              `json:"bytes"`                     // sent and received by analysis rank 0
	PerRound  []int64            `json:"bytes_per_round,omitempty"` // of these, by round
	Seconds   map[string]float64 `json:"seconds"`
}

// NewAnalysis says how a result was made.
func NewAnalysis(r *progress.Result) Analysis {
	return Analysis{
		Algorithm: r.Algorithm, Ranks: r.Analysts, Rounds: r.Stats.Rounds(), Bytes: r.Stats.Bytes(),
		PerRound: r.Stats.PerRound(), Seconds: r.Seconds,
	}
}
