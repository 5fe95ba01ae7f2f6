package injector

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"

	"laggard/injector/ptrace"
)

// Profile is which functions a rank enters, and how often.
type Profile struct {
	Rank int `json:"rank"`
	// Modules are patterns (path.Match) of the names of the libraries whose
	// functions count as the program's own, beside the program. Empty: those that
	// are not in a directory of the system.
	Modules []string `json:"modules,omitempty"`
	Entry   Entry    `json:"entry,omitempty"` // where MPI calls are counted; "" is Library
	// Cap ends the counting of a function. 1 costs one trap per function that is
	// entered at all; 1000, some 20 ms per function at most.
	Cap int `json:"cap"`
	// Functions are those entered, in the order of class, module and address.
	Functions []Entered `json:"functions"`
	// Follow asks for the collectives that the rank makes instead, one by one.
	Follow      bool         `json:"follow,omitempty"`
	Collectives []Collective `json:"collectives,omitempty"`
	// Jumps are what decides whether collectives are made; whoever knows the code
	// fills them in. Asked for with Follow, those that the rank comes to are returned.
	Jumps []Jump `json:"jumps,omitempty"`
}

// Jump is a conditional jump of the program that decides whether a collective is
// made.
type Jump struct {
	Module   string `json:"module"`             // name of the file
	Offset   uint64 `json:"offset"`             // address in the file
	Function string `json:"function,omitempty"` // name of the function
	File     string `json:"file,omitempty"`     // source file
	Line     int    `json:"line,omitempty"`     // line
	Loop     bool   `json:"loop"`               // it decides whether a loop around the call goes round again
	Leads    bool   `json:"leads"`              // its target leads to the call
	// Call is what it decides about: who calls MPI, and where that returns to.
	Call struct {
		Module string `json:"module"` // name of the file
		Offset uint64 `json:"offset"` // address in the file
	} `json:"call"`
	After []int `json:"after,omitempty"` // after how many of its collectives a rank reaches it
}

// Entered counts the entries of a function. The sum is at most the cap: where it
// is the cap, there were at least as many.
type Entered struct {
	Target
	Before  int `json:"before"`  // MPI_Init was entered
	Running int `json:"running"` // after that; all, in a program that never does
	After   int `json:"after"`   // MPI_Finalize was entered, that entry not included
}

// CompareJumps orders jumps by the call that they decide about, and where they are.
func CompareJumps(a, b Jump) int {
	return cmp.Or(cmp.Compare(a.Call.Module, b.Call.Module), cmp.Compare(a.Call.Offset, b.Call.Offset),
		cmp.Compare(a.Module, b.Module), cmp.Compare(a.Offset, b.Offset))
}

// profiler counts entries of all functions that can be injected into.
type profiler struct {
	options Profile
	files   functionCache
	program string // path of the program's own module
	phase   int    // index into entries.by
	initial bool   // MPI_Init was seen
	found   map[uint64]*entries
	tools   tools
}

// entries is the data of a breakpoint.
type entries struct {
	Target
	counts [3]int
	// A breakpoint on MPI_Init or MPI_Finalize moves the phase, profiled or not.
	enters int
	hidden bool // not to be listed
}

// Mapped stands at every function of a module that is the program's or MPI's.
func (f *profiler) Mapped(p *ptrace.Process, added []ptrace.Module) error {
	if len(added) == len(p.Modules()) {
		f.phase, f.initial, f.found, f.tools = 0, false, map[uint64]*entries{}, nil
		f.program = executablePath(p)
	}
	for _, m := range added {
		f.tools.add(m, f.files)
		for _, fn := range f.files.functions(m.Path) {
			if e := f.entriesFor(m, fn); e != nil && p.Break(m.Base+fn.Offset, e) == nil {
				f.found[m.Base+fn.Offset] = e
			}
		}
	}
	return nil
}

