package diagnosis_test

import (
	"fmt"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/report/reporttest"
)

// drawTree writes a tree with what ends at each node.
func drawTree(t *diagnosis.StackTree, stacks []diagnosis.RankStack, indent string) string {
	var b strings.Builder
	for _, c := range t.Children {
		b.WriteString(indent + c.Text())
		for _, i := range c.Ends {
			fmt.Fprintf(&b, " [group %d: %s]", stacks[i].Group, stacks[i].Ranks)
		}
		b.WriteString("\n" + drawTree(c, stacks, indent+"  "))
	}
	return b.String()
}

func drawStacks(t *testing.T, r *diagnosis.Result) string {
	t.Helper()
	stacks := musttest.Get(diagnosis.RankStacks(r))(t)
	return drawTree(diagnosis.NewStackTree(stacks), stacks, "")
}

func TestStackTree(t *testing.T) {
	want := `main  main.c:66,71
  checkpoint  pio.c:88,93
    close_for_write  pio.c:41
      MPI_Recv [group 0: 0]
    MPI_Barrier [group 1: 1-39]
  exchange  halo.c:120 [group 3: 56-61]
    MPI_Waitall [group 2: 40-55]
  poll  pio.c:52 [group 5: 63]
`
	checktest.Equal(t, want, drawStacks(t, reporttest.Complete()))
}

// TestStackTreeOfPlaces: ranks of one group at several places are told apart,
// and what is known of none of them keeps the group's own stack.
func TestStackTreeOfPlaces(t *testing.T) {
	at := func(function string) []report.Frame { return []report.Frame{{Function: function}, {Function: "main"}} }
	r := &diagnosis.Result{
		Groups: []diagnosis.Group{{ID: 0, Ranks: "0-9", Least: true,
			State: diagnosis.State{Kind: "computation", Stack: at("last")}}},
		LeastProgressed: &diagnosis.LeastProgressed{Set: "0-9", Locations: []diagnosis.Location{
			{Rank: 0, Ranks: "0-3", Stack: at("here")}, {Rank: 4, Ranks: "4-7", Stack: at("there")}}},
	}
	want := "main\n  here [group 0: 0-3]\n  there [group 0: 4-7]\n  last [group 0: 8-9]\n"
	checktest.Equal(t, want, drawStacks(t, r))
	r.Groups[0].Ranks = "nonsense"
	if _, err := diagnosis.RankStacks(r); err == nil {
		t.Error("nonsense is a set of ranks")
	}
}
