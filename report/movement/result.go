package movement

import (
	"slices"

	"laggard/report"
)

// Result is what the analysis of data movements found.
type Result struct {
	SchemaVersion int          `json:"schema_version"` // version of this JSON form
	Run           report.Run   `json:"run"`            // the run that was analysed
	Ranks         string       `json:"ranks"`          // the ranks that were analysed
	Chains        uint64       `json:"chains"`         // number of chains that begin there
	Groups        int          `json:"groups"`         // number of kinds of chains
	Links         Links        `json:"links"`          // how much of the data could be followed from rank to rank
	Unreceived    []Unreceived `json:"unreceived"`     // messages that were not received
	Training      int          `json:"training"`       // number of good runs compared with
	Invariants    []Invariant  `json:"invariants"`     // the frequent chains
	Violations    []Violation  `json:"violations"`     // rare chains that resemble a frequent one, most suspicious first
	Pruned        int          `json:"pruned"`         // number of violations left out because good runs have them
	Novel         []Novel      `json:"novel"`          // kinds of chains that no good run has, the first seen first
	Outliers      []Outlier    `json:"outliers"`       // ranks unlike their peers, the farthest first
	Distances     Distances    `json:"distances"`      // the distances of all ranks
	Notes         []string     `json:"notes"`          // remarks on the result, see docs/reference/notes.md#data-movement
	Problems      []string     `json:"problems"`       // what was missing or damaged in the data
	shares        []groupShare // for the page
}

// Links says how data were followed from rank to rank.
type Links struct {
	Sends       uint64 `json:"sends"`           // number of sends
	LinkedSends uint64 `json:"linked_sends"`    // sends for which the receive was found
	Recvs       uint64 `json:"receives"`        // number of receives
	LinkedRecvs uint64 `json:"linked_receives"` // receives for which the send was found
	Bytes       uint64 `json:"bytes"`           // bytes sent
	LinkedBytes uint64 `json:"linked_bytes"`    // bytes of linked sends
	Connections int    `json:"connections"`     // connections between ranks
	ByMessage   int    `json:"message_pairs"`   // pairs of ranks followed by MPI messages instead of connections
	Shortened   uint64 `json:"shortened"`       // chains not followed to their end
}

// Unreceived is messages from one call to one rank that were not received.
type Unreceived struct {
	At    *Place `json:"at"`    // the call that sent them
	From  int    `json:"from"`  // rank that sent them
	To    int    `json:"to"`    // rank that they are for
	Tag   int    `json:"tag"`   // their tag
	Count uint64 `json:"count"` // how many
}

// Place is a call that allocates, copies or transfers.
type Place struct {
	Call string `json:"call"` // the function called, such as memcpy, writev or MPI_Send
	report.Site
	Module string         `json:"module"` // file that holds the caller
	Offset string         `json:"offset"` // address in that file, hexadecimal
	Stack  []report.Frame `json:"stack"`  // one of its call stacks, innermost frame first
}

// Operation is one step of a chain.
type Operation struct {
	Kind    string  `json:"kind"`    // copy, pack or network
	Weight  float64 `json:"weight"`  // its uniqueness
	At      *Place  `json:"at"`      // the call; of a transfer, the send; null: not seen
	Partner *Place  `json:"partner"` // of a transfer, the receive; null: not seen
	// where the buffer that is read was allocated; null: not seen, as for static memory
	Source *Place `json:"source"`
	Dest   *Place `json:"dest"` // where the buffer that is written was allocated; null: not seen
}

// Chain is a kind of chain.
type Chain struct {
	Count      uint64      `json:"count"`      // number of chains of this kind
	Uniqueness float64     `json:"uniqueness"` // sum of the weights of its operations
	Operations []Operation `json:"operations"` // the operations, in order
}

// Invariant is a frequent chain.
type Invariant struct {
	Chain
	Share float64 `json:"share"` // its share of all chains that are unique enough, 0 to 1
}

// Novel is a kind of chain that no good run has.
type Novel struct {
	Chain
	Ranks    string  `json:"ranks"` // ranks where the chains begin
	First    Example `json:"first"` // the first of them
	violates bool    // it is the chain of a violation, too
}

