package runfiles

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/modeltest"
	"laggard/model/nodefile"
)

// TestParts: however a directory is divided, the parts together list the slots
// that the whole lists, each once, and say the same of the job. Some ranks were
// started twice, one file is of another run, one has lost its header.
func TestParts(t *testing.T) {
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(11, 4))
	ranks := modeltest.RandomRanksOf(r, modeltest.Lean, "", 40)
	for i := range 5 {
		h := nodefile.Header{RunID: 7, Host: fmt.Sprint(i), Created: modeltest.Time(1)}
		some := ranks[8*i : min(8*i+11, 40)] // three of them also in the next file
		if i == 3 {
			h.RunID = 8
		}
		musttest.Get(nodefile.NewFolder().WriteNode(dir, h, some))(t)
	}
	whole := musttest.Get(Scan(dir))(t)
	if whole.ID != 7 || whole.Size != 40 || whole.Foreign.String() != "27-31" || whole.MissingRanks().String() != "27-31" ||
		len(whole.Slots) != 35 || whole.Duplicates != 6 {
		t.Fatalf("run %d of %d ranks, foreign %s, missing %s, %d slots, %d again", whole.ID, whole.Size, whole.Foreign,
			whole.MissingRanks(), len(whole.Slots), whole.Duplicates)
	}
	for n := 1; n <= 9; n++ {
		l := musttest.Get(List(dir))(t)
		var parts []*Part
		var census Census
		for i := range n {
			parts = append(parts, l.ScanPart(i, n))
			census = MergeCensuses(parts[i].TakeCensus(), census)
		}
		v := census.DecideRun(nil)
		claims := Claims{}
		for _, p := range parts {
			claims = MergeClaims(claims, p.BestClaims(v))
		}
		var slots []nodefile.SlotInfo
		var problems []string
		for _, p := range parts {
			x := p.BuildIndex(v, claims)
			slots = append(slots, x.Slots...)
			for _, problem := range x.Problems {
				problems = append(problems, problem.Err.Error())
			}
			if !x.Seen.Equal(whole.Seen) || x.Size != whole.Size || x.ID != whole.ID ||
				!x.Foreign.Equal(whole.Foreign) || x.Duplicates != whole.Duplicates {
				t.Errorf("%d parts: seen %s, size %d, run %d, foreign %s", n, x.Seen, x.Size, x.ID, x.Foreign)
			}
		}
		slices.SortFunc(slots, func(a, b nodefile.SlotInfo) int { return cmp.Compare(a.Rank, b.Rank) })
		checktest.Equal(t, whole.Slots, slots, n, "parts")
		if len(problems) != 1 || problems[0] != whole.Problems[0].Err.Error() {
			t.Errorf("%d parts: problems %q", n, problems)
		}
	}
}

// TestLyingManifest: where no file is of the run that the manifest tells, the
// files are believed, and the manifest is named.
func TestLyingManifest(t *testing.T) {
	dir := t.TempDir()
	ranks := modeltest.RandomRanksOf(rand.New(rand.NewPCG(3, 3)), modeltest.Lean, "", 4)
	musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 7, Host: "a", Created: modeltest.Time(1)}, ranks))(t)
	musttest.Succeed(t, WriteManifest(dir, &model.Manifest{RunID: model.RunIDText(9), Ranks: 6}))
	run := musttest.Get(Open(dir))(t)
	if run.ID != 7 || run.Size != 4 || len(run.Ranks) != 4 || len(run.Problems) != 2 {
		t.Errorf("run %d of %d ranks, %d read, problems %v", run.ID, run.Size, len(run.Ranks), run.Problems)
	}
	for _, p := range run.Problems {
		if p.File != ManifestName {
			t.Errorf("%v", p)
		}
	}
}
