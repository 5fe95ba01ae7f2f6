package reporttest

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/report/slice"
	"laggard/report/source"
	"laggard/report/usage"
	"laggard/slicing"
)

var started = time.Date(2026, 3, 12, 2, 58, 40, 0, time.UTC)

func rankRange(first, last int) model.RankSet {
	var s model.RankSet
	s.AddRange(first, last)
	return s
}

func stackFrame(function, file string, line int) report.Frame {
	return report.Frame{Function: function, File: file, Line: line, Module: "/home/ana/bin/melt",
		Offset: fmt.Sprintf("%#x", 0x1000+line)}
}

func newGroup(id int, ranks model.RankSet, kind, call string, stack ...report.Frame) diagnosis.Group {
	return diagnosis.Group{ID: id, Ranks: ranks.String(), Count: ranks.Len(), Isolated: ranks.Len() == 1,
		State: diagnosis.State{Kind: kind, MPI: call, Stack: stack}}
}

func newResult(ranks int) *diagnosis.Result {
	return &diagnosis.Result{
		SchemaVersion: report.SchemaVersion, Ranks: ranks, Hang: true,
		Run: report.Run{Dir: "/scratch/ana/laggard-20260312-025840-4711", ID: "4d2",
			Command: []string{"srun", "-n", fmt.Sprint(ranks), "./melt", "in.melt"}, Created: started,
			Job: "slurm 881234"},
		Deadlock:      diagnosis.Deadlock{Cycles: [][]int{}},
		ProgressOrder: [][]int{},
		Analysis:      diagnosis.Analysis{Algorithm: "loop-aware"},
	}
}

// Complete has everything that a page can show: a writer that waits for a message
// another instance took, 64 ranks that wait for it, edges of every kind, a lost
// and a damaged rank, slices with source text, and another algorithm that says
// something else.
func Complete() *diagnosis.Result {
	r := newResult(64)
	main := stackFrame("main", "/home/ana/melt/main.c", 71)
	r.Groups = []diagnosis.Group{
		newGroup(0, rankRange(0, 0), "communication", "MPI_Recv", stackFrame("close_for_write", "/home/ana/melt/pio.c", 41),
			stackFrame("checkpoint", "/home/ana/melt/pio.c", 88), main),
		newGroup(1, rankRange(1, 39), "communication", "MPI_Barrier", stackFrame("checkpoint", "/home/ana/melt/pio.c", 93), main),
		newGroup(2, rankRange(40, 55), "communication", "MPI_Waitall", stackFrame("exchange", "/home/ana/melt/halo.c", 120),
			stackFrame("main", "/home/ana/melt/main.c", 66)),
		newGroup(3, rankRange(56, 61), "computation", "MPI_Waitall", stackFrame("exchange", "/home/ana/melt/halo.c", 120),
			stackFrame("main", "/home/ana/melt/main.c", 66)),
		newGroup(4, rankRange(62, 62), "unknown", ""),
		newGroup(5, rankRange(63, 63), "computation", "MPI_Iprobe", stackFrame("poll", "/home/ana/melt/pio.c", 52), main),
	}
	r.Groups[0].Least = true
	r.Edges = []diagnosis.Edge{
		{From: 1, To: 0, Kind: "collective", Reason: "rank 1 is in MPI_Barrier 12 on MPI_COMM_WORLD, rank 0 has " +
			"begun 11 (+38 similar waits)"},
		{From: 2, To: 1, Kind: "p2p", Reason: "rank 40 is in MPI_Waitall for MPI_Irecv from rank 39 (message 812); " +
			"rank 39 has sent 811 such messages"},
		{From: 2, To: 2, Kind: "p2p", Reason: "rank 41 is in MPI_Waitall for MPI_Irecv from rank 40 (message 812); " +
			"rank 40 has sent 811 such messages (+14 similar waits)"},
		{From: 2, To: 3, Kind: "p2p", Weak: true, Reason: "rank 55 is in MPI_Waitall for MPI_Isend to " +
			"rank 56 (message 812); rank 56 has posted 811 matching receives"},
		{From: 3, To: 1, Kind: "inferred", Reason: "after MPI_Waitall leads to MPI_Barrier: less progressed in " +
			"iteration 812 of the loop"},
		{From: 5, To: 0, Kind: "undefined", Reason: "MPI_Recv and after MPI_Iprobe lead to each other, with " +
			"probability 1 and 1: not ordered"},
	}
	r.ProgressOrder = [][]int{{0, 5}, {1}, {2}, {3}}
	r.RankOrder = []string{"0,63", "1-39", "40-55", "56-61"}
	recv, since := "MPI_Recv", started.Add(16*time.Minute+22*time.Second)
	r.LeastProgressed = &diagnosis.LeastProgressed{
		Ranks: []int{0}, Set: "0", Method: "evidence", Confidence: 0.97, Reason: "ultimately awaited by ranks 1-55",
		Locations: []diagnosis.Location{{Rank: 0, Ranks: "0",
			Site: report.Site{Function: "close_for_write", File: "/home/ana/melt/pio.c", Line: 41}, InMPI: &recv,
			Stack: slices.Clone(r.Groups[0].State.Stack), Host: "n0412", PID: 20817, Alive: true, Since: &since}},
	}
	r.LostRanks, r.Losses = []int{62}, []diagnosis.Loss{{Ranks: "62",
		Reason: "left no record: it was not recorded, or ended before MPI_Init"}}
	r.DamagedRanks, r.UnfinishedRanks = []int{17}, []int{}
	r.Problems = []string{"model: node-n0413.lgd: rank 17: STATE record at 8256: checksum mismatch"}
	r.Notes = []string{"rank 62 left no record; its node may have failed"}
	r.Slices = slicesOf(r)
	r.Extra = diagnosis.Extra{
		Compared: comparedResult(r), Sources: sourceExcerpts(), Timeline: minutesBefore(since),
		Comms: []diagnosis.Communicator{
			{ID: "1", Ranks: "0-63", World: true}, {ID: "5f3a", Ranks: "0-31"}, {ID: "5f3b", Ranks: "32-63"}},
	}
	return r
}

