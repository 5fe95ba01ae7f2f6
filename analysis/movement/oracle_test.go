package movement

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/invariant"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// parseOp reads an operation as testdata/oracle/groups.tsv has it:
// kind:site:source>dest[:segments], the site of a network operation send/receive.
func parseOp(text string) (op chain.Operation, uniqueness uint64) {
	f := strings.Split(text, ":")
	op.Site = f[1]
	op.Source, op.Dest, _ = strings.Cut(f[2], ">")
	switch f[0] {
	case "C":
		op.Kind, uniqueness = chain.Single, 1
	case "N":
		op.Kind, uniqueness = chain.Network, 2
		op.Site, op.Partner, _ = strings.Cut(f[1], "/")
	case "P":
		n, err := strconv.Atoi(f[3])
		if err != nil {
			panic(err)
		}
		op.Kind, uniqueness = chain.Pack, uint64(min(n, 10))
	}
	return op, uniqueness
}

func makeGroup(count uint64, ops ...string) chain.Group {
	list, weights := make([]chain.Operation, len(ops)), make([]uint64, len(ops))
	for i, text := range ops {
		list[i], weights[i] = parseOp(text)
	}
	g := chain.NewGroup(list)
	g.Add(1, weights)
	g.Count = count
	return g
}

// oracleLines reads a file of lines with fields separated by tabs.
func oracleLines(t testing.TB, name string) [][]string {
	t.Helper()
	text := musttest.Get(os.ReadFile("testdata/oracle/" + name))(t)
	var out [][]string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimRight(line, "\n"); line != "" && line[0] != '#' {
			out = append(out, strings.Split(line, "\t"))
		}
	}
	return out
}

func readExpected(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/oracle/" + name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	musttest.Succeed(t, err)
}

func checkNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if !(math.Abs(got-want) <= 1e-9) {
		t.Errorf("%s: %.12g, expected %.12g", what, got, want)
	}
}

// oracleTrace returns the groups, with their names, and the sampled instances.
func oracleTrace(t testing.TB) (*chain.Trace, []string) {
	var names []string
	tr := &chain.Trace{Tracks: []chain.Track{{}}}
	number := map[string]int32{}
	for _, f := range oracleLines(t, "groups.tsv") {
		count := musttest.Get(strconv.Atoi(f[1]))(t)
		number[f[0]] = int32(len(names))
		names = append(names, f[0])
		tr.Groups = append(tr.Groups, makeGroup(uint64(count), strings.Fields(f[2])...))
	}
	for i, f := range oracleLines(t, "instances.tsv") {
		c := chain.Instance{Group: number[f[2]], Lost: -1, Order: int64(i)}
		tr.Tracks[0].Chains = append(tr.Tracks[0].Chains, c)
	}
	return tr, names
}

// oracleViolation is what fc_expected.json says of one violation.
type oracleViolation struct {
	Chain, Inv     string
	Sim, Rare, Abn float64
	MatchAt        int `json:"match_at"`
	MatchLen       int `json:"match_len"`
	Missing        []string
}

func TestOracleInvariants(t *testing.T) {
	var want struct {
		Total      float64            `json:"eligible_total"`
		Invariants []string           `json:"invariants"`
		Uniqueness map[string]float64 `json:"uniqueness"`
		Violations []oracleViolation
	}
	readExpected(t, "fc_expected.json", &want)
	tr, names := oracleTrace(t)
	r := Analyse(tr, Options{})
	for i, g := range tr.Groups {
		checkNear(t, "uniqueness of "+names[i], g.Uniqueness(), want.Uniqueness[names[i]])
	}
	name := func(g chain.Group) string {
		return names[slices.IndexFunc(tr.Groups, func(h chain.Group) bool { return slices.Equal(g.Ops, h.Ops) })]
	}
	var found []string
	for _, p := range r.Invariants {
		found = append(found, name(p.Group))
		checkNear(t, "share of "+name(p.Group), p.Share, float64(p.Count)/want.Total)
	}
	checktest.Equal(t, want.Invariants, found)
	musttest.Equal(t, len(want.Violations), len(r.Violations), "violations")
	for _, w := range want.Violations {
		i := slices.IndexFunc(r.Violations, func(v invariant.Violation) bool {
			return name(v.Chain) == w.Chain && name(r.Invariants[v.Invariant].Group) == w.Inv
		})
		if i < 0 {
			t.Errorf("%s against %s is missing", w.Chain, w.Inv)
			continue
		}
		w.check(t, r.Violations[i])
	}
	if first := name(r.Violations[0].Chain); first != "B1" {
		t.Errorf("%s ranks first, not the chain that its other half is near", first)
	}
}

