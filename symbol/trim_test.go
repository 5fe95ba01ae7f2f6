package symbol

import (
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

func locationIn(module, function string) Location {
	return Location{Call: Call{Function: function}, Module: module}
}

func TestTrim(t *testing.T) {
	const app, libc = "/home/u/app", "/lib/x86_64-linux-gnu/libc.so.6"
	inlined := locationIn(app, "step")
	inlined.Inlined = []Call{{Function: "main"}}
	for _, c := range []struct {
		name  string
		stack []Location
		want  int // levels left
		app   int
	}{
		{"empty", nil, 0, -1},
		{"state", []Location{locationIn(app, "halo"), locationIn(app, "main"), locationIn(libc, "__libc_start_call_main"),
			locationIn(libc, "__libc_start_main"), locationIn(app, "_start")}, 2, 0},
		{"thread", []Location{locationIn(app, "worker"), locationIn(libc, "start_thread"), locationIn(libc, "clone3")}, 1, 0},
		{"fortran", []Location{locationIn(app, "field::relax"), locationIn(app, "main"), locationIn(app, "main"),
			locationIn(libc, "__libc_start_main")}, 2, 0},
		{"inlined into main", []Location{inlined, locationIn(libc, "__libc_start_main")}, 1, 0},
		{"capture in MPI", []Location{locationIn(libc, "poll"), locationIn("/usr/lib/libopen-pal.so.40", "opal_progress"),
			locationIn("/usr/lib/libmpi.so.40", "MPI_Barrier"), locationIn("/opt/liblaggard.so", "MPI_Barrier"), locationIn(app, "sync"),
			locationIn(app, "main")}, 6, 4},
		{"static MPI", []Location{
			locationIn(app, "MPIDI_progress"), locationIn(app, "PMPI_Wait"), locationIn(app, "solve"), locationIn(app, "main")},
			4, 2},
		{"only system", []Location{locationIn(libc, "nanosleep"), locationIn(libc, "start_thread")}, 1, 0},
		{"begins in a starter", []Location{locationIn(app, "_start")}, 1, 0},
	} {
		got := TrimStack(c.stack)
		checktest.Equal(t, c.want, len(got), c.name, "levels", got)
		if l, _, _ := AppCall(got); (l == nil) != (c.app < 0) || l != nil && l != &got[c.app] {
			t.Errorf("%s: application frame %v, want number %d", c.name, l, c.app)
		}
	}
}

func TestDisplay(t *testing.T) {
	for _, c := range []struct{ linker, short, full string }{
		{"main", "main", "main"},
		{"MAIN__", "main", "main"},
		{"__field_MOD_relax", "field::relax", "field::relax"},
		{"field_mp_relax_", "field::relax", "field::relax"},
		{"_QMfieldPrelax", "field::relax", "field::relax"},
		{"_ZNK5outer4GridIdE3sumEi", "outer::Grid<double>::sum", "outer::Grid<double>::sum(int) const"},
		{"_ZN12_GLOBAL__N_16hiddenEi.part.0", "(anonymous namespace)::hidden",
			"(anonymous namespace)::hidden(int) [clone .part.0]"},
		{"_Znonsense", "_Znonsense", "_Znonsense"},
		{"", "", ""},
	} {
		short, full := displayNames(c.linker)
		if short != c.short || full != c.full {
			t.Errorf("%s: %q, %q; want %q, %q", c.linker, short, full, c.short, c.full)
		}
	}
}

// TestFortranStack: the names of the real compiler, from the innermost level.
func TestFortranStack(t *testing.T) {
	prog := buildSource(t, "gfortran", "solver.f90", "-O0", "-g")
	all := functionSymbols(t, prog)
	mod := recordedModule(t, prog)
	var frames []model.Frame
	for _, name := range []string{"__field_MOD_relax", "MAIN__", "main"} {
		if all[name].size == 0 {
			t.Fatalf("no %s", name)
		}
		frames = append(frames, model.Frame{Module: mod, Offset: all[name].addr + all[name].size})
	}
	stack := newTestResolver(t, Config{}).ResolveProgramStack(frames, false)
	if len(stack) != 2 || stack[0].Function != "field::relax" || stack[1].Function != "main" {
		t.Fatalf("got %v", stack)
	}
	if filepath.Base(stack[1].File) != "solver.f90" {
		t.Errorf("main is in %q", stack[1].File)
	}
}
