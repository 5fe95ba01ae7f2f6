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
	Family mpi.Family
	Rank   int // in MPI_COMM_WORLD
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

// CommIndex is that of a communicator in Comms.
func (p *Process) CommIndex(c *model.Comm) int {
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
	Binding mpi.Binding
	Values  []argument.Value // of its arguments, in order
}

// Arguments returns how many arguments a call has that matter: those that are integers
// or addresses. Those of Fortran are addresses, the error code after the others.
func Arguments(name string) int {
	if f := mpi.FindFunction(name); f != nil {
		return len(f.Params)
	}
	return 0
}

// Wait is what a call waits for.
type Wait struct {
	Kind    model.Kind
	Pending []model.Pending // Comm indexes Process.Comms; State is -1
	// Unlisted reports whether it may wait for more than could be found out.
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
	f := mpi.FindFunction(c.Name)
	if f == nil || len(c.Values) < len(f.Params) {
		return Wait{Kind: model.Other}
	}
	r := &reader{Process: p, Call: c, f: f}
	w := r.callWait()
	w.Counts = r.elementCounts()
	w.Inferred = r.inferred
	return w
}

type reader struct {
	*Process
	Call
	f        *mpi.Function
	inferred []string
}

func (r *reader) callWait() Wait {
	class := r.f.Class
	switch class {
	case mpi.ClassInit:
		return Wait{Kind: model.Init}
	case mpi.ClassFinalize:
		return Wait{Kind: model.Finalize}
	case mpi.ClassAbort:
		return Wait{Kind: model.Abort}
	case mpi.ClassSend:
		return r.singleWait(model.Send, r.sendPending("dest", "tag"))
	case mpi.ClassRecv:
		return r.singleWait(model.Recv, r.receivePending(model.Recv, "source", "tag"))
	case mpi.ClassProbe, mpi.ClassMprobe:
		return r.singleWait(model.Probe, r.receivePending(model.Probe, "source", "tag"))
	case mpi.ClassIprobe, mpi.ClassImprobe:
		return r.singleWait(model.Poll, r.receivePending(model.Probe, "source", "tag"))
	case mpi.ClassSendrecv:
		sendTag, recvTag := "sendtag", "recvtag"
		return Wait{Kind: model.Wait, Pending: []model.Pending{
			r.sendPending("dest", sendTag), r.receivePending(model.Recv, "source", recvTag)}}
	case mpi.ClassColl, mpi.ClassNewcomm, mpi.ClassNewwin, mpi.ClassNewfile, mpi.ClassWinColl, mpi.ClassWinFree,
		mpi.ClassFileColl, mpi.ClassFileFree:
		return r.singleWait(model.Collective, r.collectivePending())
	case mpi.ClassNewcommLeaders:
		return r.intercommWait()
	case mpi.ClassNewcommGroups:
		return r.groupCommWait()
	case mpi.ClassParrived:
		return Wait{Kind: model.Poll, Unlisted: true}
	}
	if w, ok := r.windowWait(); ok {
		return w
	}
	switch {
	case class.TestsRequests(), class == mpi.ClassGetStatus:
		return r.requestsWait(model.Poll)
	case class == mpi.ClassWaitany, class == mpi.ClassWaitsome:
		return r.requestsWait(model.WaitAny)
	case class.WaitsForRequests():
		return r.requestsWait(model.Wait)
	}
	return Wait{Kind: model.Other}
}

// requestsWait lists what a call waits for that has one request or an array of them. Those that
// are complete are left out: they are not waited for.
func (r *reader) requestsWait(kind model.Kind) Wait {
	handles, ok := r.requestHandles()
	out := Wait{Kind: kind, Unlisted: !ok}
	for _, h := range handles {
		q, ok := r.Library.ResolveRequest(h, r.Binding != mpi.C)
		if ok && q.Done {
			continue
		}
		if !ok || q.Kind == model.Other {
			out.Unlisted = true
			continue
		}
		out.Pending = append(out.Pending, model.Pending{Kind: q.Kind, Comm: r.CommIndex(q.Comm), Peer: q.Peer, Tag: q.Tag,
			State: -1})
		r.noteInferred("requests")
	}
	// A call all of whose requests are complete would have returned.
	out.Unlisted = out.Unlisted || len(out.Pending) == 0
	return out
}

