package symbol

import (
	"debug/elf"
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"sync"

	"golang.org/x/arch/x86/x86asm"

	"laggard/binary/processor"
	"laggard/model"
	"laggard/model/mpi"
)

// Libraries and programs put functions of their own around those of MPI
// (hypre_MPI_Allreduce, boost::mpi::all_reduce, a stub for Fortran). All their
// calls of MPI have the same line, so the line that says something is that of the
// caller. What is such a wrapper is decided by its name, and where that leaves it
// open by its code: few instructions, and one call.

// findWrappers marks the levels that are thin wrappers around MPI. forwards reports
// whether the code of the function does nothing but make a call.
func (l *Location) findWrappers(forwards func() bool) {
	binding := isBinding(l.Module)
	mark := func(c *Call, outermost bool) {
		is, maybe := wrapperName(c.Function)
		c.Wrapper = binding || is || maybe && outermost && forwards()
	}
	mark(&l.Call, len(l.Inlined) == 0)
	for i := range l.Inlined {
		mark(&l.Inlined[i], i == len(l.Inlined)-1)
	}
}

// isBinding reports whether a module is the extension module of mpi4py.
func isBinding(module string) bool {
	return strings.HasPrefix(path.Base(module), "MPI.") && strings.Contains(module, "mpi4py")
}

// objectReductions are the functions of mpi4py that reduce objects of Python, which it does with messages.
var objectReductions = []string{"Comm.reduce", "Comm.allreduce", "Intracomm.scan", "Intracomm.exscan"}

// InObjectReduction reports whether a stack is in a collective that mpi4py makes of messages.
func (r *Resolver) InObjectReduction(stack []model.Frame) bool {
	for i, f := range stack {
		if f.Module != nil && isBinding(f.Module.Path) && slices.Contains(objectReductions, r.Resolve(f, i > 0).Function) {
			return true
		}
	}
	return false
}

// wrapperName judges the name of a function: it is that of a wrapper, or may be,
// if the code does nothing but forward the call.
func wrapperName(function string) (is, maybe bool) {
	function = strings.ToLower(withoutTemplates(function))
	parts := strings.Split(function, "::")
	name := lettersAndDigits(parts[len(parts)-1])
	scoped := slices.ContainsFunc(parts[:len(parts)-1], func(scope string) bool {
		s := lettersAndDigits(scope)
		return s == "mpi" || strings.Contains(s, "mpicomm")
	})
	for op, common := range operations() {
		i := strings.LastIndex(name, op)
		if i < 0 {
			continue
		}
		ends := slices.Contains(wrapperEnds, name[i+len(op):])
		switch {
		case ends && (scoped || strings.HasSuffix(name[:i], "mpi")):
			return true, true
		case ends && common:
			maybe = true
		}
	}
	return false, maybe
}

// wrapperEnds is what the name of a wrapper may have behind that of the operation.
var wrapperEnds = []string{"", "c", "f", "f08", "f90", "x", "impl", "wrapper", "wrap", "stub", "fortran"}

// operations are the names of MPI's functions that communicate, as plain has them and
// without "mpi", and other names for them. True: functions that are called so exchange
// data between ranks in most programs, whatever else is in their names.
var operations = sync.OnceValue(func() map[string]bool {
	out := map[string]bool{"broadcast": true, "synchronize": true, "sendreceive": true}
	for _, f := range mpi.Functions() {
		if f.InClass(mpi.ClassLight, mpi.ClassLocal, mpi.ClassTypeCommit, mpi.ClassNewtype) {
			continue
		}
		out[strings.TrimPrefix(lettersAndDigits(strings.ToLower(f.Name)), "mpi")] = f.Class.ExchangesData() || f.Class.WaitsForRequests()
	}
	return out
})

// lettersAndDigits keeps the letters and digits of a name.
func lettersAndDigits(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, name)
}

// withoutTemplates cuts what stands between angle brackets.
func withoutTemplates(function string) string {
	depth := 0
	return strings.Map(func(r rune) rune {
		switch {
		case r == '<':
			depth++
		case r == '>':
			depth--
		case depth <= 0:
			return r
		}
		return -1
	}, function)
}

// A wrapper sets up the arguments and makes one call; a check of the stack may
// make another that never returns.
const (
	maxWrapperSize  = 192 // bytes of code
	maxWrapperCalls = 2
)

// isForwarder reports whether the function around pc is small, has no loop, and makes one
// call. Code of machines that are not in steps is not read.
func (m *module) isForwarder(pc uint64) bool {
	lo, hi, ok := m.functionBounds(pc)
	read := steps[m.image.elf.Machine]
	if !ok || hi-lo > maxWrapperSize || read == nil {
		return false
	}
	code := m.image.bytesAt(lo)
	if uint64(len(code)) < hi-lo {
		return false
	}
	calls := 0
	for at := lo; at < hi; {
		s, ok := read(code[at-lo:hi-lo], at)
		if !ok || s.jumps && s.target >= lo && s.target <= at {
			return false // no code, or it loops
		}
		if s.calls {
			calls++
		}
		at += s.size
	}
	return calls <= maxWrapperCalls
}

// step is what matters here of an instruction.
type step struct {
	size   uint64
	calls  bool
	jumps  bool // to target
	target uint64
}

// steps read an instruction at an address, by the machine; false: there is none.
var steps = map[elf.Machine]func(code []byte, at uint64) (step, bool){
	elf.EM_X86_64: stepX86, elf.EM_AARCH64: stepArm,
}

func stepX86(code []byte, at uint64) (step, bool) {
	in, err := x86asm.Decode(code, 64)
	s := step{size: uint64(in.Len), calls: in.Op == x86asm.CALL}
	if to, ok := in.Args[0].(x86asm.Rel); ok && !s.calls {
		s.jumps, s.target = true, at+s.size+uint64(int64(to))
	}
	return s, err == nil
}

func stepArm(code []byte, at uint64) (step, bool) {
	s := step{size: 4}
	if len(code) < 4 {
		return s, false
	}
	w := binary.LittleEndian.Uint32(code)
	branch, direct := processor.DecodeArmBranch(w)
	switch {
	case direct && branch.Kind == processor.ArmCall, w>>25 == 0b1101011 && w>>21&0b111 == 1: // blr, also authenticated
		s.calls = true
	case direct:
		s.jumps, s.target = true, at+uint64(branch.Offset)
	}
	return s, w>>16 != 0 // udf is no code
}

// functionBounds returns where the function around pc begins and ends.
func (m *module) functionBounds(pc uint64) (lo, hi uint64, ok bool) {
	for _, t := range m.tables {
		if x, ok := t.funcs.find(pc); ok && x.size > 0 {
			return x.addr, x.addr + x.size, true
		}
	}
	return m.image.unwindRange(pc)
}
