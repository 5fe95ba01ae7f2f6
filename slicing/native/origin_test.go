package native

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/slicetest"
)

// asked begins a program with functions of MPI, of which the names say what they do.
const asked = `#include <stdlib.h>
#include <stdio.h>
#define OUT __attribute__((noipa))
typedef long MPI_Comm;
enum { WORLD = 7, INT = 1, SUM = 2 };
OUT int MPI_Init(int *argc, char ***argv) { return 0; }
OUT int MPI_Comm_rank(MPI_Comm comm, int *rank) { *rank = comm == 3; return 0; }
OUT int MPI_Comm_size(MPI_Comm comm, int *size) { *size = comm == 3; return 0; }
OUT int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *made) { *made = color + key; return 0; }
OUT int MPI_Bcast(void *buffer, int count, long type, int root, MPI_Comm comm) { return 0; }
OUT int MPI_Recv(int *buffer, int count, long type, int from, int tag, MPI_Comm comm, void *status) { *buffer = 4; return 0; }
OUT int MPI_Allreduce(const int *mine, int *all, int count, long type, long op, MPI_Comm comm) { *all = *mine; return 0; }
OUT int MPI_Barrier(MPI_Comm comm) { return 0; }
int every = 3, limit = 1000, calls, nlocal;
int compare(const void *a, const void *b) { MPI_Comm_rank(WORLD, &every); return 0; }
struct settings { int steps, every, read; } settings;
`

type originCase struct {
	name, exchange, before, condition string
	want                              string // inner or outer
	alone                             bool   // the other one is known to be the same on all ranks
}

// originCases are programs in which one of two branches decides that a rank goes from one Barrier to the next without
// the Allreduce between: the function exchange is left early, or not called.
var originCases = []originCase{
	{"a local count inside", "if (nlocal == 0) return;", "nlocal = rank + 4;", "step % 10 == 0", "inner", true},
	{"a limit inside", "if (++calls > limit) return;", "nlocal = rank + 4;", "nlocal > step", "outer", true},
	{"both are local", "if (nlocal == 2) return;", "nlocal = rank + 4;", "nlocal > step", "outer", false},
	{"an argument of the program outside", "if (nlocal == 0) return;", "every = atoi(argv[1]); nlocal = rank;", "step % every == 0",
		"inner", true},
	{"a choice by the rank inside", "if (nlocal == 0) return;", "nlocal = 1; if (rank == 2) nlocal = 0;", "step % every == 0",
		"inner", true},
	{"a choice by the size inside", "if (nlocal == 0) return;", "nlocal = 1; if (size == 2) nlocal = 0;", "step % (rank + 2) == 0", "outer",
		true},
	{"a count was received", "if (nlocal == 0) return;", "MPI_Recv(&nlocal, 1, INT, 0, 0, WORLD, 0);", "step % size == 0", "inner", true},
	{"what one rank read was broadcast", "if (nlocal == 0) return;",
		"nlocal = rank; if (rank == 0) scanf(\"%d\", &every); MPI_Bcast(&every, 1, INT, 0, WORLD);", "step % every == 0", "inner", true},
	{"what one rank read was not broadcast", "if (limit == 0) return;",
		"if (rank == 0) scanf(\"%d\", &every); MPI_Bcast(&limit, 1, INT, 0, WORLD);", "step % every == 0", "outer", true},
	{"a part of a struct was not broadcast", "if (settings.read == 0) return;",
		"settings.read = rank; settings.every = rank; MPI_Bcast(&settings, 2, INT, 0, WORLD);",
		"step % settings.every == 0", "inner", true},
	{"a sum over a part of the ranks outside", "if (nlocal == 0) return;",
		"MPI_Comm half; MPI_Comm_split(WORLD, rank / 2, rank, &half); MPI_Allreduce(&rank, &every, 1, INT, SUM, half); nlocal = rank;",
		"step % every == 0", "outer", false},
	{"a sum over all ranks outside", "if (nlocal == 0) return;",
		"MPI_Allreduce(&rank, &every, 1, INT, SUM, WORLD); nlocal = rank;", "step % every == 0", "inner", true},
	{"memory and an error code inside", "char *room = malloc(nlocal); if (!room) return; if (MPI_Comm_size(WORLD, &calls)) return;",
		"nlocal = rank;", "step % (rank + 2) == 0", "outer", true},
	{"an object was chosen by the rank outside", "if (nlocal == 0) return;",
		"static struct settings one = {1, 2, 3}, two = {1, 2, 3}, *chosen; chosen = rank == 1 ? &one : &two; nlocal = rank;",
		"step % chosen->every == 0", "outer", false},
	{"a function of which the address is given changes it", "if (nlocal == 0) return;",
		"nlocal = rank; int list[2] = {3, 4}; qsort(list, 2, sizeof(int), compare);", "step % every == 0", "outer", false},
	{"nobody knows of either", "if (nlocal == 0) return;", "nlocal = getchar(); every = getchar();", "step % every == 0", "outer", false},
}

