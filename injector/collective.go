package injector

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"slices"
	"strings"

	"laggard/injector/ptrace"
	"laggard/model/mpi"
)

// Collective is a call that all members of a communicator, window or file make
// together, as a rank made it; or one by which the rank leaves MPI.
type Collective struct {
	Function string `json:"function"`      // name in the C binding
	Module   string `json:"module"`        // name of the caller's file
	Offset   uint64 `json:"offset"`        // address in that file that the call returns to
	Within   uint64 `json:"within"`        // entry of the function that this is in, 0 unknown
	Own      bool   `json:"own,omitempty"` // the caller is the program's own code
	Stack    uint64 `json:"stack"`         // stack pointer at the entry
	// communicator, window or file, numbered by the rank's first use; -1 none
	Object int  `json:"object"`
	Number int  `json:"number"`          // number on that object, from 1
	Root   int  `json:"root"`            // the root, -1 none
	Count  int  `json:"count"`           // the count, -1 none
	Type   int  `json:"type"`            // datatype, numbered by the rank's first use; -1 none
	Plain  bool `json:"plain,omitempty"` // it makes no object, and is not half of a split call
}

// leavesMPI reports whether the rank leaves MPI by the call.
func (c *Collective) leavesMPI() bool { return c.Object < 0 }

// sameSite reports whether two calls are of one function, from one place.
func (c *Collective) sameSite(d *Collective) bool {
	return c.Function == d.Function && c.Module == d.Module && c.Offset == d.Offset
}

// sameSiteAndRoot reports whether two members of a communicator may have made the calls together.
func (c *Collective) sameSiteAndRoot(d *Collective) bool { return c.sameSite(d) && c.Root == d.Root }

// entryPoint is a function through which the program goes into MPI, in one of its
// bindings; the data of a breakpoint.
type entryPoint struct {
	*mpi.Function
	fortran bool
	object  int // the parameter that names the communicator, window or file, -1 none
}

// argumentCount is how many the door takes: in Fortran, the error code as well.
func (d *entryPoint) argumentCount() int {
	if d.fortran {
		return len(d.Params) + 1
	}
	return len(d.Params)
}

// IsCollective reports whether a function of MPI, by its C name, is called by all members of a
// communicator, window or file.
func IsCollective(function string) bool { return mpiFunction(function).CollectiveOn() != 0 }

// entryPointOf returns what stands behind the name of a function, nil if it is not of
// interest.
func entryPointOf(fn ptrace.Function) *entryPoint {
	for _, name := range fn.Names {
		if f := mpiFunction(name); f != nil {
			kind := f.CollectiveOn()
			d := &entryPoint{f, name != f.Name, slices.IndexFunc(f.Params, func(p mpi.Param) bool { return p.Kind == kind })}
			if kind != 0 && d.object >= 0 || f.Class == mpi.ClassFinalize || f.Class == mpi.ClassAbort {
				return d
			}
		}
	}
	return nil
}

// isPlain: the call makes no object, and is not half of one.
func (d *entryPoint) isPlain() bool {
	return !d.HasTrait(mpi.Begins|mpi.Ends) && (d.Class == mpi.ClassColl || d.Class == mpi.ClassWinColl || d.Class == mpi.ClassFileColl)
}

// firstParam is the first parameter of one of the names, -1 none.
func (d *entryPoint) firstParam(names ...string) int {
	for _, name := range names {
		if i := d.ParamIndex(name); i >= 0 {
			return i
		}
	}
	return -1
}

func (d *entryPoint) rootParam() int { return d.firstParam("root") }

// countParam is an argument of one number, not of one for each member.
func (d *entryPoint) countParam() int { return d.firstParam("count", "sendcount", "recvcount") }

func (d *entryPoint) datatypeParam() int { return d.firstParam("datatype", "sendtype", "recvtype") }

// follower stands at the doors and tells of each collective that the program makes.
type follower struct {
	options Profile // its modules
	files   functionCache
	process *ptrace.Process
	program string
	tool    ptrace.Module     // whose functions the program calls
	wide    bool              // handles are addresses
	callers map[string]caller // by path
	tallies map[object]*tally
	objects int
	types   map[uint64]int
}

// object is the handle of a communicator, window or file.
type object struct {
	kind   mpi.Kind
	handle uint64
}

// caller is what is known of a module that calls MPI.
type caller struct{ inner, own bool }

// tally counts the calls on an object.
type tally struct{ object, calls int }

