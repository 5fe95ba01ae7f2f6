package report

import (
	"encoding/json"
	"io"
)

// Movement is what an analysis of data movements found, as the user gets it. Its
// JSON form is the contract with scripts.
type Movement struct {
	SchemaVersion int                 `json:"schema_version"`
	Run           Run                 `json:"run"`
	Ranks         string              `json:"ranks"`  // that were looked at
	Chains        uint64              `json:"chains"` // that begin there
	Groups        int                 `json:"groups"` // kinds of these
	Links         MovementLinks       `json:"links"`
	Training      int                 `json:"training"` // good runs that it was compared with
	Invariants    []MovementInvariant `json:"invariants"`
	Violations    []MovementViolation `json:"violations"` // the most suspicious first
	Pruned        int                 `json:"pruned"`     // left out because good runs have them
	Outliers      []MovementOutlier   `json:"outliers"`   // the farthest first
	Distances     MovementDistances   `json:"distances"`
	Notes         []string            `json:"notes"`
	Problems      []string            `json:"problems"`
	shares        []groupShare        // for the page
}

// MovementLinks says how data were followed from rank to rank.
type MovementLinks struct {
	Sends       uint64 `json:"sends"`
	LinkedSends uint64 `json:"linked_sends"` // that met a receive
	Recvs       uint64 `json:"receives"`
	LinkedRecvs uint64 `json:"linked_receives"`
	Bytes       uint64 `json:"bytes"`
	LinkedBytes uint64 `json:"linked_bytes"`
	Connections int    `json:"connections"`   // between ranks
	ByMessage   int    `json:"message_pairs"` // pairs of ranks followed by the messages of MPI
	Shortened   uint64 `json:"shortened"`     // chains not followed to their end
}

// MovementPlace is a call that allocates, copies or transfers.
type MovementPlace struct {
	Call     string  `json:"call"` // such as "memcpy", "writev", "MPI_Send"
	Function string  `json:"function"`
	File     string  `json:"file"`
	Line     int     `json:"line"`
	Module   string  `json:"module"`
	Offset   string  `json:"offset"`
	Stack    []Frame `json:"stack"` // one with which it was called, innermost frame first
}

// MovementOperation is one step of a chain.
type MovementOperation struct {
	Kind    string         `json:"kind"`    // copy, pack, network
	Weight  float64        `json:"weight"`  // its uniqueness
	At      *MovementPlace `json:"at"`      // the call; of a transfer, the sending one; null: not there
	Partner *MovementPlace `json:"partner"` // of a transfer, the receiving call
	Source  *MovementPlace `json:"source"`  // where the buffer was allocated that is read; null: not seen, such as static memory
	Dest    *MovementPlace `json:"dest"`    // that is written
}

// MovementChain is a kind of chain.
type MovementChain struct {
	Count      uint64              `json:"count"`
	Uniqueness float64             `json:"uniqueness"`
	Operations []MovementOperation `json:"operations"`
}

// MovementInvariant is a frequent chain.
type MovementInvariant struct {
	MovementChain
	Share float64 `json:"share"` // among the chains that are unique enough
}

// MovementLocation is a call site that a finding is about.
type MovementLocation struct {
	Role     string `json:"role"` // missing: the invariant has it, the chain lacks it; chain; allocation
	Rank     int    `json:"rank"`
	Function string `json:"function"`
	File     string `json:"file"`
	Line     int    `json:"line"`
	Call     string `json:"call"`
}

// MovementViolation is a rare chain that is much like a frequent one.
type MovementViolation struct {
	Chain          MovementChain       `json:"chain"`
	Invariant      int                 `json:"invariant"` // index into Invariants
	Similarity     float64             `json:"similarity"`
	Rareness       float64             `json:"rareness"`
	Abnormality    float64             `json:"abnormality"`
	Evidence       float64             `json:"evidence"` // how far what is missing is found nearby more often than elsewhere, at least
	ContextMatches int                 `json:"context_matches"`
	Completions    int                 `json:"completions"`
	Instances      int                 `json:"instances"`
	Edge           int                 `json:"edge"` // instances before the first, or behind the last, of the usual chains of their rank
	Ranks          string              `json:"ranks"`
	Matched        [3]int              `json:"matched"` // in common: from here in the chain, from here in the invariant, so many operations
	Missing        []MovementOperation `json:"missing"`
	Locations      []MovementLocation  `json:"locations"`
	Examples       []MovementExample   `json:"examples"`
}

// MovementExample is one chain of a violation.
type MovementExample struct {
	Rank   int   `json:"rank"`
	Event  int64 `json:"event"`   // its last operation among the events of the rank, from 1
	UnixNS int64 `json:"unix_ns"` // when that was
}

// MovementOutlier is a rank whose chains are distributed unlike its peers'.
type MovementOutlier struct {
	Rank        int                `json:"rank"`
	DistanceK   float64            `json:"distance_k"`
	Ratio       float64            `json:"ratio"`         // to the average of all ranks
	LeaveOneOut float64            `json:"leave_one_out"` // to the average of the others
	Neighbour   int                `json:"neighbour"`
	TopGroup    MovementChain      `json:"top_group"` // contributes most
	Share       float64            `json:"share"`     // of it among the rank's chains
	PeerShare   float64            `json:"peer_share"`
	Locations   []MovementLocation `json:"locations"`
}

// MovementDistances are the distances of all ranks, over the span of time that
// outliers were found in.
type MovementDistances struct {
	K         int       `json:"k"`
	Average   float64   `json:"average"`
	FromNS    int64     `json:"from_unix_ns"`
	ToNS      int64     `json:"to_unix_ns"`
	Chains    uint64    `json:"chains"`
	Error     float64   `json:"error"` // the distances may be off by
	Ranks     []int     `json:"ranks"`
	DistanceK []float64 `json:"distance_k"`
}

// MovementJSON writes the result in its JSON form.
func MovementJSON(w io.Writer, m *Movement) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(m)
}

// Found tells whether there is anything to look at.
func (m *Movement) Found() bool { return len(m.Violations) > 0 || len(m.Outliers) > 0 }
