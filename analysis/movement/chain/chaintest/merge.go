package chaintest

import (
	"math/rand/v2"
	"testing"

	"laggard/analysis/movement/chain"
)

// Merged merges tables in order, or with rng in a random tree, half of them
// through their encodings.
func Merged(t testing.TB, tables []chain.Table, rng *rand.Rand) chain.Table {
	t.Helper()
	for len(tables) > 1 {
		i, j := 0, 1
		if rng != nil {
			i = rng.IntN(len(tables))
			j = (i + 1 + rng.IntN(len(tables)-1)) % len(tables)
			if rng.IntN(2) == 0 {
				tables[j] = Travelled(t, tables[j])
			}
		}
		m, err := chain.Merge(tables[i], tables[j])
		if err != nil {
			t.Fatal(err)
		}
		tables[i] = m
		tables = append(tables[:j:j], tables[j+1:]...)
	}
	return tables[0]
}

// Travelled encodes a table and decodes it again.
func Travelled(t testing.TB, table chain.Table) chain.Table {
	t.Helper()
	out, err := chain.DecodeTable(Encoded(t, table))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Encoded returns the bytes of a table.
func Encoded(t testing.TB, v chain.Table) []byte {
	t.Helper()
	b, err := v.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
