package waits

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"laggard/intake/library"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/slicing/argument"
)

// Process is the rank whose call it is.
type Process struct {
	Family string // as in model.Rank
	Rank   int    // in MPI_COMM_WORLD
	// Read reads its memory.
	Read func(addr uint64, b []byte) bool
	// Library knows what handles of MPI stand for.
	Library library.Library
	// Comms are the communicators, windows and files that operations refer to, by index.
	// Those that are met are added.
	Comms []*model.Comm
}

// unknown is the index of a communicator, and a peer, of which nothing is known.
const unknown = -1

// Index is that of a communicator in Comms.
func (p *Process) Index(c *model.Comm) int {
	if c == nil {
		return unknown
	}
	same := func(x *model.Comm) bool { return x.ID == c.ID && x.Kind == c.Kind }
	if i := slices.IndexFunc(p.Comms, same); i >= 0 {
		return i
	}
	p.Comms = append(p.Comms, c)
	return len(p.Comms) - 1
}

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
	Counts   []Count // of elements, as far as they are known, in the order of the arguments
}

// Count is an argument that says how many elements are sent or received.
type Count struct {
	Argument string
	N        int
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
	w.Counts = r.counts()
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
	case mpi.ClassColl, mpi.ClassNewcomm, mpi.ClassNewwin, mpi.ClassNewfile, mpi.ClassWinColl, mpi.ClassWinFree,
		mpi.ClassFileColl, mpi.ClassFileFree:
		return r.one(model.Collective, r.collective())
	case mpi.ClassNewcommLeaders:
		return r.leaders()
	case mpi.ClassNewcommGroups:
		return r.groups()
	case mpi.ClassParrived:
		return Wait{Kind: model.Poll, Unlisted: true}
	}
	if w, ok := r.window(); ok {
		return w
	}
	switch {
	case class.Tests(), class == mpi.ClassGetStatus:
		return r.requests(model.Poll)
	case class == mpi.ClassWaitany, class == mpi.ClassWaitsome:
		return r.requests(model.WaitAny)
	case class.Waits():
		return r.requests(model.Wait)
	}
	return Wait{Kind: model.Other}
}

// requests lists what a call waits for that has one request or an array of them. Those that
// are complete are left out: they are not waited for.
func (r *reader) requests(kind model.Kind) Wait {
	handles, ok := r.handles()
	out := Wait{Kind: kind, Unlisted: !ok}
	for _, h := range handles {
		q, ok := r.Library.Request(h, r.Binding != model.C)
		if ok && q.Done {
			continue
		}
		if !ok || q.Kind == model.Other {
			out.Unlisted = true
			continue
		}
		out.Pending = append(out.Pending, model.Pending{Kind: q.Kind, Comm: r.Index(q.Comm), Peer: q.Peer, Tag: q.Tag,
			State: -1})
		r.infer("requests")
	}
	// A call all of whose requests are complete would have returned.
	out.Unlisted = out.Unlisted || len(out.Pending) == 0
	return out
}

// handles are the requests of a call; ok is false if they are not known.
func (r *reader) handles() (out []uint64, ok bool) {
	i := slices.IndexFunc(r.f.Params, func(p mpi.Param) bool { return p.Kind == mpi.Request })
	if i < 0 {
		return nil, false
	}
	p, n, width := r.f.Params[i], 1, r.handleSize()
	if p.Len.Kind == mpi.ByParam {
		if n, ok = r.int(r.f.Params[p.Len.By].Name); !ok || n < 0 || n > maxRequests {
			return nil, false
		}
	}
	if !p.Ref {
		h, ok := r.handle(i)
		return []uint64{h}, ok
	}
	at, ok := r.Values[i].Word()
	b := make([]byte, n*width)
	if !ok || !r.Read(at, b) {
		return nil, false
	}
	for ; len(b) > 0; b = b[width:] {
		if width == 8 {
			out = append(out, binary.LittleEndian.Uint64(b))
		} else {
			out = append(out, uint64(binary.LittleEndian.Uint32(b)))
		}
	}
	return out, true
}

// maxRequests bounds what is read of an array.
const maxRequests = 1 << 16

// handleSize is how many bytes a handle has: those of Open MPI and of the standard ABI are addresses in C.
func (r *reader) handleSize() int {
	if r.Family != "mpich" && r.Binding == model.C {
		return 8
	}
	return 4
}

func (r *reader) infer(what string) {
	if !slices.Contains(r.inferred, what) {
		r.inferred = append(r.inferred, what)
	}
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
	case ok && n == r.anyTag():
		p.Tag = model.Any
	}
	return p
}

// anyTag is MPI_ANY_TAG.
func (r *reader) anyTag() int {
	if r.Family == "abi" {
		return -2
	}
	return -1
}

// counts lists the numbers of elements of the buffers.
func (r *reader) counts() (out []Count) {
	for i, p := range r.f.Params[:max(len(r.f.Params)-1, 0)] {
		if p.Ref || p.Kind != mpi.Int && p.Kind != mpi.Count || r.f.Params[i+1].Kind != mpi.Datatype {
			continue
		}
		if n, ok := r.int(p.Name); ok && n >= 0 {
			out = append(out, Count{p.Name, n})
		}
	}
	return out
}

// rank translates a rank or one of the constants that stand for one; unknown if it is
// neither.
func (r *reader) rank(n, comm int) int {
	size := 0
	if comm != unknown {
		size = len(r.Comms[comm].Peers())
	}
	any, null := -2, -1 // of MPICH
	switch r.Family {
	case "openmpi":
		any, null = -1, -2
	case "abi":
		any, null = -1, -3
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
		if n, ok := r.int("root"); ok && n >= 0 {
			p.Peer = r.rank(n, p.Comm)
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
	if v.Inferred && v.Bits > 0 {
		r.infer(name)
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

// comm returns the index of the communicator, window or file of the call.
func (r *reader) comm() int {
	fortran := r.Binding != model.C
	for i, p := range r.f.Params {
		if p.Kind != mpi.Comm && p.Kind != mpi.Win && p.Kind != mpi.File || p.Kind == mpi.Comm && p.Dir != mpi.In {
			continue
		}
		handle, ok := r.handle(i)
		switch {
		case !ok:
		case p.Kind == mpi.Comm:
			return r.Index(r.Library.Comm(handle, fortran))
		case p.Kind == mpi.File:
			return r.Index(r.Library.File(handle, fortran))
		default:
			if w := r.Library.Window(handle, fortran); w != nil {
				return r.Index(w.Comm)
			}
		}
		return unknown
	}
	return unknown
}

// handle returns a handle that is an argument, or that one is the address of.
func (r *reader) handle(i int) (uint64, bool) {
	p, width := r.f.Params[i], r.handleSize()
	switch {
	case r.Binding == model.C && p.Ref:
		at, ok := r.Values[i].Word()
		b := make([]byte, 8)
		ok = ok && r.Read(at, b[:width])
		return binary.LittleEndian.Uint64(b), ok
	case width == 8:
		v, _ := r.value(p.Name)
		return v.Word()
	}
	n, ok := r.int(p.Name)
	return uint64(uint32(n)), ok
}

// Note says how much is sent or received, and which arguments were inferred; "" neither.
func (w Wait) Note(call string) string {
	var parts []string
	for _, c := range w.Counts {
		parts = append(parts, fmt.Sprintf("%s %d", c.Argument, c.N))
	}
	if len(w.Inferred) > 0 {
		parts = append(parts, strings.Join(w.Inferred, ", ")+" inferred from memory")
	}
	if parts == nil {
		return ""
	}
	return call + ": " + strings.Join(parts, "; ")
}