// TestOrigins: a branch whose condition is the same on all ranks is not taken for the one that sent a rank away.
func TestOrigins(t *testing.T) {
	for _, by := range [][]string{{"gcc", "-O0"}, {"gcc", "-O2"}, {slicetest.Arm64.Prefix + "gcc", "-O2"}} {
		if _, err := exec.LookPath(by[0]); err != nil {
			continue
		}
		for n := range originCases {
			t.Run(strings.Join(by, " ")+" "+originCases[n].name, func(t *testing.T) { originCases[n].check(t, by[0], by[1]) })
		}
	}
}

// text is the program, and the lines are those of its two branches.
func (c *originCase) text() (text string, lines map[string]int) {
	text = asked + "OUT void exchange(int step)\n{\n" + c.exchange + "\nint all;\n" +
		"MPI_Allreduce(&step, &all, 1, INT, SUM, WORLD);\n}\n" +
		"int main(int argc, char **argv)\n{\nint rank, size; MPI_Init(&argc, &argv);\n" +
		"MPI_Comm_rank(WORLD, &rank); MPI_Comm_size(WORLD, &size);" + c.before +
		"\nfor (int step = 1; step < 40; step++) {\nif (" + c.condition + ")\nexchange(step);\nMPI_Barrier(WORLD);\n}\n}\n"
	line := func(part string) int { return strings.Count(text[:strings.Index(text, part)], "\n") + 1 }
	return text, map[string]int{"inner": line(c.exchange), "outer": line("if (" + c.condition)}
}

func (c *originCase) check(t *testing.T, compiler, flag string) {
	text, lines := c.text()
	b := buildProgramBy(t, text, compiler, flag)
	made := b.stackOf(b.callsTo(t, "exchange", "MPI_Allreduce")[0], b.callsTo(t, "main", "exchange")[0])
	branch := musttest.Get(b.Branch(context.Background(), made, b.stackOf(b.callsTo(t, "main", "MPI_Barrier")[0]), nil))(t)
	if got := b.lineOf(branch.Jump); got != lines[c.want] || branch.Alike {
		t.Errorf("line %d decides (%+v), want %s of %v", got, branch, c.want, lines)
	}
	for _, j := range branch.Or {
		if c.alone && !j.Alike && b.lineOf(j) != lines[c.want] {
			t.Errorf("line %d may decide as well", b.lineOf(j))
		}
	}
}

// stackOf is a stack of return addresses.
func (b builtProgram) stackOf(addresses ...uint64) (out []model.Frame) {
	for _, a := range addresses {
		out = append(out, model.Frame{Module: b.module, Offset: a})
	}
	return out
}

// TestLoopFirst: a loop whose end is the same on all ranks is not what decided.
func TestLoopFirst(t *testing.T) {
	for _, c := range []struct {
		alike bool
		want  uint64
	}{{false, 2}, {true, 1}} {
		b := slicing.Branch{Jump: slicing.Jump{Stack: []model.Frame{{Offset: 1}}},
			Or: []slicing.Jump{{Stack: []model.Frame{{Offset: 2}}, Loop: true, Alike: c.alike}}}
		if b.LoopFirst(); b.Stack[0].Offset != c.want {
			t.Errorf("alike %v: %d comes first", c.alike, b.Stack[0].Offset)
		}
	}
}
