package scaling

import (
	"fmt"
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/musttest"
)

func callFrame(call string) recorded.Frame { return recorded.Frame{Module: "MPI", Function: call} }

// Two ways of a gathering call through the library, and a third one.
var (
	ringPath   = siteOf(libFrame("ring", 0x10), callFrame("MPI_Allgather"), appFrame("gather", 10))
	treePath   = siteOf(libFrame("tree", 0x20), callFrame("MPI_Allgather"), appFrame("gather", 10))
	otherPath  = siteOf(libFrame("other", 0x30), callFrame("MPI_Allgather"), appFrame("gather", 10))
	directSite = siteOf(libFrame("send", 0x40), callFrame("MPI_Send"), appFrame("halo", 20))
)

// appendGatherRun makes a run in which every rank sends along one path of the call,
// and a tenth as much directly.
func appendGatherRun(t *recorded.Table, ranks int, path recorded.Site) {
	for rank := range ranks {
		t.Rows = append(t.Rows,
			recorded.Observation{Run: fmt.Sprint(ranks), Rank: rank, Ranks: ranks, Volume: map[int]float64{
				t.Site(path): 1000 * float64(ranks-1), t.Site(directSite): 100 * float64(ranks-1),
			}})
	}
}

func trainedOn(t *testing.T, paths map[int]recorded.Site) *training.Model {
	t.Helper()
	table := &recorded.Table{}
	for _, ranks := range []int{4, 5, 6, 8, 10, 12} {
		appendGatherRun(table, ranks, paths[ranks])
	}
	return musttest.Get(trainModel(table, kcca.Options{}))(t)
}

// TestSwitching: another path at the next scale is a finding if the library kept
// to one before, and none if it chose by scale already; far from training it is
// none either, but said to be outside the range.
func TestSwitching(t *testing.T) {
	always := map[int]recorded.Site{4: ringPath, 5: ringPath, 6: ringPath, 8: ringPath, 10: ringPath, 12: ringPath}
	chosen := map[int]recorded.Site{4: ringPath, 5: ringPath, 6: ringPath, 8: treePath, 10: treePath, 12: treePath}
	for _, c := range []struct {
		name      string
		training  map[int]recorded.Site
		ranks     int
		path      recorded.Site
		flagged   int
		elsewhere int
	}{
		{"the same way", always, 14, ringPath, 0, 0},
		{"another way", always, 14, otherPath, 14, 0},
		{"another way, far off", always, 48, otherPath, 0, 48},
		{"the same way, far off", always, 48, ringPath, 0, 0},
		{"the library chooses, and again", chosen, 14, otherPath, 0, 0},
		{"the library chooses, in training", chosen, 12, otherPath, 12, 0},
	} {
		table := &recorded.Table{}
		appendGatherRun(table, c.ranks, c.path)
		v := musttest.Get(judgeRun(trainedOn(t, c.training), table, judge.Circumstances{Library: recorded.InLibrary}))(t)
		if v.Flagged.Len() != c.flagged || v.Elsewhere.Len() != c.elsewhere || c.elsewhere > 0 && v.InRange {
			t.Errorf("%s: flagged %s, elsewhere %s, in range %v", c.name, v.Flagged, v.Elsewhere, v.InRange)
		}
		if places := c.flagged+c.elsewhere > 0; places != (len(v.Localisation) > 0) {
			t.Errorf("%s: %d places", c.name, len(v.Localisation))
		} else if places && v.Localisation[0].Divergence.Function != "other" {
			t.Errorf("%s: place %v", c.name, v.Localisation[0].Divergence)
		}
	}
}
