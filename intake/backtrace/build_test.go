package backtrace

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
	"laggard/symbol"
)

// frameAt is a frame of text.
func frameAt(function string, line int) Frame {
	return Frame{Function: function, File: "solver.c", Line: line, Address: 0x7f00_0000_0000 + uint64(line)}
}

func inMPI(function string) Frame {
	return Frame{Function: function, Module: "/usr/lib/libmpi.so.40", Address: 0x7fff_0000_0000}
}

// rankStack makes that of a rank; frames are innermost first.
func rankStack(rank int, frames ...Frame) Stack {
	frames[0].PC = true
	return Stack{File: fmt.Sprintf("rank-%d.txt", rank), Line: 1, Rank: rank, PID: 100 + rank, TID: 100 + rank,
		Frames: frames}
}

func mustBuild(t *testing.T, o Options, stacks ...Stack) *Job {
	t.Helper()
	o.Resolver = symbol.New(symbol.Config{})
	defer o.Resolver.Close()
	job, errs := BuildJob(stacks, o)
	if errs != nil {
		t.Fatal(errs)
	}
	return job
}

// siteAt is a call site of an ancestor; functions other than main are called by
// main.
type siteAt struct {
	call     string
	function string
	line     int // in function
	caller   int // line in main
}

func ancestorOf(t *testing.T, sites []siteAt, edges ...model.Edge) *Ancestor {
	t.Helper()
	names, dir := &symbol.Names{}, t.TempDir()
	frame := func(function string, line int) model.Frame {
		return names.NewFrame("/home/user/solver",
			[]symbol.NamedCall{{Function: function, File: "/home/user/src/solver.c", Line: line}})
	}
	m := model.Model{Edges: edges}
	for i, s := range sites {
		state := &model.State{ID: model.StateID{byte(i + 1)}, Call: s.call}
		if s.function != "main" {
			state.Stack = append(state.Stack, frame(s.function, s.line))
		}
		state.Stack = append(state.Stack, frame("main", s.caller))
		m.States, m.Visits = append(m.States, state), append(m.Visits, 1)
	}
	musttest.Succeed(t, names.Write(dir))
	resolver := symbol.New(symbol.Config{RunDir: dir})
	defer resolver.Close()
	return NewAncestor([]*model.Rank{{Threads: []*model.Thread{{Model: m}}}}, resolver)
}

// loopAncestor is: for (...) { halo(); compute(); Allreduce } Finalize.
func loopAncestor(t *testing.T) *Ancestor {
	return ancestorOf(t, []siteAt{
		{"MPI_Init", "main", 0, 10}, {"MPI_Waitall", "halo", 5, 20}, {"MPI_Allreduce", "main", 0, 30},
		{"MPI_Finalize", "main", 0, 40},
	}, model.Edge{From: 0, To: 1, Count: 1}, model.Edge{From: 1, To: 2, Count: 9}, model.Edge{From: 2, To: 1, Count: 8},
		model.Edge{From: 2, To: 3, Count: 1})
}

// describeRank says where a rank is, and what leads to and from there.
func describeRank(r *model.Rank) string {
	t := r.Threads[0]
	state := func(i int) string {
		s := t.Model.States[i]
		if s.Call == "" {
			return "computation"
		}
		return s.Call
	}
	text := fmt.Sprintf("%d %s", r.Rank, state(t.Op.State))
	for _, e := range t.Model.Edges {
		if e.From == t.Op.State || e.To == t.Op.State {
			text += fmt.Sprintf("; %s-%d->%s", state(e.From), e.Count, state(e.To))
		}
	}
	return text
}

func TestBuildWithAncestor(t *testing.T) {
	for name, c := range map[string]struct {
		stack   Stack
		want    string
		matched bool
	}{
		"in a call": {rankStack(0, inMPI("PMPI_Waitall"), frameAt("halo", 5), frameAt("main", 20)),
			"0 MPI_Waitall; MPI_Init-1->MPI_Waitall; MPI_Waitall-9->MPI_Allreduce; MPI_Allreduce-8->MPI_Waitall", true},
		"between two calls": {rankStack(0, frameAt("compute", 3), frameAt("main", 25)),
			"0 computation; MPI_Waitall-9->computation; computation-9->MPI_Allreduce", true},
		"at the head of the loop": {rankStack(0, frameAt("limit", 3), frameAt("main", 15)),
			"0 computation; MPI_Init-1->computation; MPI_Allreduce-8->computation; computation-9->MPI_Waitall", true},
		"in the function of a call": {rankStack(0, frameAt("halo", 4), frameAt("main", 20)),
			"0 computation; MPI_Init-1->computation; MPI_Allreduce-8->computation; computation-9->MPI_Waitall", true},
		"behind all calls": {rankStack(0, frameAt("cleanup", 4), frameAt("main", 50)), "0 computation", false},
		"in an unknown call": {rankStack(0, inMPI("PMPI_Recv"), frameAt("main", 25)),
			"0 MPI_Recv; MPI_Waitall-9->MPI_Recv; MPI_Recv-9->MPI_Allreduce", false},
		"elsewhere": {rankStack(0, frameAt("start", 4), frameAt("other_main", 20)), "0 computation", false},
	} {
		job := mustBuild(t, Options{Ancestor: loopAncestor(t)}, c.stack)
		checktest.Equal(t, c.want, describeRank(job.Ranks[0]), name)
		if matched := job.Unmatched.Len() == 0; matched != c.matched {
			t.Errorf("%s: matched is %t", name, matched)
		}
	}
}

