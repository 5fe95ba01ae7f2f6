package between_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/analysis/usage/between"
	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/musttest"
	"laggard/reduce"
	"laggard/reduce/reducetest"
)

// eachTranscript calls f with the digests of every transcript of testdata.
func eachTranscript(t testing.TB, f func([]*between.Digest)) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	for _, path := range paths {
		text := musttest.Get(os.ReadFile(path))(t)
		datadriven.RunTestFromString(t.(*testing.T), string(text), func(t *testing.T, d *datadriven.TestData) string {
			traces := musttest.Get(usagetest.Parse(d.Input))(t)
			f(digestsOf(traces))
			return d.Expected
		})
	}
}

// TestSplit divides the ranks of every transcript among analysis ranks, sends the
// evidence through the codec, and asks for the same findings.
func TestSplit(t *testing.T) {
	eachTranscript(t, func(all []*between.Digest) {
		want := findingsText(t, judge(between.NewEvidence(all...)))
		for parts := 1; parts <= len(all); parts++ {
			merged := between.NewEvidence()
			for k := range parts {
				own := between.NewEvidence(all[k*len(all)/parts : (k+1)*len(all)/parts]...)
				merged = mergeEvidence(t, roundTrip(t, own), merged) // the wrong way round
			}
			musttest.Equal(t, want, findingsText(t, judge(merged)), parts, "parts")
		}
	})
}

// findingsText writes all that a group says.
func findingsText(t *testing.T, g *finding.Group) string {
	out := describe(g.WorstFirst())
	for _, f := range g.WorstFirst() {
		out += f.Severity + f.Change
		for _, p := range f.Places {
			out += p.Role + p.Site.Stack[0].Module.Path
		}
	}
	return out
}

// TestLaws: evidence merges in any order and by any tree.
func TestLaws(t *testing.T) {
	eachTranscript(t, func(all []*between.Digest) {
		build := func() []*between.Evidence {
			var out []*between.Evidence
			for _, d := range all {
				out = append(out, between.NewEvidence(d))
			}
			return out
		}
		codec := reduce.Codec[*between.Evidence]{Encode: between.Encode, Decode: between.Decode}
		m := reduce.Monoid[*between.Evidence]{Codec: codec, Merge: between.Merge}
		musttest.Succeed(t, reducetest.Laws(m, build, 4, rand.New(rand.NewPCG(1, 2))))
	})
}

func roundTrip(t *testing.T, e *between.Evidence) *between.Evidence {
	t.Helper()
	data := musttest.Get(between.Encode(e))(t)
	return musttest.Get(between.Decode(data))(t)
}

func mergeEvidence(t *testing.T, a, b *between.Evidence) *between.Evidence {
	t.Helper()
	return musttest.Get(between.Merge(a, b))(t)
}

// FuzzDecode: bad evidence gives an error, and what is taken can be judged.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		"0: MPI_Send(dest=1)\n1: MPI_Recv(source=0)\n0-1: MPI_Allgather(sendcount=2, recvcount=2)",
		"0-1: MPI_Win_create(base=0x10000, size=64, disp_unit=4) -> win=w\n0-1: MPI_Win_fence(win=w)\n" +
			"0: MPI_Put(target_rank=1, win=w)\n1: MPI_Barrier() -> …",
	} {
		traces := musttest.Get(usagetest.Parse(text))(f)
		data := musttest.Get(between.Encode(between.NewEvidence(digestsOf(traces)...)))(f)
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := between.Decode(data)
		if (e == nil) != (err != nil) {
			t.Fatal(e, err)
		}
		if err == nil {
			judge(e)
		}
	})
}