func (w oracleViolation) check(t *testing.T, v invariant.Violation) {
	var contexts map[string][2]int
	readExpected(t, "context_expected.json", &contexts)
	checkNear(t, w.Chain+" similarity", v.Similarity, w.Sim)
	checkNear(t, w.Chain+" rareness", v.Rareness, w.Rare)
	checkNear(t, w.Chain+" abnormality", v.Abnormality, w.Abn)
	if v.InvariantAt != w.MatchAt || v.Matched != w.MatchLen {
		t.Errorf("%s: %d operations at %d, expected %d at %d", w.Chain, v.Matched, v.InvariantAt, w.MatchLen, w.MatchAt)
	}
	var missing []chain.Operation
	for _, m := range w.Missing {
		op, _ := parseOp(m)
		missing = append(missing, op)
	}
	checktest.Equal(t, missing, v.Missing, w.Chain, "misses other operations")
	if c := contexts[w.Chain+"|"+w.Inv]; v.ContextMatches != c[0] || v.Instances != c[1] {
		t.Errorf("%s: context %d of %d, expected %v", w.Chain, v.ContextMatches, v.Instances, c)
	}
}

// The paper's case 1: a chain without its first copy.
func TestKnownAnswer(t *testing.T) {
	full := []string{"C:a:x>y", "C:b:y>z", "N:s/r:z>z", "C:c:z>q", "C:d:q>x"}
	usual, rare := makeGroup(15075, full...), makeGroup(154, full[1:]...)
	list, _ := invariant.Violations(&chain.Trace{Groups: []chain.Group{usual, rare}},
		[]invariant.Invariant{{Group: usual}}, nil)
	musttest.Equal(t, 1, len(list), "violations")
	v := list[0]
	for what, pair := range map[string][2]float64{
		"similarity": {v.Similarity, 0.833333}, "rareness": {v.Rareness, 0.989784},
		"abnormality": {v.Abnormality, 0.904846},
	} {
		if math.Abs(pair[0]-pair[1]) > 5e-7 {
			t.Errorf("%s is %f, not %f", what, pair[0], pair[1])
		}
	}
}

// countsTrace makes a trace with the counts of cd_bug.tsv or cd_ok.tsv.
func countsTrace(t testing.TB, name string) *chain.Trace {
	tr := &chain.Trace{}
	for _, f := range oracleLines(t, name) {
		rank := musttest.Get(strconv.Atoi(f[0]))(t)
		track := chain.Track{Rank: rank}
		for g, text := range f[1:] {
			n := musttest.Get(strconv.Atoi(text))(t)
			track.Chains = append(track.Chains, slices.Repeat([]chain.Instance{{Group: int32(g), Lost: -1}}, n)...)
			if len(tr.Groups) == g {
				tr.Groups = append(tr.Groups, makeGroup(0, fmt.Sprintf("C:g%d:a>b", g)))
			}
			tr.Groups[g].Count += uint64(n)
		}
		tr.Tracks = append(tr.Tracks, track)
	}
	return tr
}

func TestOracleDistances(t *testing.T) {
	for _, name := range []string{"cd_bug", "cd_ok"} {
		var want struct {
			K           int
			Avg         float64
			Outliers    []int
			OutliersLOO []int `json:"outliers_loo"`
			DK          []float64
			TopGroup    []int `json:"top_group"`
		}
		readExpected(t, name+"_expected.json", &want)
		tr := countsTrace(t, name+".tsv")
		r := Analyse(tr, Options{})
		d := r.Distances
		checkNear(t, name+" average", d.Average, want.Avg)
		if d.K != want.K || len(d.By) != len(want.DK) {
			t.Fatalf("%s: k is %d, %d ranks", name, d.K, len(d.By))
		}
		outliers, alone := []int{}, []int{}
		for i, x := range d.By {
			checkNear(t, fmt.Sprintf("%s rank %d", name, i), x.K, want.DK[i])
			checktest.Equal(t, want.TopGroup[i], x.Top, name, "rank", i, "top group")
			if x.LeaveOneOut > 5 {
				alone = append(alone, i)
			}
		}
		for _, o := range r.Outliers {
			outliers = append(outliers, o.Rank)
			if want := tr.Groups[want.TopGroup[o.Rank]]; !slices.Equal(o.Group.Ops, want.Ops) {
				t.Errorf("%s rank %d: the group is %v", name, o.Rank, o.Group.Ops)
			}
		}
		checktest.Equal(t, [][]int{want.Outliers, want.OutliersLOO}, [][]int{outliers, alone}, name)
	}
}
