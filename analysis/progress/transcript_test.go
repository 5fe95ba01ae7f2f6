package progress

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/process"
)

// TestTranscripts runs the scenarios of testdata; -rewrite writes what came out.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.Contains(path, "fuzz") {
			t.Skip()
		}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "diagnose":
				return diagnose(t, d)
			case "table1":
				return table1(d.Input)
			case "table2":
				return table2(d.Input)
			case "reach":
				return reachTable(d)
			case "codes":
				return codeTable(t, d)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func parseOptions(t *testing.T, d *datadriven.TestData) Options {
	opts := Options{PaperOnly: d.HasArg("paper"), Progressing: d.HasArg("progressing")}
	opts.Liveness = map[int]evidence.Liveness{}
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "size":
			opts.Size = mustInt(a.Vals[0])
		case "damaged":
			opts.Damaged = model.NewRankSet(mustRanks(a.Vals[0])...)
		case "dead":
			for _, r := range mustRanks(a.Vals[0]) {
				opts.Liveness[r] = evidence.Dead
			}
		case "stopped":
			for _, r := range mustRanks(a.Vals[0]) {
				opts.Liveness[r] = evidence.Stopped
			}
		case "arrived": // at laggard run, a signal and when
			opts.Arrived = append(opts.Arrived, process.ReceivedSignal{Signal: mustInt(a.Vals[0]),
				Time: time.Unix(int64(mustInt(a.Vals[1])), 0)})
		case "progressed": // when a rank last did
			opts.LastProgress = time.Unix(int64(mustInt(a.Vals[0])), 0)
		case "launcher": // was killed by a signal, and when
			opts.Launcher = &process.Launcher{Signal: mustInt(a.Vals[0]), Ended: time.Unix(int64(mustInt(a.Vals[1])), 0)}
		case "status": // the launcher ended with it
			opts.Launcher = &process.Launcher{Status: mustInt(a.Vals[0])}
		case "skipped": // ranks left out a collective of the world that the others made: who, what, its number
			opts.Diverged = append(opts.Diverged, skippedDivergence(d, a.Vals))
		case "sized": // ranks made a collective of the world with another count: who, what, its number
			opts.Diverged = append(opts.Diverged, sizedDivergence(d, a.Vals))
		case "algorithm":
			opts.Algorithm = a.Vals[0]
		case "uncounted": // as a record that was made by looks at the ranks
			opts.StacksOnly, opts.Uncounted, opts.Algorithm = true, true, inference.PDI
		case "paper", "progressing":
		default:
			d.Fatalf(t, "unknown argument %s", a.Key)
		}
	}
	return opts
}

func skippedDivergence(d *datadriven.TestData, values []string) divergence.Divergence {
	odd, number := model.NewRankSet(mustRanks(values[0])...), uint64(mustInt(values[2]))
	var all model.RankSet
	for _, r := range parseScript(d.Input).buildRanks() {
		all.Add(r.Rank)
	}
	call := divergence.CallIn(&model.State{Call: values[1]})
	call.Number = number
	calls := []divergence.Call{call}
	return divergence.Divergence{
		Comm: 1, Kind: model.World, Agree: all.Minus(odd), Majority: 2*odd.Len() < all.Len(),
		Odd: []divergence.Odd{{
			Deviation: divergence.Deviation{Kind: divergence.Skipped, Number: number, After: number - 1, Calls: calls, Theirs: calls},
			Line:      divergence.Line{Ranks: odd},
		}},
	}
}

func sizedDivergence(d *datadriven.TestData, values []string) divergence.Divergence {
	out := skippedDivergence(d, values)
	own := out.Odd[0].Calls[0]
	own.Bytes = 256
	out.Odd[0].Kind, out.Odd[0].Calls = divergence.Arguments, []divergence.Call{own}
	return out
}

// diagnose concludes from one block, and checks that any other blocks, merged
// in any order and through the encodings, lead to the same bytes.
func diagnose(t *testing.T, d *datadriven.TestData) string {
	ranks, opts := parseScript(d.Input).buildRanks(), parseOptions(t, d)
	sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, opts, nil)
	result, err := concludeDiagnosis(sum, part, opts)
	if err != nil {
		return err.Error() + "\n"
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 6 {
		s, p := analyseBlocks(t, blocksOf(ranks, 1+rng.IntN(9), rng), opts, rng)
		if diff := cmp.Diff(encodeBoth(t, sum, part), encodeBoth(t, s, p)); diff != "" {
			d.Fatalf(t, "other blocks, other bytes:\n%s", diff)
		}
		again, err := concludeDiagnosis(s, p, opts)
		if diff := cmp.Diff(describeDiagnosis(result), describeDiagnosis(again)); diff != "" || err != nil {
			d.Fatalf(t, "other blocks, other result: %v\n%s", err, diff)
		}
	}
	return describeDiagnosis(result)
}

// blocksOf deals the ranks out at random.
func blocksOf(ranks []*model.Rank, n int, rng *rand.Rand) [][]*model.Rank {
	blocks := make([][]*model.Rank, n)
	for _, i := range rng.Perm(len(ranks)) {
		b := rng.IntN(n)
		blocks[b] = append(blocks[b], ranks[i])
	}
	return blocks
}

