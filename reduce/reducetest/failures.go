package reducetest

import (
	"errors"
	"fmt"

	"laggard/reduce"
)

var errInjected = errors.New("injected")

// stage is the step of an operation in which one rank is made to fail.
type stage int

const (
	nowhere stage = iota
	before        // the caller's own step
	encoding
	decoding
	merging
)

// operation is a collective operation, and whether a rank reaches a stage.
type operation struct {
	name    string
	run     func(*reduce.Tree, reduce.Monoid[Census], Census, error) (Census, error)
	reaches func(s stage, rank, size int) bool
}

// hasChild reports whether a rank of the binomial tree receives on the way up.
func hasChild(rank, size int) bool { return rank%2 == 0 && rank+1 < size }

var operations = []operation{
	{"reduce", reduce.Reduce[Census], func(s stage, rank, size int) bool {
		return s == before || s == encoding && rank != 0 || s >= decoding && hasChild(rank, size)
	}},
	{"broadcast", broadcast, func(s stage, rank, size int) bool {
		return s == before || s == encoding && rank == 0 && size > 1 || s == decoding && rank != 0
	}},
	{"allreduce", reduce.AllReduce[Census], func(s stage, rank, size int) bool {
		return s == before || s != merging && size > 1 || s == merging && hasChild(rank, size)
	}},
}

func broadcast(t *reduce.Tree, m reduce.Monoid[Census], value Census, failed error) (Census, error) {
	return reduce.Broadcast(t, m.Codec, value, failed)
}

// checkFailures makes each rank fail in each stage of each operation in turn. All
// ranks must return an error naming that rank if it got to that stage, and
// none must if it did not. The operation that follows must be undisturbed.
func checkFailures(c reduce.Comm) error {
	t := reduce.NewTree(c)
	value := localCensus(c.Rank(), c.Size()) // a union leaves its operands alone
	for _, op := range operations {
		for s := before; s <= merging; s++ {
			for victim := range c.Size() {
				outcome := failAtStage(t, c, op, value, s, victim)
				if err := reduce.Agree(t, outcome); err != nil {
					return fmt.Errorf("%s, stage %d, rank %d of %d: %w", op.name, s, victim, c.Size(), err)
				}
			}
		}
	}
	return nil
}

func failAtStage(t *reduce.Tree, c reduce.Comm, op operation, value Census, s stage, victim int) error {
	own := nowhere
	if c.Rank() == victim {
		own = s
	}
	var failed error
	if own == before {
		failed = errInjected
	}
	got, err := op.run(t, failingMonoid(own), value, failed)
	if !op.reaches(s, victim, c.Size()) {
		return err
	}
	if got != nil {
		return errors.New("a value beside an error")
	}
	named, ok := errors.AsType[*reduce.RankError](err)
	if !ok || named.Rank != victim {
		return wrongRankError(err, victim)
	}
	if c.Rank() == victim && !errors.Is(err, errInjected) {
		return fmt.Errorf("the cause is lost: %w", wrongRankError(err, victim))
	}
	return nil
}

// wrongRankError quotes err without wrapping it: the rank it names is not the one
// where the check fails.
func wrongRankError(err error, victim int) error {
	return fmt.Errorf("got %q, want an error of rank %d", fmt.Sprint(err), victim)
}

// failingMonoid is the monoid of Census with one stage that fails.
func failingMonoid(s stage) reduce.Monoid[Census] {
	m := CensusMonoid()
	switch s {
	case encoding:
		m.Encode = func(Census) ([]byte, error) { return nil, errInjected }
	case decoding:
		m.Decode = func([]byte) (Census, error) { return nil, errInjected }
	case merging:
		m.Merge = func(a, b Census) (Census, error) { return nil, errInjected }
	}
	return m
}