// entriesFor returns what to count at a function, nil for nothing.
func (f *profiler) entriesFor(m ptrace.Module, fn ptrace.Function) *entries {
	e := &entries{Target: Target{User, m.Name(), fn.Name(), fn.Offset, "", 0}}
	if name := mpiName(fn); name != "" {
		e.Class, e.Function = MPI, name
		e.enters = phaseOf(name, f.files.isMPI(m))
		e.hidden = f.files.isMPI(m) != (f.options.Entry != Caller)
		if e.hidden && e.enters == 0 {
			return nil
		}
		return e
	}
	if !f.isOwn(m) || fn.Size == 0 || slices.Contains(startup, fn.Name()) {
		return nil
	}
	return e
}

// phaseOf is the phase that a function of the MPI library begins, 0 none.
func phaseOf(name string, library bool) int {
	switch {
	case library && (name == "MPI_Init" || name == "MPI_Init_thread"):
		return 1
	case library && name == "MPI_Finalize":
		return 2
	}
	return 0
}

// mpiName recognises an MPI call by its C names; the Fortran ones lead to these.
func mpiName(fn ptrace.Function) string {
	for _, n := range fn.Names {
		if n = strings.TrimPrefix(n, "P"); strings.HasPrefix(n, "MPI_") && n != strings.ToUpper(n) {
			return n
		}
	}
	return ""
}

// startup are functions of the C runtime that every program has.
var startup = []string{"_init", "_fini", "_start", "_dl_relocate_static_pie", "__do_global_dtors_aux",
	"frame_dummy", "register_tm_clones", "deregister_tm_clones", "__libc_csu_init", "__libc_csu_fini", "atexit",
	"call_weak_fn", "init_have_lse_atomics"}

// systemFolders hold libraries that are nobody's program.
var systemFolders = []string{"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"}

// isOwn reports whether a module's functions are the program's.
func (f *profiler) isOwn(m ptrace.Module) bool {
	switch {
	case m.Path == f.program:
		return true
	case f.files.isTool(m) || f.files.isMPI(m):
		return false // MPI, or a tool between it and the program
	case len(f.options.Modules) > 0:
		return slices.ContainsFunc(f.options.Modules, func(pattern string) bool { return matchesPattern(pattern, m.Name()) })
	}
	return !slices.ContainsFunc(systemFolders, func(folder string) bool { return strings.HasPrefix(m.Path, folder) })
}

// Hit counts one entry.
func (f *profiler) Hit(t *ptrace.Thread, b *ptrace.Breakpoint) (ptrace.Action, error) {
	e := b.Data.(*entries)
	if own, err := f.tools.madeByTool(t, e.Target); own || err != nil {
		return ptrace.Continue, err
	}
	if e.enters == 1 {
		f.phase, f.initial = max(f.phase, 1), true
	}
	e.counts[f.phase]++
	f.phase = max(f.phase, e.enters)
	if e.counts[0]+e.counts[1]+e.counts[2] >= f.options.Cap {
		return ptrace.Retire, nil
	}
	return ptrace.Continue, nil
}

// newProfile is what was counted.
func (f *profiler) newProfile() Profile {
	out := f.options
	out.Functions = []Entered{}
	for _, e := range f.found {
		if e.hidden || e.counts == [3]int{} {
			continue
		}
		n := Entered{e.Target, e.counts[0], e.counts[1], e.counts[2]}
		if !f.initial {
			n.Before, n.Running = 0, n.Before
		}
		out.Functions = append(out.Functions, n)
	}
	slices.SortFunc(out.Functions, comparePlaces)
	return out
}

// comparePlaces orders user functions before MPI calls, then by module and address.
func comparePlaces(a, b Entered) int {
	return cmp.Or(-cmp.Compare(a.Class, b.Class), cmp.Compare(a.Module, b.Module), cmp.Compare(a.Offset, b.Offset))
}

// executablePath returns the path of the module that was executed.
func executablePath(p *ptrace.Process) string {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(path, " (deleted)")
}

// takeProfile runs the process to its end.
func takeProfile(p *ptrace.Process, options Profile) (Profile, error) {
	if options.Follow {
		c := &collector{follower: follower{options: options, files: functionCache{}}}
		_, err := p.Run(c)
		options.Functions, options.Collectives, options.Jumps = []Entered{}, c.calls, c.reachedJumps()
		return options, err
	}
	f := &profiler{options: options, files: functionCache{}, found: map[uint64]*entries{}}
	_, err := p.Run(f)
	return f.newProfile(), err
}
