package movement

import (
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"laggard/model"
)

// TestTranscripts runs the scenarios of testdata; -rewrite writes what came out.
// "train" is a known good run for the next "analyse" with argument trained.
func TestTranscripts(t *testing.T) {
	for _, name := range []string{"chains", "cases"} {
		var good Profile
		datadriven.RunTest(t, "testdata/"+name+".txt", func(t *testing.T, d *datadriven.TestData) string {
			tables := parts(t, d.Input)
			tr := Resolve(merged(t, tables, nil))
			switch d.Cmd {
			case "train":
				good = NewProfile(tr)
				return ""
			case "analyse":
			default:
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			opts := options(t, d)
			if d.HasArg("trained") {
				opts.Training = &good
			}
			want := describe(Analyse(tr, opts))
			rng := rand.New(rand.NewPCG(1, 2))
			got := describe(Analyse(Resolve(merged(t, parts(t, d.Input), rng)), opts))
			if diff := cmp.Diff(want, got); diff != "" {
				d.Fatalf(t, "merged in another order:\n%s", diff)
			}
			return want
		})
	}
}

func options(t *testing.T, d *datadriven.TestData) Options {
	opts := Options{LastPhase: d.HasArg("last-phase")}
	if a, ok := d.Arg("ranks"); ok {
		set, err := model.ParseRankSet(a.Vals[0])
		if err != nil {
			d.Fatalf(t, "%v", err)
		}
		opts.Ranks = set
	}
	return opts
}

// merged merges tables in order, or with rng in a random tree, half of them
// through their encodings.
func merged(t testing.TB, tables []Table, rng *rand.Rand) Table {
	t.Helper()
	for len(tables) > 1 {
		i, j := 0, 1
		if rng != nil {
			i = rng.IntN(len(tables))
			j = (i + 1 + rng.IntN(len(tables)-1)) % len(tables)
			if rng.IntN(2) == 0 {
				tables[j] = travelled(t, tables[j])
			}
		}
		m, err := Merge(tables[i], tables[j])
		if err != nil {
			t.Fatal(err)
		}
		tables[i] = m
		tables = append(tables[:j:j], tables[j+1:]...)
	}
	return tables[0]
}

func travelled(t testing.TB, table Table) Table {
	t.Helper()
	out, err := DecodeTable(encoded(t, table))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func encoded(t testing.TB, v interface{ Encode() ([]byte, error) }) []byte {
	t.Helper()
	b, err := v.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return b
}
