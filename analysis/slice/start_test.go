package slice

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"laggard/analysis/progress"
	"laggard/analysis/progress/facts"
	"laggard/model"
)

// fiveGroups: of five groups, ranks 1 and 2 are least progressed and rank 3 left no
// record; 0 waits for 1 and 3, 4 waits for 0, and its order to 2 is undefined.
func fiveGroups() *progress.Result {
	r := &progress.Result{}
	stack := []model.Frame{{Offset: 1}}
	for id, kind := range []progress.StateKind{
		progress.Communication, progress.Communication, progress.Computation, progress.Unknown, progress.Communication,
	} {
		r.Groups = append(r.Groups, progress.Group{
			ID: id, Ranks: model.NewRankSet(id), Kind: kind, Call: "MPI_Barrier", Stack: stack,
			Least: id == 1 || id == 2,
		})
	}
	r.Edges = []progress.Edge{
		{From: 0, To: 1, Kind: progress.EdgeCollective}, {From: 0, To: 3, Kind: progress.EdgeCollective},
		{From: 3, To: 1, Kind: progress.EdgeInferred}, {From: 4, To: 0, Kind: progress.EdgeInferred},
		{From: 4, To: 2, Kind: progress.EdgeUndefined},
	}
	return r
}

func TestStartsFollowTheProgressDependenceGraph(t *testing.T) {
	for rank, want := range map[int]string{
		-1: "2 1 0-waiting 4-waiting", // the one that computes says more
		0:  "0 4-waiting",
		4:  "4",
	} {
		starts, err := startsOf(fiveGroups(), rank)
		var got []string
		for _, s := range starts {
			text := fmt.Sprint(s.Group.ID)
			if s.Waiting {
				text += "-waiting"
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != want || err != nil {
			t.Errorf("from rank %d: %s, want %s (%v)", rank, text, want, err)
		}
	}
}

func TestStartsOfUnknownRank(t *testing.T) {
	for _, rank := range []int{3, 9} {
		if _, err := startsOf(fiveGroups(), rank); !errors.As(err, new(*RankError)) {
			t.Errorf("rank %d: error %v", rank, err)
		}
	}
}

// TestCriterionOfARankThatComputes: the stack that was captured says more than
// the call behind which it computes.
func TestCriterionOfARankThatComputes(t *testing.T) {
	r := fiveGroups()
	r.Groups[2].Ranks = model.NewRankSet(2, 5)
	at := []model.Frame{{Offset: 77}}
	r.Stacks = []facts.Stack{{Frames: at, Ranks: model.NewRankSet(5)}}
	if c := criterionOf(r, r.Groups[2], -1); c.Rank != 5 || c.Stack[0] != at[0] || c.Call != "" || !c.Exact {
		t.Errorf("it is %+v", c)
	}
	if c := criterionOf(r, r.Groups[1], -1); c.Rank != 1 || c.Call != "MPI_Barrier" || c.Exact {
		t.Errorf("it is %+v", c)
	}
}
