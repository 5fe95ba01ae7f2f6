package reducetest

import (
	"fmt"

	"laggard/reduce"
)

// Conformance runs all checks over c, and those of the collective operations
// also over the first 1, 2, … 9 ranks of c. All ranks of c must call it. After
// each check the ranks agree on its outcome, so all return an error if one
// does, and it names the check and the rank. A transport that loses messages
// may leave it waiting: run it with a time limit.
func Conformance(c reduce.Comm) error {
	for _, check := range []struct {
		name string
		run  func(reduce.Comm) error
	}{
		{"bad peers", checkBadPeers},
		{"order within a pair", checkPairOrder},
		{"order between pairs", checkSelectiveReceive},
		{"payload sizes", checkPayloadSizes},
		{"ownership of payloads", checkOwnership},
		{"collective results", onPrefixes(checkResults)},
		{"rounds", onPrefixes(checkRounds)},
		{"failures", onPrefixes(checkFailures)},
	} {
		if err := reduce.Agree(reduce.NewTree(c), check.run(c)); err != nil {
			return fmt.Errorf("%s, %d ranks: %w", check.name, c.Size(), err)
		}
	}
	return nil
}

// prefix is a Comm of the first ranks of another.
type prefix struct {
	reduce.Comm
	size int
}

func (p prefix) Size() int { return p.size }

// onPrefixes runs a check on the first 1, 2, … 9 ranks and on all.
func onPrefixes(check func(reduce.Comm) error) func(reduce.Comm) error {
	return func(c reduce.Comm) error {
		for size := 1; size <= c.Size(); size++ {
			if size > 9 {
				size = c.Size()
			}
			var err error
			if c.Rank() < size {
				err = check(prefix{c, size})
			}
			if err := reduce.Agree(reduce.NewTree(c), err); err != nil {
				return fmt.Errorf("the first %d: %w", size, err)
			}
		}
		return nil
	}
}
