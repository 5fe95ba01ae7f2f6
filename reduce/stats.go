package reduce

import "fmt"

// Kind says what a pass over the tree carries.
type Kind uint8

// The kinds of pass.
const (
	Up       Kind = iota // values, merged on the way to rank 0
	Down                 // the value of rank 0, on the way to all
	Statuses             // only statuses, to rank 0
	Verdict              // only the status of all, from rank 0
)

func (k Kind) String() string {
	names := [...]string{"up", "down", "statuses", "verdict"}
	if int(k) < len(names) {
		return names[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Round is one step of a pass: in it, a rank sends to or receives from one
// other rank.
type Round struct {
	Number   int // from 0 within the pass; ranks agree on it
	Peer     int
	Sent     int // bytes, status included
	Received int // bytes, status included
}

// Pass is one way through the tree, to rank 0 or from it. Rounds are those
// that this rank took part in, in order. Rank 0 takes part in all ⌈log2 P⌉.
type Pass struct {
	Kind   Kind
	Rounds []Round
}

// Stats lists the passes that were run over a Tree, as one rank saw them.
// A Reduce runs Up and Verdict. A Broadcast runs Down, Statuses and Verdict.
// An AllReduce runs Up, Down, Statuses and Verdict.
type Stats []Pass

// Rounds is the greatest number of rounds that the rank took part in during
// one pass. At rank 0 this is the depth of the tree.
func (s Stats) Rounds() int {
	most := 0
	for _, p := range s {
		most = max(most, len(p.Rounds))
	}
	return most
}

// Bytes is the sum over all passes of what the rank sent and received.
func (s Stats) Bytes() int64 {
	var sum int64
	for _, p := range s {
		for _, r := range p.Rounds {
			sum += int64(r.Sent) + int64(r.Received)
		}
	}
	return sum
}

// PerRound is the sum over all passes of what the rank sent and received in
// each round, by the number of the round.
func (s Stats) PerRound() []int64 {
	out := []int64{}
	for _, p := range s {
		for _, r := range p.Rounds {
			for len(out) <= r.Number {
				out = append(out, 0)
			}
			out[r.Number] += int64(r.Sent) + int64(r.Received)
		}
	}
	return out
}
