package injector

import (
	"debug/elf"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
)

// buildTogether builds the program that makes collectives, with its MPI and a tool.
func buildTogether(t *testing.T, flags ...string) string {
	t.Helper()
	mpi := compileProgram(t, "togethermpi", "-shared", "-fPIC", "-O1")
	tool := compileProgram(t, "togethertool", "-shared", "-fPIC", "-O1")
	return compileProgram(t, "together", append(flags, "-rdynamic", "-Wl,--no-as-needed", tool, mpi)...)
}

// jumpAt is a jump of a program that has a name.
func jumpAt(t *testing.T, program, name string, leads bool) Jump {
	t.Helper()
	f := musttest.Get(elf.Open(program))(t)
	defer f.Close()
	list := musttest.Get(f.Symbols())(t)
	for _, s := range list {
		if s.Name == name {
			return Jump{Module: "together", Offset: s.Value, Loop: leads, Leads: leads}
		}
	}
	t.Fatalf("no %s in %s", name, program)
	return Jump{}
}

// called is the output of the program without what faults leave alone.
const (
	barrier = "barrier 5\n"
	bcast   = "bcast count 4 type 10 root 0 on 5\n"
	gather  = "gather 1 10, 2 11, root 1 on 6\n"
	first   = barrier + bcast + gather
	turn    = "bcast count 1 type 11 root 3 on 6\n"
	call    = "bcast count 3 type 11 root 2 on 5\n"
	last    = "finalize\nends with 0\n"
)

func TestFollow(t *testing.T) {
	for name, flags := range map[string][]string{"O0": {"-O0"}, "O2": {"-O2"}} {
		t.Run(name, func(t *testing.T) {
			program := buildTogether(t, flags...)
			loop, branch := jumpAt(t, program, "around", true), jumpAt(t, program, "apart", false)
			p := profileOf(t, Profile{Cap: 100, Follow: true, Jumps: []Jump{loop, branch}}, program)
			var got []string
			for _, c := range p.Collectives {
				if c.Module != "together" || !c.Own || c.Within == 0 || c.Offset <= c.Within {
					t.Errorf("from %+v", c)
				}
				got = append(got, c.Function)
				c.Module, c.Offset, c.Within, c.Stack, c.Own = "", 0, 0, 0, false
				if want := wanted[len(got)-1]; c != want {
					t.Errorf("%+v, want %+v", c, want)
				}
			}
			if len(got) != len(wanted) {
				t.Errorf("%v", got)
			}
			if len(p.Jumps) != 2 || !cmp.Equal(p.Jumps[0].After, []int{4, 5, 6}) ||
				!cmp.Equal(p.Jumps[1].After, []int{6}) {
				t.Errorf("%+v", p.Jumps)
			}
		})
	}
}

// wanted is what the program does, but for where it does so.
var wanted = []Collective{
	{Function: "MPI_Barrier", Number: 1, Root: -1, Count: -1, Type: -1, Plain: true},
	{Function: "MPI_Bcast", Number: 2, Root: 0, Count: 4, Type: 0, Plain: true},
	{Function: "MPI_Gather", Object: 1, Number: 1, Root: 1, Count: 1, Type: 0, Plain: true},
	{Function: "MPI_Bcast", Object: 1, Number: 2, Root: 3, Count: 1, Type: 1, Plain: true},
	{Function: "MPI_Bcast", Object: 1, Number: 3, Root: 3, Count: 1, Type: 1, Plain: true},
	{Function: "MPI_Bcast", Object: 1, Number: 4, Root: 3, Count: 1, Type: 1, Plain: true},
	{Function: "MPI_Bcast", Number: 3, Root: 2, Count: 3, Type: 1, Plain: true},
	{Function: "MPI_Finalize", Object: -1, Root: -1, Count: -1, Type: -1},
}

func TestDivergence(t *testing.T) {
	for name, flags := range map[string][]string{"O0": {"-O0"}, "O2": {"-O2"}} {
		t.Run(name, func(t *testing.T) {
			program := buildTogether(t, flags...)
			p := profileOf(t, Profile{Cap: 100, Follow: true}, program)
			for _, c := range []struct {
				fault, jump string
				at          int // collective, from 1
				output      string
				status      int
			}{
				{"skip", "", 2, barrier + gather + turn + turn + turn + call + last, 0},
				{"skip", "", 7, first + turn + turn + turn + last, 0},
				{"extra", "", 3, first + gather + turn + turn + turn + call + last, 0},
				{"extra", "", 7, first + turn + turn + turn + call + call + last, 0},
				{"order", "", 1, bcast + barrier + gather + turn + turn + turn + call + last, 0},
				{"order", "", 3, barrier + bcast + turn + gather + turn + turn + call + last, 0},
				{"root", "", 3, strings.Replace(first, "root 1", "root 0", 1) + turn + turn + turn + call + last, 0},
				{"root", "", 7, first + turn + turn + turn + strings.Replace(call, "root 2", "root 0", 1) + last, 0},
				{"count", "", 2, strings.Replace(first, "count 4", "count 3", 1) + turn + turn + turn + call + last, 0},
				{"type", "", 4, first + strings.Replace(turn, "type 11", "type 10", 1) + turn + turn + call + last, 0},
				{"leave:finalize", "", 3, barrier + bcast + "finalize\n", 1},
				{"leave:exit", "", 7, first + turn + turn + turn, 1},
				{"leave:abort", "", 1, "abort 5\n", 41},
				{"loop", "around", 5, first + turn + turn + call + last, 0},
				{"loop", "around", 6, first + strings.Repeat(turn, 4) + call + last, 0},
				{"branch", "apart", 6, first + turn + turn + turn + "barrier 6\n" + call + last, 0},
			} {
				f := musttest.Get(ParseFault(c.fault))(t)
				at := p.Collectives[c.at-1]
				s := Strike{Target: Target{Class: MPI, Module: at.Module, Function: at.Function, Offset: at.Offset},
					Entry: Caller, Invocation: c.at, Fault: f, Divergence: &Divergence{}}
				if c.jump != "" {
					j := jumpAt(t, program, c.jump, f.Kind == Loop)
					s.Divergence.Jump = &j
				}
				l := launchProgram(t, Order{Strike: &s}, program)
				state, out := l.waitExit(t), l.output.String()
				r := l.waitReport(t)
				if r.State != Injected || r.Toward != (c.at == 6) {
					t.Errorf("%s at %d: report %+v", c.fault, c.at, r)
				}
				if out != c.output || state.ExitCode() != c.status {
					t.Errorf("%s at %d: status %d, output\n%swant\n%s", c.fault, c.at, state.ExitCode(), out, c.output)
				}
				l.order.checkMatchesOutput(t, out)
			}
		})
	}
}

// checkMatchesOutput holds what was written down against what the library was asked for.
func (o Order) checkMatchesOutput(t *testing.T, output string) {
	t.Helper()
	made := musttest.Get(o.ReadCollectives(1))(t)
	var printed []string
	for line := range strings.Lines(output) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); name != "ends" {
			printed = append(printed, "mpi_"+name)
		}
	}
	for i, name := range printed[:min(len(printed), len(made[0]))] {
		if mpiFunction(made[0][i].Function) != mpiFunction(name) {
			t.Errorf("call %d is written down as %s, and was %s", i+1, made[0][i].Function, name)
		}
	}
	if len(made[0]) < len(printed) {
		t.Errorf("%d calls are written down, of %d", len(made[0]), len(printed))
	}
}