// TestTwoComputations: both are between the same calls, and neither leads to the
// other.
func TestTwoComputations(t *testing.T) {
	job := mustBuild(t, Options{Ancestor: loopAncestor(t)}, rankStack(0, frameAt("compute", 3), frameAt("main", 25)),
		rankStack(1, frameAt("other", 3), frameAt("main", 26)))
	for i, want := range []string{
		"0 computation; MPI_Waitall-9->computation; computation-9->MPI_Allreduce",
		"1 computation; MPI_Waitall-9->computation; computation-9->MPI_Allreduce",
	} {
		checktest.Equal(t, want, describeRank(job.Ranks[i]))
	}
	if job.Ranks[0].Threads[0].Op.State == job.Ranks[1].Threads[0].Op.State {
		t.Error("they are one state")
	}
}

// TestWithoutLines: a text that has functions only is matched where these alone
// tell a call site.
func TestWithoutLines(t *testing.T) {
	plain := func(function string) Frame { return Frame{Function: function, Address: 1} }
	job := mustBuild(t, Options{Ancestor: loopAncestor(t)},
		rankStack(0, inMPI("MPI_Waitall"), plain("halo"), plain("main")), rankStack(1, plain("compute"), plain("main")))
	checktest.Equal(t, 1, job.Ranks[0].Threads[0].Op.State, "rank 0 is in state")
	checktest.Equal(t, "1", job.Unmatched.String(), "unmatched")
	a := ancestorOf(t, []siteAt{{"MPI_Send", "main", 0, 10}, {"MPI_Send", "main", 0, 11}})
	job = mustBuild(t, Options{Ancestor: a}, rankStack(0, inMPI("MPI_Send"), plain("main")))
	if job.Unmatched.Len() != 1 {
		t.Error("a call that is made at two places was matched")
	}
}

// TestBuildAgrees: processes put a library at different addresses, and are at one
// place all the same.
func TestBuildAgrees(t *testing.T) {
	first, second := rankStack(0, inMPI("PMPI_Recv"), frameAt("main", 7)), rankStack(1, inMPI("PMPI_Recv"), frameAt("main", 7))
	for i := range second.Frames {
		second.Frames[i].Address += 0x1234000
	}
	job := mustBuild(t, Options{Size: 5}, first, second)
	x, y := job.Ranks[0].Threads[0].Op, job.Ranks[1].Threads[0].Op
	checktest.Equal(t, x, y, "they are apart")
	if job.Size != 5 || job.Ranks[0].Size != 5 {
		t.Errorf("size %d, %d", job.Size, job.Ranks[0].Size)
	}
}

func TestBuildLeavesOut(t *testing.T) {
	twice := rankStack(0, frameAt("main", 1))
	twice.File = "other.txt"
	far := rankStack(model.MaxRank+1, frameAt("main", 1))
	o := Options{Resolver: symbol.New(symbol.Config{})}
	defer o.Resolver.Close()
	job, errs := BuildJob([]Stack{rankStack(0, frameAt("main", 1)), twice, far}, o)
	if len(job.Ranks) != 1 || len(errs) != 2 || !errors.Is(errors.Join(errs...), ErrTwice) ||
		!errors.Is(errors.Join(errs...), ErrRange) {
		t.Errorf("%d ranks, %v", len(job.Ranks), errs)
	}
}

