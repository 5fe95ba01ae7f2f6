package reducetest

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"laggard/reduce"
)

// Laws checks that the merge of values is the same bytes in any order and by
// any tree, and that decoding and encoding again changes nothing. build makes
// the values, the same ones each time it is called, since a merge may change
// what it is given. There are trees tries, drawn with rng.
func Laws[T any](m reduce.Monoid[T], build func() []T, trees int, rng *rand.Rand) error {
	var want []byte
	for try := range trees {
		values := build()
		if len(values) == 0 {
			return errors.New("no values to merge")
		}
		if try > 0 { // the first one, in plain order, fixes the result
			rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		}
		got, err := mergeRandomTree(m, values, rng)
		if err != nil {
			return fmt.Errorf("tree %d: %w", try, err)
		}
		if try == 0 {
			want = got
		}
		if !bytes.Equal(got, want) {
			return fmt.Errorf("tree %d gives %d other bytes than the first tree's %d", try, len(got), len(want))
		}
	}
	return nil
}

// mergeRandomTree merges neighbours at random places until one value is left. Half of
// the values take the way over the wire first, as a tree of ranks would do.
func mergeRandomTree[T any](m reduce.Monoid[T], values []T, rng *rand.Rand) ([]byte, error) {
	for len(values) > 1 {
		i := rng.IntN(len(values) - 1)
		right, err := maybeRoundTrip(m.Codec, values[i+1], rng)
		if err != nil {
			return nil, err
		}
		if values[i], err = m.Merge(values[i], right); err != nil {
			return nil, err
		}
		values = slices.Delete(values, i+1, i+2)
	}
	return m.Encode(values[0])
}

func maybeRoundTrip[T any](codec reduce.Codec[T], value T, rng *rand.Rand) (T, error) {
	if rng.IntN(2) == 0 {
		return value, nil
	}
	sent, err := codec.Encode(value)
	if err != nil {
		return value, err
	}
	// Decode may keep its input, so compare with a copy.
	arrived, err := codec.Decode(bytes.Clone(sent))
	if err != nil {
		return value, err
	}
	again, err := codec.Encode(arrived)
	if err != nil {
		return value, err
	}
	if !bytes.Equal(sent, again) {
		return value, fmt.Errorf("encode, decode, encode gives %d other bytes than the %d before", len(again),
			len(sent))
	}
	return arrived, nil
}
