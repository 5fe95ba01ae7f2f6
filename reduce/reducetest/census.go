package reducetest

import (
	"encoding/json"
	"maps"
	"slices"

	"laggard/reduce"
)

// Census tells which ranks are in which state. Ranks are ascending and unique.
// It is the value that the checks reduce: the analyses reduce values like it.
type Census map[string][]int

// Add puts a rank in a state.
func (c Census) Add(state string, rank int) {
	if at, found := slices.BinarySearch(c[state], rank); !found {
		c[state] = slices.Insert(c[state], at, rank)
	}
}

// CensusMonoid merges censuses by the union of their ranks.
func CensusMonoid() reduce.Monoid[Census] {
	return reduce.Monoid[Census]{
		Codec: reduce.Codec[Census]{Encode: encodeCensus, Decode: decodeCensus},
		Merge: func(a, b Census) (Census, error) { return unionOf(a, b), nil },
	}
}

func unionOf(a, b Census) Census {
	out := Census{}
	maps.Copy(out, a)
	for state, ranks := range b {
		both := slices.Concat(out[state], ranks)
		slices.Sort(both)
		out[state] = slices.Compact(both)
	}
	return out
}

// encodeCensus relies on encoding/json, which sorts the keys of a map.
func encodeCensus(c Census) ([]byte, error) { return json.Marshal(c) }

func decodeCensus(data []byte) (Census, error) {
	c := Census{}
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, err
	}
	return c, nil
}
