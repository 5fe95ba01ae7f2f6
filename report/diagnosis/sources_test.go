package diagnosis

import (
	"fmt"

	"laggard/analysis/progress"
	"laggard/analysis/progress/contrast"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/report"
)

// testSources are the runs that the goldens show.
func testSources() map[string]Source {
	return map[string]Source{
		"hang": hangSource(), "deadlock": deadlockSource(), "knot": knotSource(), "lost": lostRankSource(),
		"lost_record": lostRecordSource(),
		"healthy":     healthySource(), "no_record": noRecordSource(), "undefined": undefinedSource(), "untold": undecidedSource(),
		"alike": indistinctSource(),
		"many":  manyLeastSource(), "damaged": damagedSource(), "hostile": hostileSource(),
	}
}

var someRun = report.Run{Dir: "run", ID: "00000000000004d2", Command: []string{"mpirun", "-np", "16", "./halo"},
	Created: sometime}

func because(kind progress.ReasonKind, ranks model.RankSet) []progress.Reason {
	return []progress.Reason{{Kind: kind, Ranks: ranks}}
}

func lostReasons(l *progress.Loss) []progress.Reason {
	return []progress.Reason{{Kind: progress.RanksLost, Loss: l}}
}

// waiting is why a rank waits in a call for what a peer owes it on MPI_COMM_WORLD.
func waiting(kind evidence.ExplanationKind, rank, peer int, call string, want facts.Want, count uint64) *evidence.Explanation {
	return &evidence.Explanation{Kind: kind, Rank: rank, Peer: peer, Wait: &facts.Wait{Call: call}, Want: &want,
		On: model.CommRef{ID: 1, Kind: model.World, Known: true}, Counted: true, Count: count}
}

func afterCall(function string) inference.Spot { return inference.Spot{Call: function, Begun: true} }

// hangSource: rank 3 computes, the others wait for it, and some for each other.
func hangSource() Source {
	others := rankRange(0, 15).Minus(set(3))
	return Source{
		Run: someRun,
		Result: &progress.Result{Diagnosis: progress.Diagnosis{
			Algorithm: "pdi", Size: 16, Hang: true,
			LeastProgressed: &progress.LeastProgressed{
				Ranks: set(3), Method: progress.MethodEvidence, Confidence: 0.99,
				Reasons:   because(progress.AwaitedBy, others),
				Locations: []progress.Location{{Ranks: set(3), After: "MPI_Waitall", Stack: inSettle, Captured: true}},
			},
			Groups: []progress.Group{
				{ID: 0, Ranks: others, Kind: progress.Communication, Call: "MPI_Waitall", Stack: inExchange},
				{ID: 1, Ranks: set(3), Kind: progress.Computation, Call: "MPI_Waitall", Stack: inExchange,
					Isolated: true, Least: true},
			},
			Edges: []progress.Edge{
				{From: 0, To: 0, Kind: progress.EdgePointToPoint, More: 12, Example: waiting(evidence.NotSent, 0, 15, "MPI_Waitall",
					facts.Want{Call: "MPI_Irecv", Kind: model.Recv, Tag: model.None, Seq: 46}, 45)},
				{From: 0, To: 1, Kind: progress.EdgePointToPoint, More: 1, Example: waiting(evidence.NotSent, 2, 3, "MPI_Waitall",
					facts.Want{Call: "MPI_Irecv", Kind: model.Recv, Tag: model.None, Seq: 42}, 41)},
			},
			ProgressOrder: [][]int{{1}, {0}},
		},
			Processes: map[int]progress.Process{3: {Host: "n0017", PID: 4711, Alive: true, Since: sometime}},
		}}
}

