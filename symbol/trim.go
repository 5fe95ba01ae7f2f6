package symbol

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"laggard/model"
)

// TrimStack cuts the outer end of a stack (innermost first) where the C library and
// the threads library start programs and threads, and the C main that Fortran
// compilers put around the main program. A function without a name that the C
// library started is main. Of a test it cuts the runner around it. The rest is a copy of a
// part of stack.
func TrimStack(stack []Location) []Location {
	n := testOf(stack)
	outside := slices.IndexFunc(stack, func(l Location) bool { return !InLibc(l) })
	for n > 1 && isStarter(stack[:n], outside >= 0 && outside < n-1) {
		n--
	}
	out := slices.Clone(stack[:n])
	if n > 0 && n < len(stack) && out[n-1].Function == "" && InLibc(stack[n]) && out[n-1].Module != "" {
		out[n-1].Function, out[n-1].Signature = "main", "main"
	}
	if n > 1 && out[n-1].Function == "main" && out[n-2].outermost().Function == "main" {
		return out[:n-1]
	}
	return out
}

// isStarter reports whether the outermost frame belongs to what starts programs
// and threads: a function known for it or, if code of the program stands
// further in, any in the C library, or one without a name that calls into it
// (_start of a stripped program).
func isStarter(stack []Location, program bool) bool {
	last := stack[len(stack)-1]
	if last.Language != "" {
		return false
	}
	if slices.Contains(starters, last.outermost().Function) {
		return true
	}
	return program && (InLibc(last) || len(stack) > 2 && last.Function == "" && InLibc(stack[len(stack)-2]))
}

// InLibc reports whether a frame is in the C library or the loader.
func InLibc(l Location) bool {
	return l.Language == "" && hasPrefix(path.Base(l.Module), []string{"libc.so", "libc-", "libpthread", "ld-linux"})
}

// starters are the functions that call main and the functions of threads.
var starters = []string{
	"_start", "__libc_start_main", "__libc_start_call_main", "__libc_start_main_impl",
	"start_thread", "__clone", "clone", "__clone3", "clone3", "thread_start", "gomp_thread_start",
}

// AppCall returns the level of a stack to show first: the innermost one that is the program's own, and not in a
// library, the MPI library, the system's libraries or the recorder, nor a thin
// wrapper around MPI. through is the innermost wrapper that was passed over, or else the function of a library that the program
// called; nil if there is none. Without a frame of the program's own, that of a library counts. If all levels are of that kind, a
// wrapper comes before what is the system's; at is nil for an empty stack. In a stack of a Python program it is a frame of
// that, and through what it called of a package, or that was written in another language.
func AppCall(stack []Location) (at *Location, call Call, through *Call) {
	if i := pythonAt(stack); i >= 0 {
		return pythonCall(stack, i)
	}
	if i := pythonAlone(stack); i >= 0 {
		return &stack[i], Call{Function: interpreterName(stack)}, nil
	}
	if at, call, through := ownCall(stack); at != nil {
		return at, call, through
	}
	for i := range stack {
		l := &stack[i]
		if InSystem(*l) || through != nil && InInterpreter(*l) {
			continue
		}
		for _, c := range l.Calls() {
			switch {
			case !c.Wrapper:
				return l, c, through
			case through == nil:
				at, call, through = l, c, &c
			}
		}
	}
	if at == nil && len(stack) > 0 {
		at, call = &stack[0], stack[0].Call
	}
	return at, call, nil
}

// HasOwnFrame reports whether a stack has a frame of the program's own.
func HasOwnFrame(stack []Location) bool {
	if pythonAt(stack) >= 0 {
		return true
	}
	at, _, _ := ownCall(stack)
	return at != nil
}

// ownCall is AppCall for a program that has frames of its own; at is nil if it has none.
func ownCall(stack []Location) (at *Location, call Call, through *Call) {
	var wrapper, library *Call
	for i := range stack {
		l := &stack[i]
		switch {
		case InSystem(*l):
			continue
		case l.Library || InInterpreter(*l):
			if c := l.outermost(); c.Function != "" {
				library = c
			}
			continue
		}
		for _, c := range l.Calls() {
			switch {
			case systemHeaders.MatchString(c.File):
			case !c.Wrapper:
				return l, c, cmp.Or(wrapper, library)
			case wrapper == nil:
				wrapper = &c
			}
		}
	}
	return nil, Call{}, nil
}

// InInterpreter reports whether a frame is of one that runs programs in another language:
// its functions say nothing of the program.
func InInterpreter(l Location) bool {
	name := path.Base(l.Module)
	return model.IsPython(name) || hasPrefix(name, []string{"perl", "ruby", "libR.so", "libjulia"})
}

// InRecorder reports whether a frame is the recorder's, which stands between a
// program and what it calls.
func InRecorder(l Location) bool { return IsRecorderModule(l.Module) }

// IsRecorderModule reports whether a module is the recorder, by its path.
func IsRecorderModule(module string) bool {
	return strings.HasPrefix(path.Base(module), recorderModule)
}

const recorderModule = "liblaggard"

// InSystem reports whether a frame is in the MPI library, the system's libraries or
// the recorder, or in no module.
func InSystem(l Location) bool {
	return l.Language == "" && (IsSystemModule(l.Module) || hasPrefix(l.outermost().Function, systemFunctions))
}

// IsSystemModule reports whether a module is an MPI library, a system library or the
// recorder, by its path.
func IsSystemModule(module string) bool {
	return module == "" || hasPrefix(path.Base(module), systemModules) && !pythonModule(module)
}

func hasPrefix(s string, prefixes []string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}

// systemModules are beginnings of file names: MPI libraries and what they
// stand on, the C and language run-time libraries, the recorder.
var systemModules = []string{
	recorderModule, "libmpi", "libpmpi", "libopen-", "libmca_", "mca_", "libpmix", "libprrte", "libpmi",
	"libuc", "libfabric.", "libhcoll",
	"libxpmem", "libpsm", "libibverbs.", "librdmacm.", "libmlx", "libevent", "libhwloc.",
	"libc.so", "libc-", "libm.so", "libpthread", "libdl.", "librt.", "ld-linux", "ld-", "linux-vdso", "[vdso]",
	"libgcc_s.", "libstdc++.", "libgfortran.", "libquadmath.", "libgomp.", "libiomp", "libomp.",
}

// systemFunctions are beginnings of names in MPI libraries, for programs that
// contain the library.
var systemFunctions = []string{"MPI_", "PMPI_", "MPIR_", "MPID", "MPIC_", "MPIOI_", "ADIOI_", "ADIO_", "PAMI_",
	"ompi_", "opal_", "mca_", "ucp_", "uct_", "ucs_"}

// IsTransport reports whether a module moves messages for MPI: a component of Open MPI
// for that, or a communication library, by its path.
func IsTransport(module string) bool { return hasPrefix(path.Base(module), transports) }

var transports = []string{"mca_btl_", "mca_pml_", "mca_mtl_", "mca_osc_", "mca_coll_", "mca_fcoll_", "mca_io_",
	"libmca_common_", "libucp.", "libuct", "libucs.", "libfabric.", "libpsm", "libibverbs.", "libmlx", "libhcoll",
	"libpmix", "libxpmem"}
