package python

import (
	"slices"
	"strings"
	"testing"

	"laggard/internal/checktest"
)

const callbacks = `def stream(comm):
    for tile in tiles:
        yield tile
    comm.barrier()
def consume(gen):
    for tile in gen:
        if tile.empty:
            break
        if tile.bad:
            raise ValueError(tile)
        def inner():
            return 1
class Monitor:
    def after(self, state):
        comm.allreduce(state)
def register(events, level):
    events.on("before", lambda s: s)
    if level > 0:
        events.on("after", monitor.after)
    monitor.after(0)
`

func decidedLines(all []Decider) (out []int) {
	for _, d := range all {
		out = append(out, d.Line)
	}
	return out
}

// TestGenerators: who leaves a loop over a generator does not resume it.
func TestGenerators(t *testing.T) {
	text := strings.Split(callbacks, "\n")
	for line, want := range map[int]bool{2: true, 4: true, 6: false, 12: false, 99: false} {
		checktest.Equal(t, want, IsGenerator(text, line), "line", line, "is in a generator")
	}
	for line, want := range map[int][]int{6: {7, 9}, 2: nil, 4: nil, 99: nil} {
		checktest.EqualList(t, want, decidedLines(LoopLeaves(text, line)), "the loop at line", line, "is left at")
	}
}

// TestRegistrations: where a function is named and not called it is handed on.
func TestRegistrations(t *testing.T) {
	text := strings.Split(callbacks, "\n")
	for function, want := range map[string][]int{"after": {18}, "register": nil, "gone": nil} {
		checktest.EqualList(t, want, Registrations(text, function), function)
	}
	if Calls(text, 19, "after") || !Calls(text, 20, "after") || Calls(text, 99, "after") {
		t.Error("who calls it is wrong")
	}
	for line, want := range map[int]string{3: "stream", 12: "inner", 15: "after", 19: "register", 99: "<module>"} {
		checktest.Equal(t, want, FunctionAt(text, line), "line", line, "is in")
	}
}

// TestConstantCondition: a condition on the rank is the same all the time.
func TestConstantCondition(t *testing.T) {
	text := strings.Split(`if rank + 1 < size:
elif self.comm.Get_rank() == 0:
if rank in (0, 3) and not comm.rank == size - 1:
if rank == step:
while rank:
if __name__ == "__main__":`, "\n")
	for line, want := range []bool{false, true, true, true, false, false, true, false} {
		checktest.Equal(t, want, IsConstantCondition(text, line), "line", line)
	}
}

// TestDecidersOfRound: who is in the next round of a loop has left the blocks of this one, and not the loop.
func TestDecidersOfRound(t *testing.T) {
	text := strings.Split(`def run(comm):
    if comm:
        for k in range(n):
            try:
                item = comm.recv()
                if item:
                    for to in peers:
                        comm.send(item, to)
            except TypeError:
                pass
    comm.barrier()`, "\n")
	for _, c := range []struct {
		line, other int
		want        []int
	}{
		{8, 5, []int{7, 6, 9}},        // the loop over k is around both
		{8, 8, nil},                   // the next round of the inner loop
		{8, 11, []int{7, 6, 9, 3, 2}}, // no loop is around both
		{99, 5, nil},
	} {
		if got := decidedLines(DecidersOfRound(text, c.line, c.other)); !slices.Equal(got, c.want) {
			t.Errorf("line %d, at %d in the next round: %v, want %v", c.line, c.other, got, c.want)
		}
	}
	for _, c := range []struct {
		line, other int
		want        bool
	}{{8, 5, true}, {5, 8, true}, {5, 11, false}, {2, 5, false}, {99, 5, false}} {
		checktest.Equal(t, c.want, InOneLoop(text, c.line, c.other), "lines", c.line, "and", c.other, "in one loop")
	}
	if !IsLoop(text, 3) || IsLoop(text, 2) || IsLoop(text, 99) || !IsForLoop(text, 7) || IsForLoop(text, 2) {
		t.Error("which lines begin loops is wrong")
	}
}

func FuzzCallbacks(f *testing.F) {
	f.Add(callbacks, 6, "after")
	f.Fuzz(func(t *testing.T, text string, line int, name string) {
		lines := strings.Split(text, "\n")
		IsGenerator(lines, line)
		IsConstantCondition(lines, line)
		FunctionAt(lines, line)
		all := append(LoopLeaves(lines, line), DecidersOfRound(lines, line, line+1)...)
		for _, got := range append(decidedLines(all), Registrations(lines, name)...) {
			if got < 1 || got > len(lines) {
				t.Fatalf("line %d of %d", got, len(lines))
			}
		}
	})
}

func TestCallsChosen(t *testing.T) {
	text := []string{
		"return EVALUATORS[kind](field, len(x))", "getattr(self, name)(1)", "f(x[1], (2))", "print('a](b)') # ](", "self.steps[n].run()",
		"if (a) and b(c): pass",
	}
	for line, want := range map[int]bool{1: true, 2: true, 3: false, 4: false, 5: false, 6: false, 7: false} {
		checktest.Equal(t, want, CallsChosen(text, line), "line", line)
	}
}