// deadlockSource: three ranks wait for each other and the others for them.
func deadlockSource() Source {
	f := progress.Diagnosis{
		Algorithm: "pdi", Size: 8, Hang: true,
		LeastProgressed: &progress.LeastProgressed{
			Ranks:      rankRange(0, 2),
			Method:     progress.MethodEvidence,
			Confidence: 0.99,
			Reasons:    []progress.Reason{{Kind: progress.InDeadlock, Roots: []evidence.Root{{Ranks: rankRange(0, 2)}}}},
			Cause:      progress.CauseDeadlock,
			Locations:  []progress.Location{{Ranks: rankRange(0, 2), Call: "MPI_Send", Stack: inExchange}},
		},
		Deadlock:      &progress.Deadlock{Cycles: [][]int{{0, 2, 1}}, Certain: true},
		ProgressOrder: [][]int{{0, 1, 2}, {3}},
	}
	for rank := range 3 {
		to := (rank + 2) % 3
		f.Groups = append(f.Groups, progress.Group{ID: rank, Ranks: set(rank), Kind: progress.Communication,
			Call: "MPI_Send", Stack: inExchange, Isolated: true, Least: true})
		f.Edges = append(f.Edges, progress.Edge{From: rank, To: to, Kind: progress.EdgePointToPoint,
			Example: waiting(evidence.NotReceived, rank, to, "MPI_Send", facts.Want{Kind: model.Send, Tag: model.None}, 0)})
	}
	f.Groups = append(f.Groups, progress.Group{ID: 3, Ranks: rankRange(3, 7), Kind: progress.Communication,
		Call: "MPI_Barrier", Stack: inExchange})
	for to := range 3 {
		f.Edges = append(f.Edges, progress.Edge{From: 3, To: to, Kind: progress.EdgeCollective, More: 4,
			Example: waiting(evidence.NotBegun, 3, to, "MPI_Barrier", facts.Want{Kind: model.Collective, Seq: 1}, 0)})
	}
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: f,
		Processes: map[int]progress.Process{0: {Host: "n0001", PID: 100, Alive: true, Since: sometime}}}}
}

// knotSource: a deadlock without an order, beside a lost rank that caused it.
func knotSource() Source {
	noRecord := progress.Loss{Ranks: set(3), Cause: true}
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: progress.Diagnosis{
		Algorithm: "pdi", Size: 4, Hang: true,
		LeastProgressed: &progress.LeastProgressed{Ranks: set(3), Method: progress.MethodEvidence, Confidence: 0.99,
			Reasons: lostReasons(&noRecord), Cause: progress.CauseLost, Locations: []progress.Location{{Ranks: set(3)}}},
		Deadlock: &progress.Deadlock{Cycles: [][]int{{0, 1, 2}}, Certain: true},
		Lost:     []progress.Loss{noRecord},
		Groups: []progress.Group{
			{ID: 0, Ranks: rankRange(0, 2), Kind: progress.Communication, Call: "MPI_Recv", Stack: inExchange},
			{ID: 1, Ranks: set(3), Kind: progress.Unknown, Isolated: true, Least: true},
		},
		Edges: []progress.Edge{{From: 0, To: 0, Kind: progress.EdgePointToPoint, Weak: true,
			Example: waiting(evidence.MaySend, 0, 1, "MPI_Recv", facts.Want{Kind: model.Recv, Peer: model.Any, Tag: model.None}, 0)}},
		ProgressOrder: [][]int{{1}, {0}},
	}}}
}

// lostRankSource: one rank was killed, another ended after it, two never finalized.
func lostRankSource() Source {
	killed := progress.Loss{Ranks: set(5), Kind: evidence.EndedBySender, Signal: 9, Cause: true,
		Sender: evidence.Sender{Kind: evidence.FromProcess, PID: 7}}
	return Source{
		Run: someRun,
		Result: &progress.Result{Diagnosis: progress.Diagnosis{
			Algorithm: "pdi", Size: 16, Hang: true,
			LeastProgressed: &progress.LeastProgressed{
				Ranks: set(5), Method: progress.MethodEvidence, Confidence: 0.99, Reasons: lostReasons(&killed),
				Locations: []progress.Location{{Ranks: set(5), Call: "MPI_Waitall", Stack: inExchange}},
			},
			Lost:       []progress.Loss{killed, {Ranks: set(6, 7), Kind: evidence.MissedSignal}},
			Unfinished: set(5, 6, 7),
			Groups: []progress.Group{
				{ID: 0, Ranks: rankRange(0, 15).Minus(set(5)), Kind: progress.Communication, Call: "MPI_Allreduce",
					Stack: inExchange},
				{ID: 1, Ranks: set(5), Kind: progress.Communication, Call: "MPI_Waitall", Stack: inExchange,
					Isolated: true, Least: true},
			},
			Edges: []progress.Edge{{From: 0, To: 1, Kind: progress.EdgeCollective, More: 14,
				Example: waiting(evidence.NotBegun, 0, 5, "MPI_Allreduce", facts.Want{Kind: model.Collective, Seq: 5}, 4)}},
			ProgressOrder: [][]int{{1}, {0}},
		},
			Processes: map[int]progress.Process{5: {Host: "n0002", PID: 200}},
		}}
}