// analyseBlocks runs the steps over blocks; with rng it merges in a random tree.
func analyseBlocks(t testing.TB, blocks [][]*model.Rank, opts Options, rng *rand.Rand) (facts.Summary, Partial) {
	t.Helper()
	var sums []facts.Summary
	for _, b := range blocks {
		s := musttest.Get(summarise(b))(t)
		sums = append(sums, s)
	}
	sum := foldRandomly(t, sums, rng, facts.MergeSummaries, facts.EncodeSummary, facts.DecodeSummary)
	var parts []Partial
	for _, b := range blocks {
		p := musttest.Get(localPartial(b, &sum, opts))(t)
		parts = append(parts, p)
	}
	return sum, foldRandomly(t, parts, rng, MergePartials, EncodePartial, DecodePartial)
}

// foldRandomly merges in a random order and tree, each value through its encoding.
func foldRandomly[T any](t testing.TB, values []T, rng *rand.Rand, merge func(a, b T) (T, error),
	encode func(T) ([]byte, error), decode func([]byte) (T, error)) T {
	t.Helper()
	for len(values) > 1 {
		i, j := 0, 1
		if rng != nil {
			i = rng.IntN(len(values))
			j = (i + 1 + rng.IntN(len(values)-1)) % len(values)
		}
		b := musttest.Get(encode(values[j]))(t)
		other := musttest.Get(decode(b))(t)
		values[i] = musttest.Get(merge(values[i], other))(t)
		values = append(values[:j:j], values[j+1:]...)
	}
	return values[0]
}

func encodeBoth(t testing.TB, s facts.Summary, p Partial) string {
	t.Helper()
	a := musttest.Get(facts.EncodeSummary(s))(t)
	b := musttest.Get(EncodePartial(p))(t)
	return string(a) + "\n" + string(b)
}

// table1 prints the code for each line with the two probabilities.
func table1(input string) string {
	var b strings.Builder
	for line := range strings.Lines(input) {
		var ij, ji float64
		if _, err := fmt.Sscan(line, &ij, &ji); err != nil {
			return err.Error()
		}
		c := inference.Dependence(ij, ji)
		says := [...]string{"none", "i waits for j", "j waits for i", "undefined"}[c]
		fmt.Fprintf(&b, "P(i,j)=%g P(j,i)=%g: %d %v, %s\n", ij, ji, c, c, says)
		if c.Swap() != inference.Dependence(ji, ij) {
			b.WriteString("not symmetric\n")
		}
	}
	return b.String()
}

// table2 prints the union of the two codes in each line.
func table2(input string) string {
	var b strings.Builder
	for line := range strings.Lines(input) {
		var x, y inference.Code
		if _, err := fmt.Sscan(line, &x, &y); err != nil {
			return err.Error()
		}
		fmt.Fprintf(&b, "%v ∪ %v = %v, %d+%d=%d\n", x, y, x.Union(y), x, y, x.Union(y))
	}
	return b.String()
}

// reachTable prints P(from, to) for the pairs in the arguments.
func reachTable(d *datadriven.TestData) string {
	m := parseModel(strings.Fields(d.Input))
	c := inference.NewChain(&m)
	var b strings.Builder
	for _, a := range d.CmdArgs {
		fmt.Fprintf(&b, "P(%s,%s) = %.6g\n", a.Vals[0], a.Vals[1],
			c.Reach(positionNamed(a.Vals[0]), positionNamed(a.Vals[1])))
	}
	return b.String()
}

// positionNamed reads "start", a state, or a state with "+" for the
// computation behind it.
func positionNamed(text string) facts.Position {
	if text == "start" {
		return facts.Position{}
	}
	name, after := strings.CutSuffix(text, "+")
	return facts.Position{State: stateNamed(name).ID, Begun: true, InMPI: !after}
}

// codeTable prints the merged PDG by position.
func codeTable(t *testing.T, d *datadriven.TestData) string {
	opts := Options{Algorithm: inference.PDI, PaperOnly: true}
	ranks := parseScript(d.Input).buildRanks()
	sum, part := analyseBlocks(t, [][]*model.Rank{ranks}, opts, nil)
	f, err := FindLP(sum, part, opts)
	if err != nil {
		d.Fatalf(t, "%v", err)
	}
	at := map[int]facts.Position{}
	for _, f := range sum.Facts {
		at[f.Rank] = f.At
	}
	var b strings.Builder
	for i, x := range ranks {
		for _, y := range ranks[i+1:] {
			e := pairOf(part.Edges, slices.Index(sum.Positions(), at[x.Rank]),
				slices.Index(sum.Positions(), at[y.Rank]))
			fmt.Fprintf(&b, "%d %d: P %.3g, back %.3g, %d %s\n", x.Rank, y.Rank, e.Reach, e.Back, e.Code,
				[...]string{"none", "the first waits for the second", "the second waits for the first",
					"undefined"}[e.Code])
		}
	}
	fmt.Fprintf(&b, "least: %v\n", f.Ranks)
	return b.String()
}

// pairOf returns the edge between two positions, in that order.
func pairOf(edges []inference.PairEdge, a, b int) inference.PairEdge {
	for _, e := range edges {
		switch {
		case e.A == a && e.B == b:
			return e
		case e.A == b && e.B == a:
			return inference.PairEdge{A: a, B: b, Code: e.Code.Swap(), Reach: e.Back, Back: e.Reach}
		}
	}
	return inference.PairEdge{A: a, B: b}
}
