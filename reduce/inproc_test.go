package reduce_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/reduce"
)

func TestRunNeedsARank(t *testing.T) {
	for _, size := range []int{0, -1} {
		err := reduce.Run(size, func(reduce.Comm) error { return nil })
		checktest.ErrorIs(t, reduce.ErrSize, err, "size", size)
	}
}

// However one rank ends, those that wait for it in a chain end too, and the
// result tells only why the first one did.
func TestEndOfARank(t *testing.T) {
	cause := errors.New("cause")
	for name, end := range map[string]func() error{
		"error":  func() error { return cause },
		"panic":  func() error { panic(cause) },
		"goexit": func() error { runtime.Goexit(); return nil },
	} {
		const size = 6
		err := reduce.Run(size, func(c reduce.Comm) error {
			if c.Rank() == size-1 {
				return end()
			}
			_, err := c.Recv(c.Rank() + 1)
			return err
		})
		named, ok := errors.AsType[*reduce.RankError](err)
		if !ok || named.Rank != size-1 || errors.Is(err, reduce.ErrPeerGone) {
			t.Errorf("%s: got %v", name, err)
		}
		if name == "error" && !errors.Is(err, cause) {
			t.Errorf("%s: the cause is lost in %v", name, err)
		}
	}
}

func TestPanicKeepsItsStack(t *testing.T) {
	err := reduce.Run(1, func(reduce.Comm) error { panic("here") })
	if err == nil || !strings.Contains(err.Error(), "panic: here") ||
		!strings.Contains(err.Error(), "TestPanicKeepsItsStack") {
		t.Errorf("got %v", err)
	}
}

// An early return without an error is an error of those left behind.
func TestEarlyReturn(t *testing.T) {
	err := reduce.Run(3, func(c reduce.Comm) error {
		if c.Rank() != 0 {
			return nil
		}
		_, err := c.Recv(2)
		return err
	})
	named, ok := errors.AsType[*reduce.RankError](err)
	if !ok || named.Rank != 2 || !errors.Is(err, reduce.ErrPeerGone) {
		t.Errorf("got %v, want ErrPeerGone of rank 2", err)
	}
}

func TestMessagesOutliveTheirSender(t *testing.T) {
	const messages = 1000
	err := reduce.Run(2, func(c reduce.Comm) error {
		if c.Rank() == 1 {
			for i := range messages {
				if err := c.Send(0, fmt.Append(nil, i)); err != nil {
					return err
				}
			}
			return nil
		}
		for i := range messages {
			if got, err := c.Recv(1); err != nil || string(got) != fmt.Sprint(i) {
				return fmt.Errorf("message %d: %q, %w", i, got, err)
			}
		}
		if _, err := c.Recv(1); !errors.Is(err, reduce.ErrPeerGone) {
			return fmt.Errorf("after the last message: %v", err)
		}
		if err := c.Send(1, nil); !errors.Is(err, reduce.ErrPeerGone) {
			return fmt.Errorf("send to the ended rank: %v", err)
		}
		return nil
	})
	checktest.ErrorIs(t, nil, err)
}

// Failures of several ranks are all told, each once, in rank order.
func TestJoinedErrors(t *testing.T) {
	err := reduce.Run(9, func(c reduce.Comm) error {
		verdict := reduce.Agree(reduce.NewTree(c), failAt(c, 3))
		if c.Rank() == 7 {
			return errors.New("of its own")
		}
		return verdict
	})
	want := "reduce: rank 3: failed\nreduce: rank 7: of its own"
	if err == nil || err.Error() != want {
		t.Errorf("got %v\nwant %s", err, want)
	}
}

func failAt(c reduce.Comm, rank int) error {
	if c.Rank() == rank {
		return errors.New("failed")
	}
	return nil
}

func TestManyRanks(t *testing.T) {
	size := 32768
	if raceEnabled {
		size = 4096 // the race detector allows some 8,000 goroutines
	}
	err := reduce.Run(size, func(c reduce.Comm) error {
		tree := reduce.NewTree(c)
		got, err := reduce.AllReduce(tree, sum, 1, nil)
		if err == nil && got != size {
			err = fmt.Errorf("got %d", got)
		}
		if err == nil && c.Rank() == 0 && 1<<tree.Stats().Rounds() != size {
			err = fmt.Errorf("%d rounds for %d ranks", tree.Stats().Rounds(), size)
		}
		return err
	})
	checktest.ErrorIs(t, nil, err)
}