// lostRecordSource: two ranks left nothing.
func lostRecordSource() Source {
	noRecord := progress.Loss{Ranks: set(2, 3), Cause: true, Lead: evidence.MayLive}
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: progress.Diagnosis{
		Algorithm: "pdi", Size: 4, Hang: true,
		LeastProgressed: &progress.LeastProgressed{
			Ranks: set(2, 3), Method: progress.MethodEvidence, Confidence: 0.50, Reasons: lostReasons(&noRecord),
			Locations: []progress.Location{{Ranks: set(2, 3)}},
		},
		Lost: []progress.Loss{noRecord},
		Groups: []progress.Group{
			{ID: 0, Ranks: set(0, 1), Kind: progress.Communication, Call: "MPI_Barrier", Stack: inExchange},
			{ID: 1, Ranks: set(2, 3), Kind: progress.Unknown, Least: true},
		},
		ProgressOrder: [][]int{{1}, {0}},
	}}}
}

func healthySource() Source {
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: progress.Diagnosis{
		Algorithm: "pdi", Size: 16,
		Groups: []progress.Group{{ID: 0, Ranks: rankRange(0, 15), Kind: progress.Computation, Call: "MPI_Finalize",
			Stack: inExchange}},
		ProgressOrder: [][]int{{0}},
	}}}
}

func noRecordSource() Source {
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: progress.Diagnosis{Algorithm: "pdi",
		Unrecorded: true}}}
}

// undefinedSource: evidence says nothing and inference little; nobody left a stack.
func undefinedSource() Source {
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: progress.Diagnosis{
		Algorithm: "pdi", Size: 8, Hang: true,
		LeastProgressed: &progress.LeastProgressed{
			Ranks: set(1, 4), Method: "pdi", Confidence: 0.6, Reasons: because(progress.LeastByHistory, model.RankSet{}),
			Locations: []progress.Location{{Ranks: set(1)},
				{Ranks: set(4), After: "MPI_Bcast", Stack: []model.Frame{{Offset: 0x7f001234}}}},
		},
		Groups: []progress.Group{
			{ID: 0, Ranks: rankRange(0, 7).Minus(set(1, 4)), Kind: progress.Computation, Call: "MPI_Reduce",
				Stack: inExchange},
			{ID: 1, Ranks: set(1), Kind: progress.Computation, Isolated: true, Least: true},
			{ID: 2, Ranks: set(4), Kind: progress.Computation, Call: "MPI_Bcast", Isolated: true, Least: true},
		},
		Edges: []progress.Edge{
			{From: 0, To: 1, Kind: progress.EdgeInferred,
				Inferred: inference.Why{Kind: inference.ByProbability, To: afterCall("MPI_Reduce"), Reach: 1}},
			{From: 0, To: 2, Kind: progress.EdgeUndefined, Inferred: inference.Why{Kind: inference.LeadBoth,
				From: afterCall("MPI_Reduce"), To: afterCall("MPI_Bcast"), Reach: 1, Back: 1}},
		},
		ProgressOrder: [][]int{{1, 2}, {0}},
	}}}
}

// indistinctSource are ranks that nothing tells apart, with what they differ in.
func indistinctSource() Source {
	group := progress.Group{
		Ranks: rankRange(0, 3),
		Kind:  progress.Communication,
		Call:  "MPI_Waitall",
		Stack: inExchange,
		Least: true,
	}
	return Source{Run: someRun, Result: &progress.Result{
		Diagnosis: progress.Diagnosis{
			Algorithm: "loop-aware", Size: 4, Hang: true, Groups: []progress.Group{group},
			LeastProgressed: &progress.LeastProgressed{
				Ranks: rankRange(0, 3), Method: "loop-aware", Confidence: 0.1, Reasons: because(progress.NotDistinguished, model.RankSet{}),
				Locations: []progress.Location{{Ranks: rankRange(0, 3), Call: "MPI_Waitall", Stack: inExchange}},
			},
		},
		Differ: []contrast.Difference{
			{What: contrast.Path, State: &model.State{Call: "MPI_Allreduce", Stack: inExchange},
				Classes: []contrast.Class{{Ranks: set(3)}, {Value: 1, Ranks: rankRange(0, 2)}}},
			{What: contrast.Calls, State: &model.State{Call: "MPI_Iprobe"},
				Classes: []contrast.Class{{Value: 4, Ranks: set(0, 3)}, {Value: 5, Ranks: rankRange(1, 2)}}},
			{
				What:    contrast.Peers,
				Classes: []contrast.Class{{Value: 1, Ranks: set(0)}, {Value: 2, Ranks: rankRange(1, 3)}},
			},
			{What: contrast.Pause, Classes: []contrast.Class{
				{Value: sometime.Unix() - 60, Ranks: set(3)}, {Value: sometime.Unix(), Ranks: rankRange(0, 2)}}},
		},
	}}
}

