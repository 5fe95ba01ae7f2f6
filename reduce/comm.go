package reduce

import (
	"errors"
	"fmt"
)

var (
	// ErrRank: the peer is the rank itself or outside 0 … Size-1.
	ErrRank = errors.New("no such peer")
	// ErrPeerGone: the peer ended and will send and receive nothing more.
	ErrPeerGone = errors.New("ended before the others were done with it")
	// ErrFrame: a message is not of the form that this package writes.
	ErrFrame = errors.New("malformed message")
	// ErrOutOfStep: the ranks are not in the same collective operation.
	ErrOutOfStep = errors.New("ranks are in different operations")
	// ErrSize: a number of ranks below 1.
	ErrSize = errors.New("not a number of ranks")
)

// Comm moves messages between the ranks 0 … Size-1. Messages from one rank to
// another arrive in the order in which they were sent. One goroutine at a time
// uses a Comm.
type Comm interface {
	// Rank is the caller's own rank.
	Rank() int
	// Size is the number of ranks, at least 1.
	Size() int
	// Send gives payload, which may be empty, to rank to. It may wait until
	// that rank receives. The payload stays the caller's: once Send has
	// returned, the caller may change it and the receiver will not see that.
	// Errors wrap ErrRank or ErrPeerGone.
	Send(to int, payload []byte) error
	// Recv waits for the next message of rank from. The result belongs to the
	// caller alone. An empty payload arrives empty, nil or not. What a rank
	// sent before it ended is still delivered. Errors wrap ErrRank,
	// ErrPeerGone or ErrFrame.
	Recv(from int) ([]byte, error)
}

// RankError is a failure with the rank where it began. On that rank Err is the
// error itself; the other ranks know only its text.
type RankError struct {
	Rank   int
	Err    error
	agreed bool // it is the verdict of an operation, so all ranks have it
}

func (e *RankError) Error() string { return fmt.Sprintf("reduce: rank %d: %v", e.Rank, e.Err) }

// Unwrap gives the failure without its rank.
func (e *RankError) Unwrap() error { return e.Err }

// rankErrorOf names the rank where err began: the one it names itself, or else rank.
func rankErrorOf(rank int, err error) *RankError {
	if err == nil {
		return nil
	}
	if named, ok := errors.AsType[*RankError](err); ok {
		return named
	}
	return &RankError{Rank: rank, Err: err}
}

func checkPeer(c Comm, peer int) error {
	if peer < 0 || peer >= c.Size() || peer == c.Rank() {
		return &RankError{Rank: c.Rank(), Err: fmt.Errorf("peer %d of %d ranks: %w", peer, c.Size(), ErrRank)}
	}
	return nil
}