// Mapped stands at the doors of the tool that is before MPI. After exec all begins
// again.
func (f *follower) Mapped(p *ptrace.Process, added []ptrace.Module) error {
	if len(added) == len(p.Modules()) {
		*f = follower{options: f.options, files: f.files, process: p, program: executablePath(p),
			tallies: map[object]*tally{}, types: map[uint64]int{}, callers: map[string]caller{}}
	}
	for _, m := range added {
		if !mayDefine(m.Path, "MPI_Init") {
			continue // neither MPI nor a tool; reading all symbols of all libraries takes long
		}
		f.wide = f.wide || f.files.definesFunction(m, "ompi_mpi_init")
		if !f.files.isTool(m) {
			continue
		}
		f.tool = m
		for _, fn := range f.files.functions(m.Path) {
			if d := entryPointOf(fn); d != nil {
				if err := p.Break(m.Base+fn.Offset, d); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// readCall reads the collective that a thread at a door is about to make; false, if MPI
// itself or the tool makes it. It is not counted yet.
func (f *follower) readCall(d *entryPoint, e *ptrace.Entry) (Collective, bool, error) {
	i := slices.IndexFunc(f.process.Modules(),
		func(m ptrace.Module) bool { return e.Return >= m.Low && e.Return < m.High })
	c := Collective{Function: d.Name, Stack: e.SP(), Object: -1, Root: -1, Count: -1, Type: -1, Plain: d.isPlain()}
	if i < 0 {
		return c, true, nil // from code that was made at run time
	}
	m := f.process.Modules()[i]
	from, known := f.callers[m.Path]
	if !known {
		own := profiler{options: f.options, files: f.files, program: f.program}
		from = caller{inner: f.files.isTool(m) || f.files.belongsToMPI(m), own: own.isOwn(m)}
		f.callers[m.Path] = from
	}
	if from.inner {
		return c, false, nil
	}
	c.Module, c.Offset, c.Own = m.Name(), e.Return-m.Base, from.own
	c.Within = f.files.functionAround(m, c.Offset)
	return c, true, f.readArguments(d, e, &c)
}

func (f *follower) readArguments(d *entryPoint, e *ptrace.Entry, c *Collective) error {
	for _, number := range []struct {
		param int
		into  *int
	}{{d.rootParam(), &c.Root}, {d.countParam(), &c.Count}} {
		if number.param < 0 {
			continue
		}
		v, err := f.argumentValue(d, e, number.param)
		if err != nil {
			return err
		}
		*number.into = int(int32(v))
	}
	if i := d.datatypeParam(); i >= 0 {
		v, err := f.argumentValue(d, e, i)
		if err != nil {
			return err
		}
		if _, seen := f.types[v]; !seen {
			f.types[v] = len(f.types)
		}
		c.Type = f.types[v]
	}
	if d.object < 0 {
		return nil
	}
	t, err := f.objectTally(d, e)
	if err == nil {
		c.Object, c.Number = t.object, t.calls+1
	}
	return err
}

// argumentValue is the value of an argument: in Fortran it is passed by its address.
func (f *follower) argumentValue(d *entryPoint, e *ptrace.Entry, i int) (uint64, error) {
	v, size := e.Argument(i), 4
	kind := d.Params[i].Kind
	handle := kind == mpi.Comm || kind == mpi.Win || kind == mpi.Datatype || kind == mpi.File
	if !d.fortran && handle && (f.wide || kind == mpi.File) {
		size = 8
	}
	if d.fortran || d.Params[i].Ref {
		var word [8]byte
		if err := f.process.Read(v, word[:size]); err != nil {
			return 0, err
		}
		v = binary.LittleEndian.Uint64(word[:])
	}
	if size == 4 {
		v = uint64(uint32(v))
	}
	return v, nil
}

func (f *follower) objectTally(d *entryPoint, e *ptrace.Entry) (*tally, error) {
	handle, err := f.argumentValue(d, e, d.object)
	if err != nil {
		return nil, err
	}
	o := object{d.Params[d.object].Kind, handle}
	if f.tallies[o] == nil {
		f.tallies[o] = &tally{object: f.objects}
		f.objects++
	}
	return f.tallies[o], nil
}

// countCall counts a call that the rank makes.
func (f *follower) countCall(d *entryPoint, e *ptrace.Entry) error {
	if d.object < 0 {
		return nil
	}
	t, err := f.objectTally(d, e)
	if err != nil {
		return err
	}
	t.calls++
	if d.Class == mpi.ClassCommFree || d.Class == mpi.ClassWinFree || d.Class == mpi.ClassFileFree {
		handle, err := f.argumentValue(d, e, d.object)
		delete(f.tallies, object{d.Params[d.object].Kind, handle})
		return err
	}
	return nil
}

// mayDefine reports whether a file may define a function; false is certain.
func mayDefine(path, name string) bool {
	text, err := os.ReadFile(path)
	return err == nil && bytes.Contains(text, []byte(name+"\x00")) // a name may be the end of another one
}

// belongsToMPI tells the libraries of MPI, those of its other bindings as well.
func (l functionCache) belongsToMPI(m ptrace.Module) bool {
	return slices.ContainsFunc(l.functions(m.Path), func(f ptrace.Function) bool {
		return slices.ContainsFunc(f.Names, func(n string) bool {
			return strings.HasPrefix(n, "PMPI_") ||
				strings.HasPrefix(n, "pmpi_")
		})
	})
}

// functionAround returns the entry of the function around a file address, 0 unknown.
func (l functionCache) functionAround(m ptrace.Module, offset uint64) uint64 {
	list := l.functions(m.Path)
	i, found := slices.BinarySearchFunc(list, offset,
		func(f ptrace.Function, at uint64) int { return cmp.Compare(f.Offset, at) })
	if !found {
		i--
	}
	if i < 0 || list[i].Size > 0 && offset > list[i].Offset+list[i].Size {
		return 0
	}
	return list[i].Offset
}

// collector notes all collectives of a rank, and when it comes to jumps.
type collector struct {
	follower
	calls    []Collective
	jumps    map[uint64]*jumpCount // by address
	disarmed []*jumpCount          // those that were reached since the last collective
}

// jumpCount is the data of a breakpoint at a jump.
type jumpCount struct {
	address uint64
	jumps   []Jump // the same one, for the calls that it decides about
	after   []int
}

// maxReached is how often it is noted that a rank comes to a jump. Between two
// collectives once is enough, so that a jump in an inner loop costs no more.
const maxReached = 60

// Mapped stands at the jumps as well.
func (c *collector) Mapped(p *ptrace.Process, added []ptrace.Module) error {
	if err := c.follower.Mapped(p, added); err != nil {
		return err
	}
	if len(added) == len(p.Modules()) {
		c.calls, c.disarmed, c.jumps = nil, nil, map[uint64]*jumpCount{}
	}
	for _, m := range added {
		for _, j := range c.options.Jumps {
			if j.Module != m.Name() {
				continue
			}
			at := m.Base + j.Offset
			if c.jumps[at] == nil {
				c.jumps[at] = &jumpCount{address: at}
				if err := p.Break(at, c.jumps[at]); err != nil {
					return err
				}
			}
			c.jumps[at].jumps = append(c.jumps[at].jumps, j)
		}
	}
	return nil
}

// Hit notes a call or a jump.
func (c *collector) Hit(t *ptrace.Thread, b *ptrace.Breakpoint) (ptrace.Action, error) {
	if j, is := b.Data.(*jumpCount); is {
		if len(c.calls) > 0 {
			j.after = append(j.after, len(c.calls))
		}
		if len(j.after) < maxReached {
			c.disarmed = append(c.disarmed, j)
		}
		return ptrace.Retire, nil
	}
	d := b.Data.(*entryPoint)
	e, err := t.Entry(d.argumentCount())
	if err != nil {
		return ptrace.Continue, err
	}
	call, program, err := c.readCall(d, &e)
	if err == nil && program {
		c.calls = append(c.calls, call)
		err = errors.Join(c.countCall(d, &e), c.rearmJumps())
	}
	return ptrace.Continue, err
}

// rearmJumps stands again at the jumps that rest.
func (c *collector) rearmJumps() error {
	for _, j := range c.disarmed {
		if err := c.process.Break(j.address, j); err != nil {
			return err
		}
	}
	c.disarmed = nil
	return nil
}

// reachedJumps lists the jumps that the rank came to after its first collective.
func (c *collector) reachedJumps() []Jump {
	var out []Jump
	for _, address := range slices.Sorted(maps.Keys(c.jumps)) {
		for _, j := range c.jumps[address].jumps {
			if j.After = c.jumps[address].after; len(j.After) > 0 {
				out = append(out, j)
			}
		}
	}
	return out
}