// Location is a call site that a finding is about.
type Location struct {
	// missing: in the invariant, not in the chain; chain: in the chain; allocation: of the buffer
	Role string `json:"role"`
	Rank int    `json:"rank"` // a rank where it was seen
	report.Site
	Call string `json:"call"` // the function called
}

// Violation is a rare chain that resembles a frequent one.
type Violation struct {
	Chain       Chain   `json:"chain"`       // the rare chain
	Invariant   int     `json:"invariant"`   // index into invariants
	Similarity  float64 `json:"similarity"`  // to the invariant, 0 to 1
	Rareness    float64 `json:"rareness"`    // of the chain, 0 to 1
	Abnormality float64 `json:"abnormality"` // 2/(1/similarity + 1/rareness)
	// lower bound of how much more often than elsewhere the missing part is found nearby, or of how often
	// stale data were read
	Evidence       float64 `json:"evidence"`
	ContextMatches int     `json:"context_matches"` // instances with a missing operation in a chain close by
	// instances with a missing operation close by, in a chain that is no frequent one
	Completions int `json:"completions"`
	Stale       int `json:"stale"`     // instances that read again what the missing part writes anew
	Instances   int `json:"instances"` // number of chains
	// instances before the first or after the last usual chain of their rank
	Edge  int    `json:"edge"`
	Ranks string `json:"ranks"` // ranks where the chains begin
	// ranks where the missing operations would have been; empty: not known
	MissingAt string `json:"missing_at"`
	// common part: start in the chain, start in the invariant, number of operations
	Matched   [3]int      `json:"matched"`
	Missing   []Operation `json:"missing"`   // operations of the invariant that the chain lacks
	Locations []Location  `json:"locations"` // the places to look at
	Examples  []Example   `json:"examples"`  // some instances
}

// Example is one chain of a violation.
type Example struct {
	Rank int `json:"rank"` // rank where the chain begins
	// number of its last operation among the events of the rank, from 1
	Event  int64 `json:"event"`
	UnixNS int64 `json:"unix_ns"` // time of that operation, nanoseconds since 1970
}

// Outlier is a rank whose chains are distributed unlike its peers'.
type Outlier struct {
	Rank        int        `json:"rank"`          // the rank
	DistanceK   float64    `json:"distance_k"`    // distance to its k-th nearest peer
	Ratio       float64    `json:"ratio"`         // distance_k over the average of all ranks
	LeaveOneOut float64    `json:"leave_one_out"` // distance_k over the average of the other ranks
	Neighbour   int        `json:"neighbour"`     // the k-th nearest peer
	TopGroup    Chain      `json:"top_group"`     // kind of chain of which it has most more than that peer
	Ends        string     `json:"ends"`          // ranks where its chains of that kind end
	Share       float64    `json:"share"`         // its share of the rank's chains, 0 to 1
	PeerShare   float64    `json:"peer_share"`    // its share of the chains of that peer, 0 to 1
	Locations   []Location `json:"locations"`     // the places to look at
}

// Distances are the distances of all ranks, over the span of time that
// outliers were found in.
type Distances struct {
	K         int       `json:"k"`            // which neighbour the distance is to
	Average   float64   `json:"average"`      // average of all ranks
	FromNS    int64     `json:"from_unix_ns"` // begin of the span of time, nanoseconds since 1970
	ToNS      int64     `json:"to_unix_ns"`   // its end
	Chains    uint64    `json:"chains"`       // chains in that span
	Error     float64   `json:"error"`        // largest error of a distance; 0: exact
	Ranks     []int     `json:"ranks"`        // the ranks
	DistanceK []float64 `json:"distance_k"`   // the distance of each of them
}

// Found reports whether there is anything to look at.
func (m *Result) Found() bool { return len(m.Violations) > 0 || len(m.Outliers) > 0 }

// Comparable reports whether the good runs, if there are any, have at least half of the chains. If not, they are
// probably of another program, or of one whose call sites were at other lines, and nothing follows from them.
func (m *Result) Comparable() bool { return 2*m.novelChains() <= m.Chains }

// onlyNovel are the novel kinds of chains that are no violations besides.
func (m *Result) onlyNovel() []Novel {
	return slices.DeleteFunc(slices.Clone(m.Novel), func(n Novel) bool { return n.violates })
}

func (m *Result) novelChains() (n uint64) {
	for _, c := range m.Novel {
		n += c.Count
	}
	return n
}