// TestThreads: of a rank's threads, that with main comes first; those of the
// libraries do not count.
func TestThreads(t *testing.T) {
	library := rankStack(0, Frame{Function: "epoll_wait", Address: 1}, Frame{Function: "event_base_loop", Address: 2},
		Frame{Function: "start_thread", Address: 3})
	library.TID = 201
	helper := rankStack(0, inMPI("PMPI_Recv"), frameAt("serve", 9), Frame{Function: "start_thread", Address: 3})
	helper.TID = 202
	job := mustBuild(t, Options{}, library, helper, rankStack(0, frameAt("compute", 3), frameAt("main", 25)))
	threads := job.Ranks[0].Threads
	if len(threads) != 2 || threads[0].TID != 100 || threads[0].Op.InMPI || threads[1].TID != 202 ||
		!threads[1].Op.InMPI {
		t.Errorf("threads %+v", threads)
	}
}

// TestMainThreadMissing: another thread does not stand for the rank if the numbers tell that it is not the main thread.
func TestMainThreadMissing(t *testing.T) {
	other := rankStack(1, frameAt("watch", 9), Frame{Function: "start_thread", Address: 3})
	other.TID = other.PID + 1
	stacks := []Stack{rankStack(0, frameAt("compute", 3), frameAt("main", 25)), other}
	job, errs := BuildJob(stacks, Options{Resolver: symbol.New(symbol.Config{})})
	if len(job.Ranks) != 1 || job.Ranks[0].Rank != 0 || !errors.Is(errors.Join(errs...), ErrMissing) {
		t.Errorf("%d ranks, %v", len(job.Ranks), errs)
	}
	if job := mustBuild(t, Options{}, other); len(job.Ranks[0].Threads) != 1 {
		t.Errorf("threads %+v, want the only one: nothing tells the main thread's number", job.Ranks[0].Threads)
	}
}

// TestFault: a rank that died of a fault is told from one that was ended.
func TestFault(t *testing.T) {
	died, ended := rankStack(0, frameAt("main", 1)), rankStack(1, frameAt("main", 1))
	died.Signal, died.Fault = 11, "unhandled signal 11"
	ended.Signal = 15
	job := mustBuild(t, Options{}, died, ended)
	if r := job.Ranks[0]; r.End != model.Signalled || r.EndDetail != 11 || len(r.Notes) != 1 {
		t.Errorf("rank 0: %+v", r)
	}
	if r := job.Ranks[1]; r.End != model.NoEnd {
		t.Errorf("rank 1: %+v", r)
	}
}

// TestSamplesCanBeWritten: whatever was read makes a run directory that reads
// back.
func TestSamplesCanBeWritten(t *testing.T) {
	paths := musttest.Get(filepath.Glob("testdata/samples/*"))(t)
	for _, path := range paths {
		stacks, _ := readSample(t, path)
		AssignRanks(stacks)
		job := mustBuild(t, Options{}, stacks...)
		dir := t.TempDir()
		musttest.Succeed(t, job.Names.Write(dir))
		musttest.Get(nodefile.NewFolder().WriteNode(dir, nodefile.Header{RunID: 1, Host: "import"}, job.Ranks))(t)
		run := musttest.Get(runfiles.Open(dir))(t)
		if len(run.Problems) > 0 || len(run.Ranks) != len(job.Ranks) {
			t.Errorf("%s: %d of %d ranks, %v", path, len(run.Ranks), len(job.Ranks), run.Problems)
		}
		resolver := symbol.New(symbol.Config{RunDir: dir})
		for _, r := range run.Ranks {
			op := r.Threads[0].Op
			for _, l := range resolver.ResolveStack(r.Threads[0].Model.States[op.State].Stack, false) {
				if strings.Contains(l.Note, symbol.NamesFile) {
					t.Errorf("%s: rank %d: %s", path, r.Rank, l.Note)
				}
			}
		}
		resolver.Close()
	}
}

// TestFarAddresses: addresses that a node file has no room for, as of the kernel or of a damaged stack, fail nothing.
func TestFarAddresses(t *testing.T) {
	const far = 0xffffffffff600001
	job := mustBuild(t, Options{}, rankStack(0,
		Frame{Address: far}, Frame{Address: ^uint64(0), PC: true, BuildID: "ab", Base: 1 << 46, Module: "/lib/libx.so"},
		Frame{Address: far, BuildID: "ab", Base: 1 << 46, Module: "/lib/libx.so"},
		Frame{Offset: far, Module: "/lib/liby.so"}, frameAt("main", 1)))
	dir := t.TempDir()
	musttest.Get(nodefile.NewFolder().WriteNode(dir, nodefile.Header{RunID: 1, Host: "import"}, job.Ranks))(t)
	run := musttest.Get(runfiles.Open(dir))(t)
	if len(run.Problems) > 0 || len(run.Ranks) != 1 {
		t.Errorf("%d ranks, %v", len(run.Ranks), run.Problems)
	}
}
