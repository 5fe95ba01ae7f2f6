package waits

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/slicing/argument"
)

// Process is the rank whose call it is.
type Process struct {
	Rank, Size int
	Family     string // as in model.Rank
	// Read reads its memory.
	Read func(addr uint64, b []byte) bool
	// Variable returns the linker name of the variable of the program or of a library that
	// begins at an address, "" if none does.
	Variable func(addr uint64) string
}

// Comms are the communicators that operations refer to, by index: MPI_COMM_WORLD, whose
// ranks are those of the job, and MPI_COMM_SELF.
func (p *Process) Comms() []*model.Comm {
	members := make([]int, p.Size)
	for i := range members {
		members[i] = i
	}
	return []*model.Comm{
		{ID: 1, Kind: model.World, Rank: p.Rank, Size: p.Size, Members: members, State: -1},
		{ID: 2, Kind: model.Self, Rank: 0, Size: 1, Members: []int{p.Rank}, State: -1},
	}
}

// The indices of Comms.
const (
	world   = 0
	self    = 1
	unknown = -1
)

// Call is an MPI call that has not returned.
type Call struct {
	Name    string // of its C binding
	Binding model.Binding
	Values  []argument.Value // of its arguments, in order
}

// Arguments returns how many arguments a call has that matter: those that are integers
// or addresses. Those of Fortran are addresses, the error code after the others.
func Arguments(name string) int {
	if f := mpi.Find(name); f != nil {
		return len(f.Params)
	}
	return 0
}

// Wait is what a call waits for.
type Wait struct {
	Kind    model.Kind
	Pending []model.Pending // Comm indexes Process.Comms; State is -1
	// Unlisted tells whether it may wait for more than could be found out.
	Unlisted bool
	// Inferred names the arguments that were read from memory which may have changed
	// since the call.
	Inferred []string
}

// Of returns what a call waits for. Of a call that the table of MPI functions does not
// have the kind is Other.
func Of(p *Process, c Call) Wait {
	f := mpi.Find(c.Name)
	if f == nil || len(c.Values) < len(f.Params) {
		return Wait{Kind: model.Other}
	}
	r := &reader{Process: p, Call: c, f: f}
	w := r.wait()
	w.Inferred = r.inferred
	return w
}

type reader struct {
	*Process
	Call
	f        *mpi.Function
	inferred []string
}

func (r *reader) wait() Wait {
	class := r.f.Class
	switch class {
	case mpi.ClassInit:
		return Wait{Kind: model.Init}
	case mpi.ClassFinalize:
		return Wait{Kind: model.Finalize}
	case mpi.ClassAbort:
		return Wait{Kind: model.Abort}
	case mpi.ClassSend:
		return r.one(model.Send, r.send("dest", "tag"))
	case mpi.ClassRecv:
		return r.one(model.Recv, r.receive(model.Recv, "source", "tag"))
	case mpi.ClassProbe, mpi.ClassMprobe:
		return r.one(model.Probe, r.receive(model.Probe, "source", "tag"))
	case mpi.ClassIprobe, mpi.ClassImprobe:
		return r.one(model.Poll, r.receive(model.Probe, "source", "tag"))
	case mpi.ClassSendrecv:
		sendTag, recvTag := "sendtag", "recvtag"
		return Wait{Kind: model.Wait, Pending: []model.Pending{
			r.send("dest", sendTag), r.receive(model.Recv, "source", recvTag)}}
	case mpi.ClassColl, mpi.ClassNewcomm:
		return r.one(model.Collective, r.collective())
	}
	switch {
	case class.Tests(), class == mpi.ClassGetStatus, class == mpi.ClassParrived, class == mpi.ClassWinTest:
		return Wait{Kind: model.Poll, Unlisted: true}
	case class == mpi.ClassWaitany, class == mpi.ClassWaitsome:
		return Wait{Kind: model.WaitAny, Unlisted: true}
	case class.Waits():
		return Wait{Kind: model.Wait, Unlisted: true}
	}
	return Wait{Kind: model.Other}
}

func (r *reader) one(kind model.Kind, p model.Pending) Wait {
	return Wait{Kind: kind, Pending: []model.Pending{p}}
}

