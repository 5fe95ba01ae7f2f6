package outside

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/symbol"
)

// level is a module and a function of a stack; a module that ends with ".py", or is frozen, is a file of Python.
type level [2]string

func locatedStack(levels ...level) (out []symbol.Location) {
	for _, l := range levels {
		at := symbol.Location{Call: symbol.Call{Function: l[1]}, Module: l[0]}
		if strings.HasSuffix(l[0], ".py") || strings.HasPrefix(l[0], "<") {
			at.Language, at.File = symbol.Python, l[0]
		}
		out = append(out, at)
	}
	return out
}

func TestOf(t *testing.T) {
	const (
		libc   = "/lib/x86_64-linux-gnu/libc.so.6"
		exe    = "/usr/bin/python3.11"
		lib    = "/usr/lib/python3.11/"
		app    = "/home/u/a.py"
		frozen = "<frozen importlib._bootstrap>"
	)
	for _, c := range []struct {
		name        string
		stack       []symbol.Location
		for_, inner string
	}{
		{"C sleeps", locatedStack(level{libc, "__GI___clock_nanosleep"}, level{libc, "sleep"}, level{"/home/u/a", "f"}),
			"sleep", ""},
		{"C waits for a lock", locatedStack(level{libc, ""}, level{libc, "__lll_lock_wait"},
			level{libc, "___pthread_mutex_lock"}, level{"/home/u/a", "f"}), "lock", ""},
		{"C reads", locatedStack(level{libc, "__GI___libc_read"}, level{libc, "_IO_file_underflow"}, level{libc, "fgets"},
			level{"/home/u/a", "f"}), "read", ""},
		{"C computes below qsort", locatedStack(level{"/home/u/a", "compare"}, level{libc, "msort_with_tmp"},
			level{libc, "wait"}), "", ""},
		{"a program's own wait", locatedStack(level{"/home/u/a", "wait"}), "", ""},
		{"memcpy", locatedStack(level{libc, "__memmove_avx"}, level{"/home/u/a", "f"}), "", ""},
		{"a lock", locatedStack(level{libc, "sem_wait"}, level{exe, "PyThread_acquire_lock_timed"}, level{app, "get"}),
			"lock", ""},
		{"a lock, the C library without names", locatedStack(level{libc, ""}, level{libc, ""},
			level{exe, "_PySemaphore_Wait"}, level{exe, "_PyParkingLot_Park"}, level{app, "get"}), "lock", ""},
		{"an interpreter that computes", locatedStack(level{exe, "_PySemaphore_Wait"}, level{app, "get"}), "", ""},
		{"an event", locatedStack(level{libc, "sem_wait"}, level{exe, ""}, level{lib + "threading.py", "Condition.wait"},
			level{lib + "threading.py", "Event.wait"}, level{app, "get"}), "thread", ""},
		{"a queue", locatedStack(level{libc, "sem_wait"}, level{exe, ""}, level{lib + "threading.py", "wait"},
			level{lib + "queue.py", "get"}, level{app, "get"}), "queue", ""},
		{"a queue computes", locatedStack(level{exe, "_PyEval_EvalFrameDefault"}, level{lib + "queue.py", "get"},
			level{app, "get"}), "", ""},
		{"a file of the program's named queue", locatedStack(level{libc, "clock_nanosleep"}, level{exe, ""},
			level{"/home/u/queue.py", "get"}), "sleep", ""},
		{"a pool", locatedStack(level{libc, "sem_wait"}, level{lib + "threading.py", "Condition.wait"},
			level{lib + "concurrent/futures/_base.py", "Future.result"}, level{app, "run"}), "pool", ""},
		{"a child", locatedStack(level{libc, "wait4"}, level{exe, ""}, level{lib + "subprocess.py", "Popen._try_wait"},
			level{app, "run"}), "child", ""},
		{"an event loop", locatedStack(level{libc, "epoll_wait"}, level{exe, ""},
			level{lib + "selectors.py", "EpollSelector.select"},
			level{lib + "asyncio/base_events.py", "BaseEventLoop._run_once"}, level{app, "run"}), "event loop", ""},
		{"a callback of an event loop", locatedStack(level{libc, "flock"}, level{exe, ""}, level{app, "lock"},
			level{lib + "asyncio/events.py", "Handle._run"}, level{app, "run"}), "file lock", ""},
		{"an import", locatedStack(level{libc, "flock"}, level{exe, ""}, level{app, "<module>"},
			level{frozen, "_find_and_load"},
			level{app, "<module>"}), "file lock", "import"},
		{"a destructor", locatedStack(level{"/usr/lib/libmpi.so.40", "PMPI_Barrier"}, level{app, "Holder.__del__"},
			level{app, "<module>"}), "", "destructor"},
		{"a barrier of OpenMP", locatedStack(level{"/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", ""}, level{"/home/u/a", "sweep"}),
			"openmp", ""},
		{"a lock of OpenMP, asleep", locatedStack(level{libc, "syscall"}, level{"/opt/llvm/lib/libomp.so.5", "__kmp_acquire_lock"},
			level{"/home/u/a", "sweep"}), "openmp", ""},
		{"a parallel region computes", locatedStack(level{"/home/u/a", "sweep._omp_fn.0"}, level{"/usr/lib/libgomp.so.1", "GOMP_parallel"},
			level{"/home/u/a", "sweep"}), "", ""},
		{"nothing", nil, "", ""},
	} {
		checktest.Equal(t, (Wait{c.for_, c.inner}), WaitOf(c.stack), c.name)
	}
}

// TestInRegion: a barrier within a parallel region is reached through the OpenMP library, and the end of the region is not.
func TestInRegion(t *testing.T) {
	gomp, sweep := level{"/usr/lib/x86_64-linux-gnu/libgomp.so.1.0.0", ""}, level{"/home/u/a", "sweep"}
	for name, c := range map[string]struct {
		stack []symbol.Location
		want  bool
	}{
		"a barrier":         {locatedStack(gomp, sweep, gomp, sweep), true},
		"a worker's":        {locatedStack(gomp, sweep, gomp, level{"/lib/x86_64-linux-gnu/libc.so.6", "start_thread"}), true},
		"the end":           {locatedStack(gomp, gomp, sweep), false},
		"the library alone": {locatedStack(gomp), false},
		"nothing":           {nil, false},
	} {
		checktest.Equal(t, c.want, InRegion(c.stack), name)
	}
}

// TestWaitsHaveWords: every wait can be said.
func TestWaitsHaveWords(t *testing.T) {
	for waits := range systemWaits {
		if Waits[waits] == "" {
			t.Errorf("%q has no words", waits)
		}
	}
	for _, known := range pythonWaits {
		if Waits[known.waits] == "" {
			t.Errorf("%q has no words", known.waits)
		}
	}
}
