package reporttest

import (
	"fmt"
	"strings"
	"time"

	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/report/slice"
	"laggard/report/source"
	"laggard/slicing"
)

// Large is a job of so many ranks, at least 4096, as it mostly is: one rank
// computes, most wait in a collective, some for their neighbours, and a node is
// gone. The groups are interleaved, so that their sets are long.
func Large(ranks int) *diagnosis.Result {
	r := newResult(ranks)
	const places = 40
	sets := make([]model.RankSet, places)
	for rank := range ranks {
		sets[groupIndex(rank, ranks)].Add(rank)
	}
	for id, s := range sets {
		r.Groups = append(r.Groups, largeGroup(id, s))
	}
	r.Groups[0].Least = true
	for id := 1; id < places; id++ {
		to := id / 3
		kind := []string{"collective", "p2p", "p2p", "inferred"}[id%4]
		r.Edges = append(r.Edges, diagnosis.Edge{From: id, To: to, Kind: kind, Weak: id%7 == 0,
			Reason: fmt.Sprintf("rank %d is in a call that rank %d has not reached (+%d similar waits)",
				sets[id].Min(), sets[to].Min(), sets[id].Len()-1)})
	}
	least := sets[0].Min()
	since := started.Add(3 * time.Hour)
	r.LeastProgressed = &diagnosis.LeastProgressed{Ranks: sets[0].Slice(), Set: sets[0].String(), Method: "evidence",
		Confidence: 0.93, Reason: "ultimately awaited by all others",
		Locations: []diagnosis.Location{{Rank: least, Ranks: sets[0].String(),
			Site: report.Site{Function: "eos_iterate", File: "/home/ana/melt/eos.c", Line: 312}, After: "MPI_Allreduce",
			Captured: true,
			Stack: []report.Frame{stackFrame("eos_iterate", "/home/ana/melt/eos.c", 312),
				stackFrame("step", "/home/ana/melt/step.c", 88),
				stackFrame("main", "/home/ana/melt/main.c", 71)}, Host: "n2048", PID: 7, Since: &since}}}
	gone := rankRange(ranks/2, ranks/2+127)
	r.LostRanks, r.Losses = gone.Slice(), []diagnosis.Loss{{Ranks: gone.String(),
		Reason: "no heartbeat since 2026-03-12 05:58:40 UTC, while others live"}}
	for id := range places {
		r.RankOrder = append(r.RankOrder, sets[id].String())
	}
	r.Extra.Compared = compareSame(r)
	return r
}

// groupIndex spreads ranks over the groups: one at the first, every second at the
// second, the rest over all others.
func groupIndex(rank, ranks int) int {
	switch {
	case rank == ranks/3:
		return 0
	case rank%2 == 0:
		return 1
	}
	return 2 + rank*7919%1009%38
}

func largeGroup(id int, s model.RankSet) diagnosis.Group {
	call := []string{"MPI_Allreduce", "MPI_Waitall", "MPI_Recv", "MPI_Bcast"}[id%4]
	kind := "communication"
	if id == 0 {
		kind = "computation"
	}
	return newGroup(id, s, kind, call, stackFrame(fmt.Sprintf("solve_part_%02d", id), "/home/ana/melt/solve.c", 100+7*id),
		stackFrame("step", "/home/ana/melt/step.c", 90+id%5), stackFrame("main", "/home/ana/melt/main.c", 71))
}

func compareSame(r *diagnosis.Result) *diagnosis.Result {
	other := *r
	other.Analysis.Algorithm = "pdi"
	other.Extra = diagnosis.Extra{}
	return &other
}

// Scattered is as large as a result gets: every rank is a group of its own and
// waits for the next but one, with long reasons; every slice is huge, and there are
// communicators without end.
func Scattered(ranks int) *diagnosis.Result {
	r := newResult(ranks)
	long := strings.Repeat("and so on ", 60)
	for rank := range ranks {
		stack := []report.Frame{}
		for depth := range 12 {
			stack = append(stack, stackFrame(fmt.Sprintf("f%d_%d", depth, (rank>>(2*depth))%7),
				fmt.Sprintf("/home/ana/melt/file%d.c", rank%50), 1+rank%1000))
		}
		r.Groups = append(r.Groups, newGroup(rank, rankRange(rank, rank), "communication", "MPI_Recv", stack...))
		r.Edges = append(r.Edges, diagnosis.Edge{From: rank, To: (rank + 2) % ranks, Kind: "p2p",
			Reason: fmt.Sprintf("rank %d waits %s", rank, long)})
		r.RankOrder = append(r.RankOrder, fmt.Sprint(rank))
		r.Problems = append(r.Problems, fmt.Sprintf("model: node.lgd: rank %d: %s", rank, long))
	}
	odd := model.RankSet{}
	for rank := 1; rank < ranks; rank += 2 {
		odd.Add(rank)
		r.Groups[rank].Least = true
	}
	r.LeastProgressed = &diagnosis.LeastProgressed{Ranks: odd.Slice(), Set: odd.String(), Method: "evidence",
		Confidence: 0.5, Reason: strings.Repeat(long, 100), Locations: []diagnosis.Location{}}
	for rank := range 64 {
		r.LeastProgressed.Locations = append(r.LeastProgressed.Locations,
			diagnosis.Location{Rank: rank, Ranks: fmt.Sprint(rank), Site: report.Site{Function: "f"},
				Stack: r.Groups[rank].State.Stack})
	}
	r.LostRanks, r.DamagedRanks, r.UnfinishedRanks = odd.Slice(), odd.Slice(), odd.Slice()
	for n := range 20 {
		s := slice.Slice{Head: slice.Head{Criterion: slice.Criterion{Group: n, Ranks: fmt.Sprint(n), Text: long}}}
		for line := range 6000 {
			s.Lines = append(s.Lines, slice.Line{Line: slicing.Line{File: fmt.Sprintf("/home/ana/melt/file%d.c", n),
				Line: line + 1, Function: fmt.Sprintf("f%d", line/40), Distance: line, Kind: slicing.Data}, New: true})
		}
		r.Slices = append(r.Slices, s)
		r.Extra.Sources = append(r.Extra.Sources, source.Excerpt{File: fmt.Sprintf("/home/ana/melt/file%d.c", n),
			First: 1, Text: strings.Split(strings.Repeat(long+"\n", 6000), "\n")})
		r.Extra.Comms = append(r.Extra.Comms, diagnosis.Communicator{ID: fmt.Sprintf("%x", n+1), Ranks: odd.String()})
	}
	r.Extra.Compared = compareSame(r)
	return r
}
