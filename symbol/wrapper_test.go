package symbol

import (
	"debug/elf"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

func TestWrapperNames(t *testing.T) {
	for _, c := range []struct {
		name      string
		is, maybe bool
	}{
		{"hypre_MPI_Allreduce", true, true},
		{"mpi_barrier_", true, true},
		{"my_mpi_waitall_c", true, true},
		{"boost::mpi::all_reduce<double, std::plus<double> >", true, true},
		{"boost::mpi::detail::all_reduce_impl<int, std::plus<int> >", true, true},
		{"MPI::Comm::Barrier", true, true},
		{"Teuchos::MpiComm<int>::barrier", true, true},
		{"mpiPif_MPI_Bcast", true, true},
		{"comm_barrier", false, true},
		{"parallel::broadcast", false, true},
		{"mpi_send_halo", false, false},
		{"lbm::mpi::step", false, false},
		{"solver_start", false, false},
		{"settle", false, false},
		{"main", false, false},
		{"", false, false},
		{"a>b<c::", false, false},
	} {
		if is, maybe := wrapperName(c.name); is != c.is || maybe != c.maybe {
			t.Errorf("%s: %t, %t; want %t, %t", c.name, is, maybe, c.is, c.maybe)
		}
	}
}

// TestWrapperCode: a compiler's code decides where a name leaves it open.
func TestWrapperCode(t *testing.T) {
	for _, flags := range [][]string{{"-O0", "-g"}, {"-O2", "-fno-inline"}, {"-O2", "-fno-inline", "-g"}} {
		prog := buildSource(t, "g++", "wrappers.cc", flags...)
		all, mod, r := functionSymbols(t, prog), recordedModule(t, prog), newTestResolver(t, Config{})
		for name, want := range map[string]bool{
			"solver_MPI_Allreduce": true, "comm_barrier": true, "_ZN4bind3mpi5groupIdE10all_reduceEPd": true,
			"step_barrier": false, "settle": false, "main": false,
		} {
			f := all[name]
			if f.size == 0 {
				t.Fatalf("%v: no function %s", flags, name)
			}
			l := r.Resolve(model.Frame{Module: mod, Offset: f.addr + f.size - 1}, false)
			if l.outermost().Wrapper != want {
				t.Errorf("%v: %v: wrapper %t, want %t", flags, l, l.Wrapper, want)
			}
		}
	}
}

// TestLinkageStub: a rank that was stopped on its way into another module is where it calls that.
func TestLinkageStub(t *testing.T) {
	prog := buildSource(t, "g++", "throwing.cc", "-O0", "-g")
	f := musttest.Get(elf.Open(prog))(t)
	defer f.Close()
	r, mod, main := newTestResolver(t, Config{}), recordedModule(t, prog), functionSymbols(t, prog)["main"]
	caller := model.Frame{Module: mod, Offset: main.addr + 1}
	for _, name := range []string{".plt", ".plt.sec", ".plt.got"} {
		s := f.Section(name)
		if s == nil {
			continue
		}
		stub := r.Resolve(model.Frame{Module: mod, Offset: s.Addr + s.Size - 1}, false)
		if at, call, _ := AppCall([]Location{stub, r.Resolve(caller, true)}); call.Function != "main" {
			t.Errorf("%s: %v is shown, as %+v", name, at, call)
		}
	}
	if f.Section(".plt") == nil {
		t.Error("the program has no procedure linkage table")
	}
}

// TestCaller: the level to show is that of a wrapper's caller, also where one was
// inlined into the other, and the wrapper where nobody of the program called it.
func TestCaller(t *testing.T) {
	wrapper := locationIn("/opt/libsolver.so", "solver_MPI_Allreduce")
	wrapper.Wrapper = true
	inlined := wrapper
	inlined.Inlined = []Call{{Function: "norm"}}
	mpi4py := locationIn("/usr/lib/python3/mpi4py/MPI.cpython-311.so", "")
	mpi4py.Wrapper = true
	python := locationIn("/usr/bin/python3.11", "_PyEval_EvalFrameDefault")
	for _, c := range []struct {
		name          string
		stack         []Location
		want, through string
	}{
		{"called", []Location{locationIn("/usr/lib/libmpi.so.40", "MPI_Allreduce"), wrapper, locationIn("/opt/app", "norm")},
			"norm", "solver_MPI_Allreduce"},
		{"inlined", []Location{inlined, locationIn("/opt/app", "main")}, "norm", "solver_MPI_Allreduce"},
		{"two", []Location{wrapper, inlined}, "norm", "solver_MPI_Allreduce"},
		{"alone", []Location{wrapper, locationIn("/lib/libc.so.6", "start_thread")}, "solver_MPI_Allreduce", ""},
		{"interpreted", []Location{mpi4py, python, locationIn("/opt/app", "main")}, "main", ""},
		{"interpreter alone", []Location{mpi4py, python}, "", ""},
		{"no wrapper", []Location{locationIn("/opt/app", "norm"), wrapper}, "norm", ""},
	} {
		_, call, through := AppCall(c.stack)
		checktest.Equal(t, c.want, call.Function, c.name)
		if through == nil {
			through = &Call{}
		}
		checktest.Equal(t, c.through, through.Function, c.name, "through")
	}
}
