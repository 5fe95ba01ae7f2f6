package python

import (
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

const script = `import sys
def skip(comm):
    if comm.rank == 3:
        return
    comm.barrier()
def nested(comm, n):
    """A text with
  if in it:
    """
    for k in range(n):
        if k % 2:
            comm.bcast(
                k,
                root=0)
        elif k == 4:
            continue
        else:
            comm.reduce(k)
        with open("x") as f:
            while True:
                if f.read() == "# no comment": break
            comm.gather(k)
    comm.barrier()
def fails(comm):
    try:
        parse()
    except ValueError:
        return None
    finally:
        pass
    x = [a for a in "])"
         if a]
    return comm.allreduce(1)
def tolerant(comm, parts):
    for k in range(4):
        with contextlib.suppress(OSError):
            comm.scan(k)
    for part in parts:
        if not comm.exscan(part):
            break
def brief(comm, x, parts):
    if x < 0: return None
    for k in parts:
        if k == 37 and comm.rank == 3: continue
        if k: comm.alltoall(k)
        x += k; comm.scatter(x)
        if (k >
                40): break
        while x > 3:
            if x == k: break
            x -= 1
        comm.exchange(k)
    else: comm.allgather(x)
    try: comm.isend(x)
    except OSError: pass
    if comm.irecv(x): return {1: 2}; x = 1
    if (y := x[1:]): comm.ssend(y)
    return comm.bsend(x)
comm = 1
if comm:
	nested(comm, 3)
skip(comm)
if __name__ == "__main__":
    comm.mprobe()
`

func TestDeciders(t *testing.T) {
	text := strings.Split(script, "\n")
	at := func(part string) int {
		return slices.IndexFunc(text, func(l string) bool { return strings.Contains(l, part) }) + 1
	}
	for _, c := range []struct {
		line, other int
		want        []int
	}{
		{at("    comm.barrier()"), 0, []int{at("rank == 3")}},
		{at("comm.bcast("), 0, []int{at("if k % 2"), at("for k in")}},
		{at("root=0"), at("comm.reduce"), []int{at("if k % 2")}},
		{at("comm.reduce"), 0, []int{at("elif k == 4"), at("for k in")}},
		{at("comm.gather"), 0, []int{at("elif k == 4"), at("for k in")}},
		{at("comm.gather"), at("comm.bcast("), []int{at("elif k == 4")}},
		{at("comm.gather"), at("while True"), nil},
		{at("return comm.allreduce"), 0, []int{at("except ValueError")}},
		{at("parse()"), at("return comm.allreduce"), []int{at("except ValueError")}},
		{at("nested(comm, 3)"), len(text) - 1, []int{at("if comm:")}},
		{at("comm.scan"), 0, []int{at("contextlib.suppress"), at("for k in range(4)")}},
		{at("comm.exscan"), 0, []int{at("comm.exscan"), at("for part in parts")}},
		{at("comm.alltoall"), 0, []int{at("comm.alltoall"), at("k == 37"), at("if (k >"), at("for k in parts"), at("x < 0")}},
		{at("comm.scatter"), 0, []int{at("k == 37"), at("if (k >"), at("for k in parts"), at("x < 0")}},
		{at("comm.exchange"), 0, []int{at("if (k >"), at("k == 37"), at("for k in parts"), at("x < 0")}},
		{at("comm.allgather"), 0, []int{at("for k in parts"), at("x < 0")}},
		{at("comm.isend"), 0, []int{at("except OSError"), at("x < 0")}},
		{at("comm.irecv"), 0, []int{at("x < 0")}},
		{at("comm.ssend"), 0, []int{at("comm.ssend"), at("comm.irecv"), at("x < 0")}},
		{at("comm.bsend"), 0, []int{at("comm.irecv"), at("x < 0")}},
		{at("comm.mprobe"), 0, nil},
		{at("comm = 1"), 0, nil},
		{1000, 0, nil},
	} {
		var got []int
		for _, d := range Deciders(text, c.line, c.other) {
			got = append(got, d.Line)
		}
		checktest.EqualList(t, c.want, got, "line", c.line, "without", c.other)
	}
}

// TestNextRound: who stands before the call that both made last is a round further, unless the other
// one has left that loop.
func TestNextRound(t *testing.T) {
	text := strings.Split(`def run(comm):
    start(comm)
    for k in range(9):
        for part in parts:
            part.solve(
                comm.allreduce(k))
            part.check()
        log(comm)
    finish(comm)`, "\n")
	for _, c := range []struct {
		line, other, last int
		want              bool
	}{
		{5, 7, 7, true},  // solves again, where the other one checks
		{5, 8, 7, false}, // the other one has left the loop over parts
		{5, 7, 6, false}, // one statement, whose arguments come first
		{7, 8, 6, false}, // both are behind
		{4, 7, 6, true},
		{4, 8, 8, true},
		{4, 9, 8, false}, // the other one has left the loop
		{2, 9, 8, false}, // no loop is around it
		{99, 8, 8, false},
	} {
		checktest.Equal(t, c.want, NextRound(text, c.line, c.other, c.last), "line", c.line, "and", c.other, "last", c.last)
	}
}

// TestEndings: calls that end the process, or the test, leave a function as return does.
func TestEndings(t *testing.T) {
	text := strings.Split(`def run(comm, parts):
    if not parts: sys.exit(1)
    if comm.size > 8:
        raise SystemExit("too many")
    if parts is None:
        MPI.COMM_WORLD.Abort(1)
    if comm.size < 2:
        pytest.skip("needs two")
    if comm.rank:
        self.exit()
    for part in parts:
        comm.barrier()
        if part.done:
            exit()
run(comm, parts)
log("done")
if comm.rank == 0:
    print("done")
sys.exit()
def usage(): quit()`, "\n")
	want := []Decider{{Line: 13, Loop: true, Ends: SystemExit, from: 11}, {Line: 11, Loop: true, from: 11}, {Line: 7, from: 7},
		{Line: 5, Ends: Killed, from: 5}, {Line: 3, Ends: SystemExit, from: 3}, {Line: 2, Ends: SystemExit, from: 2}}
	checktest.EqualList(t, want, Deciders(text, 12, 0), "deciders")
	checktest.Equal(t, []bool{true, false, false}, []bool{ExitsBehind(text, 15), ExitsBehind(text, 12), ExitsBehind(text, 99)}, "behind")
	known := []int{12, 15}
	checktest.Equal(t, []bool{true, false}, []bool{ExitsElsewhere(text, known), ExitsElsewhere(text[:19], known)}, "elsewhere")
}

// FuzzDeciders: whatever the text, the lines are in it.
func FuzzDeciders(f *testing.F) {
	f.Add(script, 12, 0)
	f.Add("if x:\n\tf('''\n", 2, 1)
	f.Fuzz(func(t *testing.T, text string, line, other int) {
		lines := strings.Split(text, "\n")
		for _, d := range Deciders(lines, line, other) {
			if d.Line < 1 || d.Line > len(lines) {
				t.Fatalf("line %d of %d", d.Line, len(lines))
			}
		}
	})
}
