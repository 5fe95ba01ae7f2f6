package outside

import (
	"path"
	"slices"
	"strings"

	"laggard/symbol"
)

// Wait is what a thread that stands outside MPI waits for, as the names of functions tell.
type Wait struct {
	For    string // one of the keys of Waits; "": it computes, or nothing is known
	Within string // "import" or "destructor", "" neither: what of Python it is part of
}

// Interpreter is what a thread waits for that wants to run Python, which only one thread may do at a time. The recorder finds it.
const Interpreter = "interpreter"

// Waits says in words what a Wait is for.
var Waits = map[string]string{
	Interpreter: "waits for the lock of the Python interpreter (GIL)",
	"lock":      "waits for a lock", "thread": "waits for another thread", "sleep": "sleeps",
	"child": "waits for a child process", "read": "reads from a file, a pipe or a terminal", "write": "writes",
	"file lock": "waits for the lock of a file", "open": "opens a file", "disk": "waits for a disk",
	"socket": "waits for data of a socket", "connection": "waits for a connection",
	"events": "waits for input, or for a time", "signal": "waits for a signal",
	"openmp": "waits in the OpenMP library for other threads",
	"queue":  "waits for a queue", "pool": "waits for a result of a pool", "event loop": "waits in an event loop",
}

// systemWaits are functions of the C library that do not return before something happens, and what that is.
var systemWaits = map[string][]string{
	"lock": {"pthread_mutex_lock", "pthread_mutex_timedlock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
		"sem_wait", "sem_timedwait", "sem_clockwait", "new_sem_wait_slow64", "lll_lock_wait", "semop", "semtimedop"},
	"thread": {"pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "pthread_join",
		"pthread_timedjoin_np", "pthread_clockjoin_np", "pthread_clockjoin_ex", "pthread_barrier_wait"},
	"sleep":      {"sleep", "usleep", "nanosleep", "clock_nanosleep"},
	"child":      {"wait", "waitpid", "wait3", "wait4", "waitid"},
	"read":       {"read", "readv", "pread64", "preadv64", "getdents64"},
	"write":      {"write", "writev", "pwrite64", "pwritev64", "send", "sendto", "sendmsg"},
	"file lock":  {"flock", "lockf", "lockf64", "fcntl", "fcntl64"},
	"open":       {"open", "open64", "openat", "openat64"},
	"disk":       {"fsync", "fdatasync", "msync", "sync", "syncfs"},
	"socket":     {"recv", "recvfrom", "recvmsg", "recvmmsg"},
	"connection": {"accept", "accept4", "connect"},
	"events": {"poll", "ppoll", "select", "pselect", "pselect64", "epoll_wait", "epoll_pwait", "epoll_wait_old",
		"mq_receive", "msgrcv"},
	"signal": {"pause", "sigsuspend", "sigwait", "sigwaitinfo", "sigtimedwait"},
}

// pythonWaits are functions of Python's own library that wait, by file and name, "" any, for what no function of the
// C library tells.
var pythonWaits = []struct{ file, function, waits string }{
	{"/threading.py", "Thread.join", "thread"}, {"/threading.py", "Event.wait", "thread"},
	{"/threading.py", "Condition.wait", "thread"}, {"/threading.py", "Barrier.wait", "thread"},
	{"/threading.py", "Thread._wait_for_tstate_lock", "thread"}, {"/threading.py", "Semaphore.acquire", "lock"},
	{"/queue.py", "", "queue"}, {"/multiprocessing/queues.py", "", "queue"},
	{"/concurrent/futures/", "", "pool"}, {"/multiprocessing/pool.py", "", "pool"},
	{"/multiprocessing/popen_", "", "child"}, {"/multiprocessing/process.py", "", "child"},
	{"/subprocess.py", "", "child"}, {"/asyncio/", "", "event loop"},
}

