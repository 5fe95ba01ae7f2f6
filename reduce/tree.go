package reduce

import (
	"fmt"
	"math/bits"
)

// Tree is the binomial tree over the ranks of a Comm, and the record of what
// was moved over it. The parent of a rank is the rank without its lowest one
// bit. So a rank and its subtree are a contiguous block of ranks, which lets
// every merge happen in rank order. One goroutine at a time uses a Tree.
type Tree struct {
	comm     Comm
	rank     int
	parent   int   // -1 at rank 0
	children []int // ascending: from the smallest subtree to the largest
	depth    int   // rounds of a pass, ⌈log2 P⌉
	stats    Stats
}

// NewTree spans the ranks of c. Every rank makes its own.
func NewTree(c Comm) *Tree {
	t := &Tree{comm: c, rank: c.Rank(), parent: -1, depth: bits.Len(uint(c.Size() - 1))}
	bit := 1
	for ; bit < c.Size() && t.rank&bit == 0; bit <<= 1 {
		if child := t.rank + bit; child < c.Size() {
			t.children = append(t.children, child)
		}
	}
	if t.rank != 0 {
		t.parent = t.rank - bit
	}
	return t
}

// Stats lists the passes so far. The result is not to be changed.
func (t *Tree) Stats() Stats { return t.stats }

// Agree tells every rank whether any rank failed. Each passes its own failure
// or nil. All get nil, or the failure of the lowest rank that reported one.
func Agree(t *Tree, failed error) error {
	return asError(t.agreeOn(rankErrorOf(t.rank, failed)))
}

func (t *Tree) agreeOn(failed *RankError) *RankError {
	t.beginPass(Statuses)
	for _, child := range t.children {
		_, theirs := t.receiveFrame(child)
		failed = firstFailure(failed, theirs)
	}
	if t.parent >= 0 {
		failed = firstFailure(failed, t.sendFrame(t.parent, nil, failed))
	}
	return t.announceVerdict(failed)
}

// announceVerdict passes on what rank 0 knows; the failure given at rank 0 must be
// that of all ranks. Every operation ends here.
func (t *Tree) announceVerdict(failed *RankError) *RankError {
	if _, failed = t.passDown(Verdict, nil, failed); failed == nil {
		return nil
	}
	return &RankError{Rank: failed.Rank, Err: failed.Err, agreed: true}
}

// passDown hands a payload or a failure of rank 0 down to all ranks.
func (t *Tree) passDown(kind Kind, payload []byte, failed *RankError) ([]byte, *RankError) {
	t.beginPass(kind)
	if t.parent >= 0 {
		var theirs *RankError
		payload, theirs = t.receiveFrame(t.parent)
		// The rank's own error says more than its text on the way back.
		if failed == nil || theirs != nil && theirs.Rank != failed.Rank {
			failed = theirs
		}
	}
	result := failed
	for i := len(t.children) - 1; i >= 0; i-- {
		result = firstFailure(result, t.sendFrame(t.children[i], payload, failed))
	}
	return payload, result
}

func (t *Tree) beginPass(kind Kind) { t.stats = append(t.stats, Pass{Kind: kind}) }

func (t *Tree) currentPass() *Pass { return &t.stats[len(t.stats)-1] }

func (t *Tree) sendFrame(to int, payload []byte, failed *RankError) *RankError {
	frame := packFrame(t.currentPass().Kind, payload, failed)
	if err := t.comm.Send(to, frame); err != nil {
		return t.fail(err, "send to rank %d", to)
	}
	t.recordRound(Round{Peer: to, Sent: len(frame)})
	return nil
}

func (t *Tree) receiveFrame(from int) ([]byte, *RankError) {
	frame, err := t.comm.Recv(from)
	if err != nil {
		return nil, t.fail(err, "receive from rank %d", from)
	}
	t.recordRound(Round{Peer: from, Received: len(frame)})
	payload, failed, err := unpackFrame(t.currentPass().Kind, frame)
	if err != nil {
		return nil, t.fail(err, "message of rank %d", from)
	}
	return payload, failed
}

// recordRound numbers the round by the edge it uses: upwards the edges between
// neighbours come first, downwards those that span half the ranks.
func (t *Tree) recordRound(r Round) {
	p := t.currentPass()
	child := max(r.Peer, t.rank)
	r.Number = bits.TrailingZeros(uint(child))
	if p.Kind == Down || p.Kind == Verdict {
		r.Number = t.depth - 1 - r.Number
	}
	p.Rounds = append(p.Rounds, r)
}

func (t *Tree) fail(err error, format string, args ...any) *RankError {
	return rankErrorOf(t.rank, fmt.Errorf(format+": %w", append(args, err)...))
}

// firstFailure keeps the earlier failure. Callers go in rank order, so this is the
// one of the lowest rank.
func firstFailure(a, b *RankError) *RankError {
	if a != nil {
		return a
	}
	return b
}

// asError keeps a nil failure from becoming an error that is not nil.
func asError(failed *RankError) error {
	if failed == nil {
		return nil
	}
	return failed
}