// requestHandles are the requests of a call; ok is false if they are not known.
func (r *reader) requestHandles() (out []uint64, ok bool) {
	i := slices.IndexFunc(r.f.Params, func(p mpi.Param) bool { return p.Kind == mpi.Request })
	if i < 0 {
		return nil, false
	}
	p, n, width := r.f.Params[i], 1, r.handleSize()
	if p.Len.Kind == mpi.ByParam {
		if n, ok = r.intArgument(r.f.Params[p.Len.By].Name); !ok || n < 0 || n > maxRequests {
			return nil, false
		}
	}
	if !p.Ref {
		h, ok := r.handleArgument(i)
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
	if r.Family != mpi.MPICH && r.Binding == mpi.C {
		return 8
	}
	return 4
}

func (r *reader) noteInferred(what string) {
	if !slices.Contains(r.inferred, what) {
		r.inferred = append(r.inferred, what)
	}
}

func (r *reader) singleWait(kind model.Kind, p model.Pending) Wait {
	return Wait{Kind: kind, Pending: []model.Pending{p}}
}

func (r *reader) sendPending(dest, tag string) model.Pending {
	p := r.messagePending(model.Send, dest, tag)
	if p.Peer == model.Any || p.Tag == model.Any {
		p.Peer, p.Tag = unknown, model.None // no send has these
	}
	return p
}

func (r *reader) receivePending(kind model.Kind, source, tag string) model.Pending {
	return r.messagePending(kind, source, tag)
}

func (r *reader) messagePending(kind model.Kind, peer, tag string) model.Pending {
	p := model.Pending{Kind: kind, Comm: r.callComm(), Peer: unknown, Tag: model.None, State: -1}
	if n, ok := r.intArgument(peer); ok {
		p.Peer = r.translateRank(n, p.Comm)
	}
	if n, ok := r.intArgument(tag); ok {
		p.Tag = r.translateTag(n)
	}
	return p
}

// translateTag translates a tag or the constant that stands for any; model.None if it is neither.
func (r *reader) translateTag(n int) int {
	if any, ok := r.Family.RecordedNumber(mpi.Tags, int64(n)); ok && any == mpi.AnyTag {
		return model.Any
	}
	if n >= 0 {
		return n
	}
	return model.None
}

// elementCounts lists the numbers of elements of the buffers.
func (r *reader) elementCounts() (out []Count) {
	for i, p := range r.f.Params[:max(len(r.f.Params)-1, 0)] {
		if p.Ref || p.Kind != mpi.Int && p.Kind != mpi.Count || r.f.Params[i+1].Kind != mpi.Datatype {
			continue
		}
		if n, ok := r.intArgument(p.Name); ok && n >= 0 {
			out = append(out, Count{p.Name, n})
		}
	}
	return out
}

// translateRank translates a rank or one of the constants that stand for one; unknown if it is
// neither.
func (r *reader) translateRank(n, comm int) int {
	size := 0
	if comm != unknown {
		size = len(r.Comms[comm].PeerGroup())
	}
	if n >= 0 {
		if n < size || comm == unknown {
			return n
		}
		return unknown
	}
	switch peer, ok := r.Family.RecordedNumber(mpi.Peers, int64(n)); {
	case ok && peer == mpi.AnySource:
		return model.Any
	case ok && peer == mpi.ProcNull:
		return model.ProcNull
	}
	return unknown
}

func (r *reader) collectivePending() model.Pending {
	p := model.Pending{Kind: model.Collective, Comm: r.callComm(), Peer: model.None, Tag: model.None, State: -1}
	if r.f.ParamIndex("root") >= 0 {
		p.Peer = unknown
		if n, ok := r.intArgument("root"); ok && n >= 0 {
			p.Peer = r.translateRank(n, p.Comm)
		}
	}
	return p
}

// argumentValue returns an argument by its name: of Fortran what is at its address.
func (r *reader) argumentValue(name string) (v argument.Value, ok bool) {
	i := r.f.ParamIndex(name)
	if i < 0 {
		return v, false
	}
	v = r.Values[i]
	if r.Binding != mpi.C && v.Bits > 0 {
		addr, ok := v.Word()
		var b [4]byte
		if !ok || !r.Read(addr, b[:]) {
			return v, false
		}
		v = argument.Value{Number: uint64(binary.LittleEndian.Uint32(b[:])), Bits: 32, Inferred: true}
	}
	if v.Inferred && v.Bits > 0 {
		r.noteInferred(name)
	}
	return v, v.Bits > 0
}

func (r *reader) intArgument(name string) (int, bool) {
	v, ok := r.argumentValue(name)
	if !ok {
		return 0, false
	}
	return v.Int()
}

// callComm returns the index of the communicator, window or file of the call.
func (r *reader) callComm() int {
	fortran := r.Binding != mpi.C
	for i, p := range r.f.Params {
		if p.Kind != mpi.Comm && p.Kind != mpi.Win && p.Kind != mpi.File || p.Kind == mpi.Comm && p.Dir != mpi.In {
			continue
		}
		handle, ok := r.handleArgument(i)
		switch {
		case !ok:
		case p.Kind == mpi.Comm:
			return r.CommIndex(r.Library.ResolveComm(handle, fortran))
		case p.Kind == mpi.File:
			return r.CommIndex(r.Library.ResolveFile(handle, fortran))
		default:
			if w := r.Library.ResolveWindow(handle, fortran); w != nil {
				return r.CommIndex(w.Comm)
			}
		}
		return unknown
	}
	return unknown
}

// handleArgument returns a handle that is an argument, or that one is the address of.
func (r *reader) handleArgument(i int) (uint64, bool) {
	p, width := r.f.Params[i], r.handleSize()
	switch {
	case r.Binding == mpi.C && p.Ref:
		at, ok := r.Values[i].Word()
		b := make([]byte, 8)
		ok = ok && r.Read(at, b[:width])
		return binary.LittleEndian.Uint64(b), ok
	case width == 8:
		v, _ := r.argumentValue(p.Name)
		return v.Word()
	}
	n, ok := r.intArgument(p.Name)
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
