package movement

import "laggard/report"

// Result is what an analysis of data movements found, as the user gets it. Its
// JSON form is the contract with scripts.
type Result struct {
	SchemaVersion int          `json:"schema_version"`
	Run           report.Run   `json:"run"`
	Ranks         string       `json:"ranks"`  // that were looked at
	Chains        uint64       `json:"chains"` // that begin there
	Groups        int          `json:"groups"` // kinds of these
	Links         Links        `json:"links"`
	Training      int          `json:"training"` // good runs that it was compared with
	Invariants    []Invariant  `json:"invariants"`
	Violations    []Violation  `json:"violations"` // the most suspicious first
	Pruned        int          `json:"pruned"`     // left out because good runs have them
	Outliers      []Outlier    `json:"outliers"`   // the farthest first
	Distances     Distances    `json:"distances"`
	Notes         []string     `json:"notes"`
	Problems      []string     `json:"problems"`
	shares        []groupShare // for the page
}

// Links says how data were followed from rank to rank.
type Links struct {
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

// Place is a call that allocates, copies or transfers.
type Place struct {
	Call string `json:"call"` // such as "memcpy", "writev", "MPI_Send"
	report.Site
	Module string         `json:"module"`
	Offset string         `json:"offset"`
	Stack  []report.Frame `json:"stack"` // one with which it was called, innermost frame first
}

// Operation is one step of a chain.
type Operation struct {
	Kind    string  `json:"kind"`    // copy, pack, network
	Weight  float64 `json:"weight"`  // its uniqueness
	At      *Place  `json:"at"`      // the call; of a transfer, the sending one; null: not there
	Partner *Place  `json:"partner"` // of a transfer, the receiving call
	// where the buffer was allocated that is read; null: not seen, such as static memory
	Source *Place `json:"source"`
	Dest   *Place `json:"dest"` // that is written
}

// Chain is a kind of chain.
type Chain struct {
	Count      uint64      `json:"count"`
	Uniqueness float64     `json:"uniqueness"`
	Operations []Operation `json:"operations"`
}

// Invariant is a frequent chain.
type Invariant struct {
	Chain
	Share float64 `json:"share"` // among the chains that are unique enough
}

// Location is a call site that a finding is about.
type Location struct {
	Role string `json:"role"` // missing: the invariant has it, the chain lacks it; chain; allocation
	Rank int    `json:"rank"`
	report.Site
	Call string `json:"call"`
}

// Violation is a rare chain that is much like a frequent one.
type Violation struct {
	Chain       Chain   `json:"chain"`
	Invariant   int     `json:"invariant"` // index into Invariants
	Similarity  float64 `json:"similarity"`
	Rareness    float64 `json:"rareness"`
	Abnormality float64 `json:"abnormality"`
	// how far what is missing is found nearby more often than elsewhere, or stale data were read, at least
	Evidence       float64 `json:"evidence"`
	ContextMatches int     `json:"context_matches"`
	Completions    int     `json:"completions"`
	Stale          int     `json:"stale"` // instances that read again what the missing part writes anew
	Instances      int     `json:"instances"`
	// instances before the first, or behind the last, of the usual chains of their rank
	Edge  int    `json:"edge"`
	Ranks string `json:"ranks"`
	// in common: from here in the chain, from here in the invariant, so many operations
	Matched   [3]int      `json:"matched"`
	Missing   []Operation `json:"missing"`
	Locations []Location  `json:"locations"`
	Examples  []Example   `json:"examples"`
}

// Example is one chain of a violation.
type Example struct {
	Rank   int   `json:"rank"`
	Event  int64 `json:"event"`   // its last operation among the events of the rank, from 1
	UnixNS int64 `json:"unix_ns"` // when that was
}

// Outlier is a rank whose chains are distributed unlike its peers'.
type Outlier struct {
	Rank        int        `json:"rank"`
	DistanceK   float64    `json:"distance_k"`
	Ratio       float64    `json:"ratio"`         // to the average of all ranks
	LeaveOneOut float64    `json:"leave_one_out"` // to the average of the others
	Neighbour   int        `json:"neighbour"`
	TopGroup    Chain      `json:"top_group"` // contributes most
	Share       float64    `json:"share"`     // of it among the rank's chains
	PeerShare   float64    `json:"peer_share"`
	Locations   []Location `json:"locations"`
}

// Distances are the distances of all ranks, over the span of time that
// outliers were found in.
type Distances struct {
	K         int       `json:"k"`
	Average   float64   `json:"average"`
	FromNS    int64     `json:"from_unix_ns"`
	ToNS      int64     `json:"to_unix_ns"`
	Chains    uint64    `json:"chains"`
	Error     float64   `json:"error"` // the distances may be off by
	Ranks     []int     `json:"ranks"`
	DistanceK []float64 `json:"distance_k"`
}

// Found tells whether there is anything to look at.
func (m *Result) Found() bool { return len(m.Violations) > 0 || len(m.Outliers) > 0 }