func (r *reader) send(dest, tag string) model.Pending {
	p := r.message(model.Send, dest, tag)
	if p.Peer == model.Any || p.Tag == model.Any {
		p.Peer, p.Tag = unknown, model.None // no send has these
	}
	return p
}

func (r *reader) receive(kind model.Kind, source, tag string) model.Pending {
	return r.message(kind, source, tag)
}

func (r *reader) message(kind model.Kind, peer, tag string) model.Pending {
	p := model.Pending{Kind: kind, Comm: r.comm(), Peer: unknown, Tag: model.None, State: -1}
	if n, ok := r.int(peer); ok {
		p.Peer = r.rank(n, p.Comm)
	}
	switch n, ok := r.int(tag); {
	case ok && n >= 0:
		p.Tag = n
	case ok && n == -1: // MPI_ANY_TAG of both families
		p.Tag = model.Any
	}
	return p
}

// rank translates a rank or one of the constants that stand for one; unknown if it is
// neither.
func (r *reader) rank(n, comm int) int {
	size := r.Size
	if comm == self {
		size = 1
	}
	any, null := -2, -1 // of MPICH
	if r.Family == "openmpi" {
		any, null = -1, -2
	}
	switch {
	case n >= 0 && (n < size || comm == unknown):
		return n
	case n == any:
		return model.Any
	case n == null:
		return model.ProcNull
	}
	return unknown
}

func (r *reader) collective() model.Pending {
	p := model.Pending{Kind: model.Collective, Comm: r.comm(), Peer: model.None, Tag: model.None, State: -1}
	if r.f.Param("root") >= 0 {
		p.Peer = unknown
		if n, ok := r.int("root"); ok && n >= 0 && n < r.Size {
			p.Peer = n
		}
	}
	return p
}

// value returns an argument by its name: of Fortran what is at its address.
func (r *reader) value(name string) (v argument.Value, ok bool) {
	i := r.f.Param(name)
	if i < 0 {
		return v, false
	}
	v = r.Values[i]
	if r.Binding != model.C && v.Bits > 0 {
		addr, ok := v.Word()
		var b [4]byte
		if !ok || !r.Read(addr, b[:]) {
			return v, false
		}
		v = argument.Value{Number: uint64(binary.LittleEndian.Uint32(b[:])), Bits: 32, Inferred: true}
	}
	if v.Inferred && v.Bits > 0 && !slices.Contains(r.inferred, name) {
		r.inferred = append(r.inferred, name)
	}
	return v, v.Bits > 0
}

func (r *reader) int(name string) (int, bool) {
	v, ok := r.value(name)
	if !ok {
		return 0, false
	}
	return v.Int()
}

// Numbers of the predefined communicators, of MPICH and its like, and of Open MPI's
// Fortran.
const (
	mpichWorld = 0x44000000
	mpichSelf  = 0x44000001
)

// comm returns the communicator of the call.
func (r *reader) comm() int {
	name := "comm"
	if r.f.Param(name) < 0 {
		for _, p := range r.f.Params {
			if p.Kind == mpi.Comm && p.Dir == mpi.In {
				name = p.Name
				break
			}
		}
	}
	v, ok := r.value(name)
	if !ok {
		return unknown
	}
	numbers := [2]int{mpichWorld, mpichSelf}
	if r.Family == "openmpi" {
		if r.Binding == model.C {
			return r.byAddress(v)
		}
		numbers = [2]int{0, 1}
	}
	if n, ok := v.Int(); ok {
		return slices.Index(numbers[:], n)
	}
	return unknown
}

// byAddress knows a communicator of Open MPI by the variable that it is.
func (r *reader) byAddress(v argument.Value) int {
	at, ok := v.Word()
	if !ok {
		return unknown
	}
	return slices.Index([]string{"ompi_mpi_comm_world", "ompi_mpi_comm_self"}, r.Variable(at))
}

// Note says which arguments were inferred, "" none.
func (w Wait) Note(call string) string {
	if len(w.Inferred) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s inferred from memory", call, strings.Join(w.Inferred, ", "))
}