// pio is a file with a writer in two roles: it gives away what it waits for.
var pio = map[int]string{
	30: "static int flush_part(struct pfile *f, int from)",
	31: "{",
	32: "  MPI_Status status;",
	33: "  int written = 0;",
	34: "  MPI_Recv(&written, 1, MPI_INT, from, DATA_WRITTEN, f->comm, &status);",
	35: "  f->done += written;",
	36: "  return written;",
	37: "}",
	38: "",
	39: "int close_for_write(struct pfile *f)",
	40: "{",
	41: "  MPI_Recv(&f->total, 1, MPI_INT, f->writer, DATA_WRITTEN, f->comm, MPI_STATUS_IGNORE);",
	42: "  return f->total == f->done;",
	43: "}",
	44: "",
	50: "static int poll(struct pfile *f)",
	51: "{",
	52: "  MPI_Iprobe(MPI_ANY_SOURCE, DATA_WRITTEN, f->comm, &flag, &status);",
	53: "  if (flag) /* takes what close_for_write waits for */",
	54: "    return flush_part(f, status.MPI_SOURCE);",
	55: "  return 0;",
	56: "}",
	85: "  if (f->role & WRITER)",
	86: "    while (f->done < f->expected)",
	87: "      poll(f);",
	88: "  close_for_write(f);",
	92: "  MPI_Send(&part, 1, MPI_INT, f->writer, DATA_WRITTEN, f->comm);",
	93: "  MPI_Barrier(MPI_COMM_WORLD);",
	94: "}",
}

func sourceExcerpts() []source.Excerpt {
	numbers := slices.Sorted(maps.Keys(pio))
	var out []source.Excerpt
	for _, n := range numbers {
		if last := len(out) - 1; last >= 0 && out[last].First+len(out[last].Text) == n {
			out[last].Text = append(out[last].Text, pio[n])
			continue
		}
		out = append(out, source.Excerpt{File: "/home/ana/melt/pio.c", First: n, Text: []string{pio[n]}})
	}
	return out
}

