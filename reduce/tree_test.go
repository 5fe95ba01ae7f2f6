package reduce_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/reduce"
	"laggard/reduce/reducetest"
)

func TestInprocConforms(t *testing.T) {
	for _, size := range []int{1, 2, 3, 9, 12} {
		checktest.ErrorIs(t, nil, reduce.Run(size, reducetest.Conformance))
	}
}

// words merges by writing one after the other: only rank order gives a, b, c.
var words = reduce.Monoid[string]{
	Codec: reduce.Codec[string]{
		Encode: func(s string) ([]byte, error) { return []byte(s), nil },
		Decode: func(b []byte) (string, error) { return string(b), nil },
	},
	Merge: func(a, b string) (string, error) { return a + b, nil },
}

func TestMergeInRankOrder(t *testing.T) {
	want := ""
	for size := 1; size <= 70; size++ {
		want += fmt.Sprintf("%d,", size-1)
		err := reduce.Run(size, func(c reduce.Comm) error {
			got, err := reduce.AllReduce(reduce.NewTree(c), words, fmt.Sprintf("%d,", c.Rank()), nil)
			if err == nil && got != want {
				err = fmt.Errorf("got %s, want %s", got, want)
			}
			return err
		})
		musttest.Succeed(t, err)
	}
}

// The tree of five ranks, seen from each of them. A frame has two bytes more
// than its payload.
func TestStatsOfFive(t *testing.T) {
	stats := make([]reduce.Stats, 5)
	err := reduce.Run(5, func(c reduce.Comm) error {
		tree := reduce.NewTree(c)
		_, err := reduce.Reduce(tree, words, "wxyz"[:c.Rank()%4+1], nil)
		stats[c.Rank()] = tree.Stats()
		return err
	})
	musttest.Succeed(t, err)
	want := [][]reduce.Round{
		{{Number: 0, Peer: 1, Received: 4}, {Number: 1, Peer: 2, Received: 9}, {Number: 2, Peer: 4, Received: 3}},
		{{Number: 0, Peer: 0, Sent: 4}},
		{{Number: 0, Peer: 3, Received: 6}, {Number: 1, Peer: 0, Sent: 9}},
		{{Number: 0, Peer: 2, Sent: 6}},
		{{Number: 2, Peer: 0, Sent: 3}},
	}
	for rank, s := range stats {
		checktest.Equal(t, want[rank], s[0].Rounds, "rank", rank)
	}
	checktest.Equal(t, 3, stats[0].Rounds(), "rounds")
	checktest.Equal(t, 4+9+3+3*2, stats[0].Bytes(), "bytes")
}

// Of several failures all ranks hear the same one.
func TestAgree(t *testing.T) {
	errs := make([]error, 13)
	_ = reduce.Run(13, func(c reduce.Comm) error {
		var own error
		if c.Rank()%5 == 4 {
			own = fmt.Errorf("disk %d", c.Rank())
		}
		errs[c.Rank()] = reduce.Agree(reduce.NewTree(c), own)
		return nil
	})
	for rank, err := range errs {
		if err == nil || err.Error() != "reduce: rank 4: disk 4" {
			t.Errorf("rank %d: got %v", rank, err)
		}
	}
}

// A rank that leaves before an operation leaves no rank waiting, and those
// that needed it say who it was.
func TestOperationWithoutARank(t *testing.T) {
	for size := 2; size <= 9; size++ {
		for absent := range size {
			heard := make([]error, size)
			err := reduce.Run(size, func(c reduce.Comm) error {
				if c.Rank() == absent {
					return nil
				}
				_, err := reduce.AllReduce(reduce.NewTree(c), words, "x", nil)
				heard[c.Rank()] = err
				return err
			})
			named, ok := errors.AsType[*reduce.RankError](err)
			if !ok || named.Rank != absent {
				t.Errorf("%d ranks without %d: got %v", size, absent, err)
			}
			if n := len(slices.DeleteFunc(heard, func(e error) bool { return e == nil })); n != size-1 {
				t.Errorf("%d ranks without %d: %d have an error", size, absent, n)
			}
		}
	}
}

// Ranks that are not in the same operation get an error, not a wrong value.
func TestOutOfStep(t *testing.T) {
	err := reduce.Run(2, func(c reduce.Comm) error {
		tree := reduce.NewTree(c)
		if c.Rank() == 1 {
			return reduce.Agree(tree, nil)
		}
		_, err := reduce.Reduce(tree, words, "x", nil)
		return err
	})
	checktest.ErrorIs(t, reduce.ErrOutOfStep, err)
}
