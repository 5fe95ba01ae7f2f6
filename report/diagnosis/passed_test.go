package diagnosis

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/analysis/progress"
	"laggard/analysis/progress/passed"
	"laggard/analysis/progress/unsent"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/report/source"
	"laggard/symbol"
)

const stages = `def forward(comm, item):
    if comm.rank + 1 < comm.size:
        comm.send(item)
def run(comm, items):
    for k in items:
        try:
            item = comm.recv()
            forward(comm, item)
        except TypeError:
            pass
def serve(comm, jobs):
    while jobs:
        got = comm.recv()
        if got.last:
            return
        if got.more:
            comm.send(jobs.pop())
        else:
            comm.send(None)
def halo(comm, peers):
    for peer in peers:
        if peer.active:
            comm.Send(peer)
    comm.Barrier()
run(comm, items)
serve(comm, jobs)
halo(comm, peers)
`

// pythonProgram is a program and the states that its lines make.
type pythonProgram struct {
	t    *testing.T
	file string
}

func newPythonProgram(t *testing.T, text string) pythonProgram {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(text), 0o600))
	return pythonProgram{t, file}
}

// state is a call that is made from lines of functions, the innermost first: "forward 3, run 8".
func (p pythonProgram) state(call, from string) *model.State {
	s := &model.State{Call: call}
	for _, one := range strings.Split(from, ", ") {
		function, line, known := strings.Cut(one, " ")
		if !known {
			continue
		}
		n := uint64(0)
		for _, c := range line {
			n = 10*n + uint64(c-'0')
		}
		s.Stack = append(s.Stack, model.Frame{Module: model.PythonModule(p.file, function), Offset: n})
	}
	s.ID = s.ContentID()
	return s
}

func (p pythonProgram) source(r *progress.Result) Source {
	resolver := symbol.New(symbol.Config{})
	p.t.Cleanup(func() { resolver.Close() })
	return Source{Result: r, Resolver: resolver}
}

func siteLines(b *Branch) (out []int) {
	if b == nil {
		return nil
	}
	out = append(out, b.Line)
	for _, o := range b.Or {
		out = append(out, o.Line)
	}
	return out
}

func TestPassed(t *testing.T) {
	p := newPythonProgram(t, stages)
	send, receive := p.state("MPI_Send", "forward 3, run 8, <module> 25"), p.state("MPI_Recv", "run 7, <module> 25")
	answer, ends := p.state("MPI_Send", "serve 17, <module> 26"), p.state("MPI_Send", "serve 19, <module> 26")
	job, last := p.state("MPI_Recv", "serve 13, <module> 26"), p.state("MPI_Finalize", "")
	for name, c := range map[string]struct {
		calls []passed.Call
		want  []int
	}{
		"an exception in one round": { // and not the condition on its rank, under which it sends at other times
			[]passed.Call{{Rank: 1, State: send, From: receive, To: receive, Sends: true, Sometimes: true}}, []int{9},
		},
		"neither answer": { // so not the condition between both
			[]passed.Call{{Rank: 0, State: answer, From: job, To: last, Instead: []*model.State{ends}, Sends: true, Sometimes: true}},
			[]int{14, 12},
		},
		"it has yet to come there": {
			[]passed.Call{{Rank: 0, State: answer, From: last, To: job}}, nil,
		},
		"two ranks by different lines": {
			[]passed.Call{
				{Rank: 0, State: answer, From: job, To: last, Sends: true, Sometimes: true},
				{Rank: 1, State: send, From: receive, To: receive, Sends: true, Sometimes: true},
			}, nil,
		},
	} {
		r := &Result{}
		AddPassed(r, p.source(&progress.Result{Passed: c.calls}), source.Finder{})
		var got []int
		if len(r.Passed) > 0 {
			got = siteLines(&r.Passed[0].Branch)
		}
		checktest.EqualList(t, c.want, got, name, "decided at")
	}
}