// interpreterLocks are functions of Python's interpreter that wait for a lock in the C library, whose own functions for
// that may have no names (from glibc 2.41 on, where it is stripped).
var interpreterLocks = []string{"_PySemaphore_Wait", "_PySemaphore_PlatformWait", "PyThread_acquire_lock_timed"}

// openMPLibraries are the runtime libraries of OpenMP, of GCC, LLVM, Intel and NVIDIA. They spin or sleep at barriers and locks,
// and most are stripped; what they do besides takes no time.
var openMPLibraries = []string{"libgomp.so", "libomp.so", "libiomp5.so", "libnvomp.so"}

func isOpenMP(l symbol.Location) bool {
	file := path.Base(l.Module)
	return slices.ContainsFunc(openMPLibraries, func(name string) bool { return strings.HasPrefix(file, name) })
}

// InRegion reports whether a captured stack, innermost frame first, that ends in the OpenMP library is inside a parallel region, such as in
// a barrier: that was called from the library, too. At the end of the region, unless it is nested, the other threads are out of the
// program's code as well, but for those that the end is waiting for.
func InRegion(stack []symbol.Location) bool {
	called := slices.IndexFunc(stack, func(l symbol.Location) bool { return !symbol.InLibc(l) && !isOpenMP(l) })
	return called > 0 && slices.ContainsFunc(stack[called:], isOpenMP)
}

// WaitOf says what a captured stack, innermost frame first, waits for: the C library must have been called to wait by
// the code that stands innermost, whatever is further out.
func WaitOf(stack []symbol.Location) Wait {
	first := slices.IndexFunc(stack, func(l symbol.Location) bool { return !symbol.InLibc(l) })
	if first < 0 {
		first = len(stack)
	}
	w := Wait{For: systemWait(stack[:first])}
	if w.For == "" && first > 0 && first < len(stack) && symbol.InInterpreter(stack[first]) &&
		slices.Contains(interpreterLocks, stack[first].Function) {
		w.For = "lock"
	}
	if w.For == "" && first < len(stack) && isOpenMP(stack[first]) {
		w.For = "openmp"
	}
	for _, l := range stack {
		switch {
		case l.Language != symbol.Python:
		case symbol.IsPythonImporter(l.File):
			w.Within = "import"
		case w.Within == "" && (l.Function == "__del__" || strings.HasSuffix(l.Function, ".__del__")):
			w.Within = "destructor"
		}
	}
	if w.For != "" {
		w.For = pythonWait(stack[first:], w.For)
	}
	return w
}

// PythonWaitOf says what a stack that has frames of Python only waits for; "" where its innermost frame is one of the program.
func PythonWaitOf(stack []symbol.Location) string { return pythonWait(stack, "") }

// systemWait is what the innermost frames, all of the C library, wait for.
func systemWait(stack []symbol.Location) string {
	for _, l := range stack {
		name := strings.TrimLeft(l.Calls()[len(l.Calls())-1].Function, "_")
		for _, internal := range []string{"GI_", "libc_"} {
			name = strings.TrimLeft(strings.TrimPrefix(name, internal), "_")
		}
		for waits, functions := range systemWaits {
			if slices.Contains(functions, name) {
				return waits
			}
		}
	}
	return ""
}

// pythonWait is what the outermost of the innermost frames of Python that are all in its own library waits for; of
// others it is what the C library waits for.
func pythonWait(stack []symbol.Location, waits string) string {
	for _, l := range stack {
		if l.Language != symbol.Python {
			if !symbol.InInterpreter(l) && !strings.Contains(l.Module, "/lib-dynload/") {
				break // a library in another language, called from Python
			}
			continue
		}
		if symbol.PythonOrigin(l.File) != symbol.Standard {
			break
		}
		for _, known := range pythonWaits {
			_, plain, _ := strings.Cut(known.function, ".")
			if strings.Contains(l.File, known.file) &&
				(known.function == "" || l.Function == known.function || l.Function == plain) {
				waits = known.waits
			}
		}
	}
	return waits
}
