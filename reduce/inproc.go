package reduce

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
)

// Run runs body on size ranks, each a goroutine of this process, and waits for
// all of them. A panic in a body counts as its error. A rank whose body ended
// is gone: who waits for it gets ErrPeerGone, so no rank outlives a failed one
// for long. Send never waits.
//
// The result joins the errors of the bodies in rank order. A failure that many
// ranks report is in it once, in the words of the rank where it began, and
// failures that only say that a peer is gone are left out if others tell why.
// A size below 1 gives ErrSize.
func Run(size int, body func(Comm) error) error {
	if size < 1 {
		return fmt.Errorf("reduce: %d: %w", size, ErrSize)
	}
	boxes := make([]*mailbox, size)
	for i := range boxes {
		boxes[i] = &mailbox{wake: make(chan struct{}, 1), gone: make(chan struct{})}
	}
	errs := make([]error, size)
	var ranks sync.WaitGroup
	for i := range boxes {
		ranks.Go(func() {
			defer boxes[i].close()
			errs[i] = errEnded // stands if the body ends the goroutine
			errs[i] = callRecovering(body, &inproc{rank: i, boxes: boxes})
		})
	}
	ranks.Wait()
	return joinRanks(errs)
}

var errEnded = errors.New("the body ended its goroutine")

func callRecovering(body func(Comm) error, c Comm) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return body(c)
}

// joinRanks keeps one error for each rank where a failure began.
func joinRanks(errs []error) error {
	began := map[int]error{}
	for rank, err := range errs {
		if err == nil {
			continue
		}
		origin := rankErrorOf(rank, err)
		if origin.Err == err {
			err = origin
		}
		if began[origin.Rank] == nil || origin.Rank == rank {
			began[origin.Rank] = err
		}
	}
	var causes, all []error
	for _, rank := range slices.Sorted(maps.Keys(began)) {
		all = append(all, began[rank])
		if !errors.Is(began[rank], ErrPeerGone) {
			causes = append(causes, began[rank])
		}
	}
	if len(causes) > 0 {
		return errors.Join(causes...)
	}
	return errors.Join(all...)
}

// inproc is the Comm of a goroutine rank.
type inproc struct {
	rank  int
	boxes []*mailbox // by rank
}

func (c *inproc) Rank() int { return c.rank }
func (c *inproc) Size() int { return len(c.boxes) }

func (c *inproc) Send(to int, payload []byte) error {
	if err := checkPeer(c, to); err != nil {
		return err
	}
	if !c.boxes[to].put(c.rank, bytes.Clone(payload)) {
		return &RankError{Rank: to, Err: ErrPeerGone}
	}
	return nil
}

func (c *inproc) Recv(from int) ([]byte, error) {
	if err := checkPeer(c, from); err != nil {
		return nil, err
	}
	own := c.boxes[c.rank]
	for {
		if payload, ok := own.take(from); ok {
			return payload, nil
		}
		select {
		case <-own.wake:
		case <-c.boxes[from].gone:
			// It sends nothing more, so a last look is final.
			if payload, ok := own.take(from); ok {
				return payload, nil
			}
			return nil, &RankError{Rank: from, Err: ErrPeerGone}
		}
	}
}

// mailbox holds what was sent to one rank and not yet received. There is one
// for each rank, not for each pair, to afford tens of thousands of ranks.
type mailbox struct {
	mu     sync.Mutex
	closed bool
	queues map[int][][]byte // by sender; no empty queues
	wake   chan struct{}    // a token: something was put since the owner last slept
	gone   chan struct{}    // closed when the owner has ended
}

// put reports false if the owner has ended.
func (b *mailbox) put(from int, payload []byte) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	if b.queues == nil {
		b.queues = map[int][][]byte{}
	}
	b.queues[from] = append(b.queues[from], payload)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	return true
}

func (b *mailbox) take(from int) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	queue := b.queues[from]
	if len(queue) == 0 {
		return nil, false
	}
	payload := queue[0]
	queue[0] = nil // the array behind the queue lives on
	if len(queue) == 1 {
		delete(b.queues, from)
	} else {
		b.queues[from] = queue[1:]
	}
	return payload, true
}

func (b *mailbox) close() {
	b.mu.Lock()
	b.closed, b.queues = true, nil
	b.mu.Unlock()
	close(b.gone)
}