// TestPassedText: who went past what, where others are, and what decided.
func TestPassedText(t *testing.T) {
	p := newPythonProgram(t, stages)
	send, receive := p.state("MPI_Send", "forward 3, run 8, <module> 25"), p.state("MPI_Recv", "run 7, <module> 25")
	r := &Result{}
	AddPassed(r, p.source(&progress.Result{Passed: []passed.Call{
		{Rank: 1, State: send, From: receive, To: receive, Sends: true, Sometimes: true},
		{Rank: 2, State: send, From: receive, To: receive, Sends: true, Sometimes: true},
	}}), source.Finder{})
	var out printer
	out.passedCalls(r)
	want := `
Ranks 1-2 went past MPI_Send in forward (a.py:3), which sends a message that another rank waits for:
  after MPI_Recv in run (a.py:7) they made MPI_Recv in run (a.py:7)
  decided at run (a.py:9): except TypeError:
`
	checktest.Equal(t, want, out.String())
	want = "Ranks 1-2 went past MPI_Send in forward (a.py:3), which sends a message that another rank waits for; " +
		"decided at run (a.py:9): except TypeError:"
	if got := passedLines(r); len(got) != 1 || got[0] != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestPythonSkips: of a message that was not sent, the condition in the function that sends it is told if the sender is behind that
// function, and nothing if it may have yet to come there.
func TestPythonSkips(t *testing.T) {
	p := newPythonProgram(t, stages)
	send := p.state("MPI_Send", "halo 23, <module> 27")
	for _, c := range []struct {
		at    *model.State
		never bool
		want  []int
	}{
		{p.state("MPI_Barrier", "halo 24, <module> 27"), false, []int{22}},
		{p.state("MPI_Barrier", "halo 24, <module> 27"), true, []int{22, 21}},
		{p.state("MPI_Recv", "serve 13, <module> 26"), false, nil},
		{p.state("MPI_Finalize", ""), false, []int{22}},
	} {
		m := progress.Unsent{Message: unsent.Message{Wait: unsent.Wait{Peer: 1}, By: send, At: c.at, Never: c.never}}
		r := &Result{Unsent: []Unsent{{}}}
		named := &progress.LeastProgressed{Ranks: model.NewRankSet(1)}
		d := progress.Diagnosis{LeastProgressed: named}
		AddPythonSkips(r, p.source(&progress.Result{Diagnosis: d, Unsent: []progress.Unsent{m}}), source.Finder{})
		checktest.EqualList(t, c.want, siteLines(r.Unsent[0].Branch), "at", c.at.Call, "never", c.never, "decided at")
	}
}

// TestLoopsOverCallbacks: what a loop calls by another name was put there, by a condition elsewhere; that loop did not decide.
func TestLoopsOverCallbacks(t *testing.T) {
	const text = `def fire(table):
    for f in table:
        f(table)
def after(state):
    comm.allreduce(state)
def put(table, level):
    if level > 0:
        table.append(after)
fire(table)
for k in table:
    after(k)
`
	p := newPythonProgram(t, text)
	s := p.source(&progress.Result{})
	for from, want := range map[string][]int{"after 5, fire 3, <module> 9": {7}, "after 5, <module> 11": {10}} {
		frames := pythonFrames(s.newMadeCall(p.state("MPI_Allreduce", from)).Stack)
		var got []int
		for _, site := range (lineSearch{}).sites(frames, "allreduce") {
			got = append(got, site.Line)
			if site.Line == 7 && site.Function != "put" {
				t.Errorf("it is in %s", site.Function)
			}
		}
		checktest.EqualList(t, want, got, from, "decided at")
	}
}

// TestGeneratorIsKept: who leaves a loop over a generator does not come to what that does at its end.
func TestGeneratorIsKept(t *testing.T) {
	const text = `def stream(comm):
    for tile in comm:
        yield tile
    comm.barrier()
for tile in stream(comm):
    if tile.empty:
        break
`
	p := newPythonProgram(t, text)
	frames := pythonFrames(p.source(&progress.Result{}).newMadeCall(p.state("MPI_Barrier", "stream 4, <module> 5")).Stack)
	sites := lineSearch{}.sites(frames, "barrier")
	if len(sites) != 1 || sites[0].Line != 6 {
		t.Errorf("decided at %v, want line 6", sites)
	}
}
