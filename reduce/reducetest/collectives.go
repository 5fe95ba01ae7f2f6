package reducetest

import (
	"bytes"
	"errors"
	"fmt"

	"laggard/reduce"
)

// blocks is how many parts the value of a job has, however many ranks share
// them: more than any number of ranks the checks run on, and no multiple.
const blocks = 61

// blockCensus is what block b of the job contributes. Sizes differ a lot between
// blocks, and some are empty.
func blockCensus(b int) Census {
	out := Census{}
	for i := range b * b % 97 {
		out.Add(fmt.Sprintf("state %d", i*b%41), b*1000+i)
	}
	return out
}

// localCensus folds the block of parts that a rank of a job is responsible for.
func localCensus(rank, size int) Census {
	out := Census{}
	for b := blocks * rank / size; b < blocks*(rank+1)/size; b++ {
		out = unionOf(out, blockCensus(b))
	}
	return out
}

// checkResults compares every operation with the fold of all parts in one place,
// byte for byte, and so also the results of different numbers of ranks.
func checkResults(c reduce.Comm) error {
	t := reduce.NewTree(c)
	want := localCensus(0, 1)

	sum, err := reduce.Reduce(t, CensusMonoid(), localCensus(c.Rank(), c.Size()), nil)
	if err == nil && c.Rank() == 0 {
		err = compareCensus(sum, want)
	} else if err == nil && sum != nil {
		err = errors.New("a value away from rank 0")
	}
	err = wrapError("reduce", err)

	everywhere, failed := reduce.AllReduce(t, CensusMonoid(), localCensus(c.Rank(), c.Size()), err)
	if failed != nil {
		return wrapError("allreduce", failed)
	}
	err = wrapError("allreduce", compareCensus(everywhere, want))

	told := Census{"not of rank 0": {1}}
	if c.Rank() == 0 {
		told = blockCensus(17)
	}
	heard, failed := reduce.Broadcast(t, CensusMonoid().Codec, told, err)
	if failed != nil {
		return wrapError("broadcast", failed)
	}
	return wrapError("broadcast", compareCensus(heard, blockCensus(17)))
}

// checkRounds checks that no operation takes more rounds than ⌈log2 P⌉, that rank 0
// sees exactly these, and that bytes were counted.
func checkRounds(c reduce.Comm) error {
	t := reduce.NewTree(c)
	if _, err := reduce.AllReduce(t, CensusMonoid(), localCensus(c.Rank(), c.Size()), nil); err != nil {
		return err
	}
	depth := 0
	for 1<<depth < c.Size() {
		depth++
	}
	kinds := []reduce.Kind{reduce.Up, reduce.Down, reduce.Statuses, reduce.Verdict}
	if len(t.Stats()) != len(kinds) {
		return fmt.Errorf("%d passes, want %d", len(t.Stats()), len(kinds))
	}
	for i, pass := range t.Stats() {
		if pass.Kind != kinds[i] {
			return fmt.Errorf("pass %d is %v, want %v", i, pass.Kind, kinds[i])
		}
		if err := checkPass(pass, c.Rank(), depth); err != nil {
			return fmt.Errorf("pass %v: %w", pass.Kind, err)
		}
	}
	return nil
}

func checkPass(pass reduce.Pass, rank, depth int) error {
	if rank == 0 && len(pass.Rounds) != depth {
		return fmt.Errorf("%d rounds, want %d", len(pass.Rounds), depth)
	}
	last := -1
	for _, r := range pass.Rounds {
		if r.Number <= last || r.Number >= depth {
			return fmt.Errorf("round %d after round %d of %d", r.Number, last, depth)
		}
		last = r.Number
		if (r.Sent > 0) == (r.Received > 0) {
			return fmt.Errorf("round %d: %d bytes sent and %d received", r.Number, r.Sent, r.Received)
		}
	}
	return nil
}

func compareCensus(got, want Census) error {
	a, err := encodeCensus(got)
	if err != nil {
		return err
	}
	b, err := encodeCensus(want)
	if err != nil {
		return err
	}
	if !bytes.Equal(a, b) {
		return fmt.Errorf("%d bytes that are not the %d expected", len(a), len(b))
	}
	return nil
}

func wrapError(what string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", what, err)
}
