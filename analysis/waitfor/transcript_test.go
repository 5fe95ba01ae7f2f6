package waitfor

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/model"
)

// TestTranscripts answers for the graphs of testdata; -rewrite writes what came
// out. A line is a rank and what it needs: "0: 1,2 & any 3,4 | 5" either 1, 2 and
// one of 3 and 4, or 5. A rank that "runs" is free; one that "ended" never moves.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			g, err := parseGraph(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return formatAnswers(g)
		})
	})
}

func parseGraph(text string) (*Graph, error) {
	g, needs := New(0), map[int]string{}
	for line := range strings.Lines(text) {
		var rank int
		_, need, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if _, err := fmt.Sscanf(line, "%d:", &rank); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		kind := Any
		if need == "runs" {
			kind = All
		}
		if g.Rank(rank, kind); need != "runs" && need != "ended" {
			needs[rank] = need
		}
	}
	for rank, need := range needs {
		node, _ := g.Node(rank)
		for call := range strings.SplitSeq(need, "|") {
			operation, err := parseCall(g, call)
			if err != nil {
				return nil, err
			}
			g.Need(node, operation)
		}
	}
	return g, nil
}

func parseCall(g *Graph, text string) (int, error) {
	call := g.Operation(All)
	for text := range strings.SplitSeq(text, "&") {
		list, any := strings.CutPrefix(strings.TrimSpace(text), "any")
		ranks, err := model.ParseRankSet(strings.TrimSpace(list))
		if err != nil {
			return 0, err
		}
		message := g.Operation(Kind(any))
		for _, rank := range ranks.Slice() {
			node, known := g.Node(rank)
			if !known {
				return 0, fmt.Errorf("nothing is said of rank %d", rank)
			}
			g.Need(message, node)
		}
		g.Need(call, message)
	}
	return call, nil
}

func formatAnswers(g *Graph) string {
	var b strings.Builder
	stuck := g.Stuck(g.Nodes())
	fmt.Fprintf(&b, "stuck: %d nodes, ranks %q\n", len(stuck), g.Ranks(stuck))
	for _, core := range g.Cores() {
		fmt.Fprintf(&b, "core %s: %v\n", core, g.Ring(core))
	}
	for _, knot := range g.Knots(stuck) {
		cycle := g.Cycle(knot.Min(), func(node int) bool { return slices.Contains(stuck, node) })
		fmt.Fprintf(&b, "knot %s: cycle %v\n", knot, cycle)
	}
	levels, top, heights := map[int]model.RankSet{}, 0, g.Heights()
	for _, rank := range g.Ranks(g.Nodes()).Slice() {
		node, _ := g.Node(rank)
		top = max(top, heights[node])
		levels[heights[node]] = levels[heights[node]].Union(model.NewRankSet(rank))
	}
	for i := range top + 1 {
		fmt.Fprintf(&b, "height %d: %s\n", i, levels[i])
	}
	return b.String()
}