func slicesOf(r *diagnosis.Result) []slice.Slice {
	line := func(n, distance int, function string, kind slicing.Kind, isNew bool) slice.Line {
		return slice.Line{Line: slicing.Line{File: "/home/ana/melt/pio.c", Line: n, Function: function,
			Distance: distance, Kind: kind}, New: isNew}
	}
	head := func(g int, text string) slice.Head {
		return slice.Head{Backend: "native", Notes: []string{},
			Criterion: slice.Criterion{Group: g, Ranks: r.Groups[g].Ranks, Rank: 0, Text: text}}
	}
	first := slice.Slice{Head: head(0, "rank 0 in MPI_Recv, called by close_for_write (pio.c:41)"), Lines: []slice.Line{
		line(41, 0, "close_for_write", slicing.Data, true), line(88, 1, "checkpoint", slicing.Call, true),
		line(86, 2, "checkpoint", slicing.Control, true),
		line(35, 3, "flush_part", slicing.Data, true), line(34, 4, "flush_part", slicing.Data, true),
		line(92, 5, "checkpoint", slicing.Communication, true)}}
	second := slice.Slice{Head: head(1, "ranks 1-39 in MPI_Barrier, called by checkpoint (pio.c:93)"),
		Lines: []slice.Line{
			line(85, 1, "checkpoint", slicing.Control, true), line(86, 2, "checkpoint", slicing.Control, false),
			line(54, 3, "poll", slicing.Call, true)}}
	third := slice.Slice{Head: head(2, "ranks 40-55 in MPI_Waitall, called by exchange (halo.c:120)"),
		Lines: []slice.Line{
			{Line: slicing.Line{File: "/home/ana/melt/halo.c", Line: 118, Function: "exchange", Distance: 1,
				Kind: slicing.Data}, New: true}}}
	third.Truncated, third.Notes = true, []string{"the budget of 10 s ended it"}
	return []slice.Slice{first, second, third}
}

// comparedResult is what the other algorithm says: it leaves rank 63 undecided.
func comparedResult(r *diagnosis.Result) *diagnosis.Result {
	other := *r
	other.Analysis.Algorithm, other.Slices = "pdi", nil
	least := *r.LeastProgressed
	least.Ranks, least.Set, least.Method, least.Confidence, least.Reason = []int{0, 63}, "0,63", "pdi", 0.6,
		"by the execution history, no rank has made less progress them"
	other.LeastProgressed = &least
	other.Groups = slices.Clone(r.Groups)
	other.Groups[5].Least = true
	other.Edges = slices.Clone(r.Edges[:4])
	return &other
}

// Deadlock: eight ranks send to the next one in a ring, with buffers full, and
// the others wait in a barrier.
func Deadlock() *diagnosis.Result {
	r := newResult(24)
	send := stackFrame("shift", "/home/ana/melt/ring.c", 57)
	cycle := []int{}
	for rank := range 8 {
		r.Groups = append(r.Groups, newGroup(rank, rankRange(rank, rank), "communication", "MPI_Send", send,
			stackFrame("main", "/home/ana/melt/main.c", 40)))
		r.Groups[rank].Least = true
		to := (rank + 1) % 8
		r.Edges = append(r.Edges, diagnosis.Edge{From: rank, To: to, Kind: "p2p",
			Reason: fmt.Sprintf("rank %d is in MPI_Send number 3 to rank %d; it has received 2 such", rank, to)})
		cycle = append(cycle, (rank+1)%8)
	}
	r.Groups = append(r.Groups, newGroup(8, rankRange(8, 23), "communication", "MPI_Barrier",
		stackFrame("main", "/home/ana/melt/main.c", 44)))
	r.Edges = append(r.Edges, diagnosis.Edge{From: 8, To: 0, Kind: "collective",
		Reason: "rank 8 is in MPI_Barrier 1 on MPI_COMM_WORLD, rank 0 has begun 0 (+15 similar waits)"})
	r.Deadlock.Cycles = [][]int{cycle}
	r.RankOrder = []string{"0-7", "8-23"}
	call, since := "MPI_Send", started.Add(time.Minute)
	r.LeastProgressed = &diagnosis.LeastProgressed{Ranks: rankRange(0, 7).Slice(), Set: "0-7", Method: "evidence",
		Confidence: 0.99, Reason: "deadlock: ranks 0-7 wait for each other",
		Locations: []diagnosis.Location{{Rank: 0, Ranks: "0-7",
			Site: report.Site{Function: "shift", File: "/home/ana/melt/ring.c", Line: 57}, InMPI: &call,
			Stack: r.Groups[0].State.Stack, Host: "n0007", PID: 991, Since: &since}}}
	return r
}