func undecidedSource() Source {
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: progress.Diagnosis{
		Algorithm: "pdi", Size: 2, Hang: true,
		Unordered: true,
		Groups: []progress.Group{{ID: 0, Ranks: set(0, 1), Kind: progress.Computation, Call: "MPI_Reduce",
			Stack: inExchange}},
		ProgressOrder: [][]int{{0}},
	}}}
}

// manyLeastSource: a hundred least-progressed ranks at six places, no range among them,
// with deep stacks, and more waits than a screen has lines.
func manyLeastSource() Source {
	f := progress.Diagnosis{Algorithm: "pdi", Size: 400, Hang: true, ProgressOrder: [][]int{{0}, {}}}
	least := &progress.LeastProgressed{Method: progress.MethodEvidence, Confidence: 0.95}
	for place := range 6 {
		at := progress.Location{Call: "MPI_Recv"}
		for rank := place * 2; rank < 200; rank += 12 {
			at.Ranks.Add(rank)
		}
		for range 14 {
			at.Stack = append(at.Stack, inExchange...)
		}
		least.Ranks = least.Ranks.Union(at.Ranks)
		least.Locations = append(least.Locations, at)
	}
	var others model.RankSet
	for rank := range 200 {
		others.Add(2*rank + 1)
	}
	least.Reasons = because(progress.AwaitedBy, others)
	f.LeastProgressed = least
	f.Groups = []progress.Group{{ID: 0, Ranks: least.Ranks, Kind: progress.Communication, Call: "MPI_Recv",
		Stack: inExchange, Least: true}}
	for id := 1; id <= 8; id++ {
		f.Groups = append(f.Groups, progress.Group{ID: id, Ranks: set(199 + 2*id), Kind: progress.Communication,
			Call: "MPI_Barrier", Stack: inExchange, Isolated: true})
		f.Edges = append(f.Edges, progress.Edge{From: id, To: 0, Kind: progress.EdgeCollective,
			Example: waiting(evidence.NotReached, 199+2*id, 0, "MPI_Barrier", facts.Want{}, 0)})
		f.ProgressOrder[1] = append(f.ProgressOrder[1], id)
	}
	cycle := []int{}
	for rank := 20; rank > 0; rank-- {
		cycle = append(cycle, 2*rank)
	}
	f.Deadlock = &progress.Deadlock{Cycles: [][]int{cycle}}
	return Source{Run: someRun, Result: &progress.Result{Diagnosis: f,
		Processes: map[int]progress.Process{0: {Host: "n0001", PID: 100, Alive: true}}}}
}

func damagedSource() Source {
	s := hangSource()
	s.Damaged = set(4, 7)
	for i := range 12 {
		s.Problems = append(s.Problems, fmt.Sprintf("model: node-n0001.lgd: rank 4: STATE record at %d: checksum "+
			"mismatch", 4096+64*i))
	}
	return s
}

// hostileSource: everything that comes from a run directory tries to get at the
// terminal, or out of a string in DOT.
func hostileSource() Source {
	const evil = "a\x1b[2J\x1b]0;owned\x07\u009b31m\r\n\t\x00\x7f\u202e\\\"]; b -> c [\xff<b>"
	module, lost := &model.Module{Path: "/tmp/" + evil}, progress.Loss{Ranks: set(0)}
	lost.Kind, lost.Failed = evidence.ErrorInCall, evidence.FailedCall{Call: evil, Peer: model.None, Says: evil}
	stack := []model.Frame{{Module: module, Offset: 16}}
	index := &runfiles.Index{
		Dir: "run", Manifest: &model.Manifest{Command: []string{evil, evil}, Job: evil, LiveDir: evil, Created: sometime},
	}
	group := progress.Group{Ranks: set(0), Kind: progress.Communication, Call: evil, Stack: stack, Isolated: true,
		Least: true}
	return Source{
		Run: report.NewRun(index),
		Result: &progress.Result{Index: index, Diagnosis: progress.Diagnosis{
			Algorithm: "pdi", Size: 1, Hang: true, Unfinished: set(0),
			LeastProgressed: &progress.LeastProgressed{Ranks: set(0), Method: "pdi", Confidence: 0.1, Reasons: lostReasons(&lost),
				Locations: []progress.Location{{Ranks: set(0), Call: evil, After: evil, Stack: stack}}},
			Lost:   []progress.Loss{lost},
			Groups: []progress.Group{group},
			Edges: []progress.Edge{{From: 0, To: 0, Kind: progress.EdgePointToPoint,
				Example: waiting(evidence.NotReached, 0, 0, evil, facts.Want{}, 0)}},
			ProgressOrder: [][]int{{0}},
		},
			Problems:  []string{evil},
			Processes: map[int]progress.Process{0: {Host: evil, PID: 1, Since: sometime}},
		}}
}
