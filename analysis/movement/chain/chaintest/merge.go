package chaintest

import (
	"math/rand/v2"
	"testing"

	"laggard/analysis/movement/chain"
	"laggard/internal/musttest"
)

// MustMerge merges tables in order, or with rng in a random tree, half of them
// through their encodings.
func MustMerge(t testing.TB, tables []chain.Table, rng *rand.Rand) chain.Table {
	t.Helper()
	for len(tables) > 1 {
		i, j := 0, 1
		if rng != nil {
			i = rng.IntN(len(tables))
			j = (i + 1 + rng.IntN(len(tables)-1)) % len(tables)
			if rng.IntN(2) == 0 {
				tables[j] = RoundTrip(t, tables[j])
			}
		}
		m := musttest.Get(chain.Merge(tables[i], tables[j]))(t)
		tables[i] = m
		tables = append(tables[:j:j], tables[j+1:]...)
	}
	return tables[0]
}

// RoundTrip encodes a table and decodes it again.
func RoundTrip(t testing.TB, table chain.Table) chain.Table {
	t.Helper()
	return musttest.Get(chain.DecodeTable(MustEncode(t, table)))(t)
}

// MustEncode returns the bytes of a table.
func MustEncode(t testing.TB, v chain.Table) []byte {
	t.Helper()
	return musttest.Get(v.Encode())(t)
}