// Diverged: a rank skips a reduction behind two conditions. What its library does, and a
// finding, are shown with it, which no real hang has all at once.
func Diverged() *diagnosis.Result {
	r := newResult(16)
	solve := stackFrame("solve", "/home/ana/melt/cg.c", 88)
	main := stackFrame("main", "/home/ana/melt/main.c", 40)
	begun := func(n uint64, call string, at ...report.Frame) diagnosis.Begun {
		return diagnosis.Begun{Sequence: n, MPI: call, Stack: at,
			Site: report.Site{Function: at[0].Function, File: at[0].File, Line: at[0].Line}}
	}
	site := func(line int) report.Site {
		return report.Site{Function: "solve", File: "/home/ana/melt/cg.c", Line: line}
	}
	reduce, barrier := begun(76, "MPI_Allreduce", solve, main), begun(76, "MPI_Barrier", main)
	common := begun(75, "MPI_Barrier", main)
	r.Groups = []diagnosis.Group{newGroup(0, rankRange(3, 3), "communication", "MPI_Barrier", main),
		newGroup(1, rankRange(4, 15), "communication", "MPI_Allreduce", solve, main)}
	r.Groups[0].Least = true
	r.RankOrder = []string{"3", "4-15"}
	at := diagnosis.Location{Rank: 3, Ranks: "3", Site: barrier.Site, InMPI: &barrier.MPI, Stack: barrier.Stack}
	r.LeastProgressed = &diagnosis.LeastProgressed{Ranks: []int{3}, Set: "3", Method: "evidence", Confidence: 0.9,
		Reason:    "rank 3 skipped MPI_Allreduce, collective 76 on MPI_COMM_WORLD, which ranks 4-15 called",
		Locations: []diagnosis.Location{at}}
	r.Divergences = []diagnosis.Divergence{{Communicator: "1", Object: "MPI_COMM_WORLD", Kind: "skipped", Sequence: 76,
		AlikeTo: 75, Majority: true, Common: &common,
		Sides: []diagnosis.Side{
			{Ranks: "3", Kind: "skipped", Begun: barrier, Calls: []diagnosis.Begun{reduce}, Fewer: true, Now: &barrier},
			{Ranks: "4-15", Begun: reduce, Calls: []diagnosis.Begun{reduce}, Now: &reduce}},
		Branch: &diagnosis.Branch{Site: site(86), Text: "if (rows > 0)",
			Or: []diagnosis.Branch{{Site: site(80), Text: "if (!converged) {"}}}}}
	r.Library = &diagnosis.Library{MPI: "Open MPI v4.1.4, package: Debian", Transport: []string{"mca_btl_vader.so"},
		Stacks: []diagnosis.InsideStack{
			{Ranks: "4-15", Frames: []report.Frame{{Function: "opal_progress"}, {Function: "ompi_allreduce"}}},
			{Ranks: "3", Frames: []report.Frame{{Function: "opal_progress"}, {Function: "ompi_barrier"}}}},
		Known: []diagnosis.KnownIssue{{Title: "Collectives of two communicators collide", Workaround: "--mca coll ^han",
			Reference: "https://github.com/open-mpi/ompi/issues/13918", Why: []string{"version 4.1.4"}}}}
	r.Explained = &usage.Finding{Class: "collective_mismatch", Severity: "error", Ranks: "3", Count: 1,
		Message: "rank 3 calls MPI_Barrier as the 76th collective of MPI_COMM_WORLD, the others MPI_Allreduce",
		Change:  "make the same collectives in the same order on all ranks", Standard: "MPI-4.1, 6.1",
		Locations: []usage.Location{{Rank: 3, Role: "collective", MPI: "MPI_Barrier", Site: barrier.Site}}}
	return r
}
