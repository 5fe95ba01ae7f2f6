package replay

import "laggard/model"

// beginnings say what a call of a class begins; those of classes not here begin
// nothing that others take part in.
var beginnings = map[string]func(*replay, args){
	"send": (*replay).beginSend, "bsend": (*replay).beginSend, "isend": (*replay).beginSend, "ibsend": (*replay).beginSend,
	"recv": (*replay).beginRecv, "irecv": (*replay).beginRecv,
	"mrecv": (*replay).beginMatched, "imrecv": (*replay).beginMatched,
	"sendrecv": (*replay).beginSendrecv, "isendrecv": (*replay).beginSendrecv,
	"probe": (*replay).beginProbe, "mprobe": (*replay).beginProbe, "iprobe": (*replay).beginProbe, "improbe": (*replay).beginProbe,
	"coll": (*replay).beginCollective, "icoll": (*replay).beginCollective, "coll_init": (*replay).beginCollective,
	"newcomm": (*replay).beginCollective, "newcomm_nb": (*replay).beginCollective, "newcomm_dynamic": (*replay).beginCollective,
	"newcomm_leaders": (*replay).beginCollective, "newcomm_groups": (*replay).beginGroup,
	"comm_free": (*replay).beginCollective, "newwin": (*replay).beginCollective, "newfile": (*replay).beginCollective,
	"file_coll": (*replay).beginCollective, "file_icoll": (*replay).beginCollective, "file_free": (*replay).beginCollective,
	"win_coll": (*replay).beginFence, "win_free": (*replay).beginWinFree,
	"rma": (*replay).beginAccess, "rma_nb": (*replay).beginAccess, "rma_now": (*replay).beginAccess,
	"win_lock": (*replay).beginLock, "win_unlock": (*replay).beginUnlock, "win_flush": (*replay).beginFlush,
	"win_start": (*replay).beginStartEpoch, "win_complete": (*replay).beginCompleteEpoch,
	"win_post": (*replay).beginPost, "win_wait": (*replay).beginWaitEpoch, "win_test": (*replay).beginWaitEpoch,
	"start": (*replay).beginStart, "startall": (*replay).beginStart,
	"wait": (*replay).beginWait, "waitall": (*replay).beginWait, "waitany": (*replay).beginWait, "waitsome": (*replay).beginWait,
	"test": (*replay).beginWait, "testall": (*replay).beginWait, "testany": (*replay).beginWait, "testsome": (*replay).beginWait,
	"request_free": (*replay).beginRequestFree, "cancel": (*replay).beginCancel,
	"finalize": (*replay).beginFinalize,
}

func (r *replay) beginSend(a args) {
	r.add(a, a.send(a.c.Func.Class == "send" || a.c.Func.Class == "bsend"))
}

func (a args) send(blocking bool) Operation {
	return Operation{
		Kind: Send, Mode: a.shape.mode, Comm: a.on(), Blocking: blocking,
		Peer: int(a.num(model.None, "dest")), Tag: int(a.num(model.None, "tag", "sendtag")),
		Type: a.handle("datatype", "sendtype"), Count: a.messageCount("count", "sendcount"),
	}
}

// messageCount returns the elements of a message, all partitions of it.
func (a args) messageCount(names ...string) int64 { return a.num(0, names...) * a.num(1, "partitions") }

func (a args) recv(blocking bool) Operation {
	return Operation{
		Kind: Recv, Comm: a.on(), Blocking: blocking,
		// MPI_Precv_init calls its source dest.
		Peer: int(a.num(model.None, "source", "dest")), Tag: int(a.num(model.None, "tag", "recvtag")),
		Type: a.handle("datatype", "recvtype"), Count: a.messageCount("count", "recvcount"),
	}
}

func (r *replay) beginRecv(a args) { r.add(a, a.recv(a.c.Func.Class == "recv")) }

func (r *replay) beginSendrecv(a args) {
	blocking := a.c.Func.Class == "sendrecv"
	r.add(a, a.send(blocking))
	recv := a.recv(blocking)
	recv.Peer = int(a.num(model.None, "source"))
	recv.Tag = int(a.num(model.None, "recvtag"))
	recv.Type, recv.Count = a.handle("recvtype", "datatype"), a.num(0, "recvcount", "count")
	r.add(a, recv)
}

func (r *replay) beginProbe(a args) {
	blocking := a.c.Func.Class == "probe" || a.c.Func.Class == "mprobe"
	if flag, ok := a.result("flag"); !blocking && (!ok || flag == 0) {
		return // a vain poll takes part in nothing
	}
	r.add(a, Operation{Kind: Probe, Comm: a.on(), Peer: int(a.num(model.None, "source")), Tag: int(a.num(model.None, "tag")), Blocking: blocking})
}

// number returns the number of the next collective on a communicator.
func (r *replay) number(comm int) uint64 {
	r.numbers[comm]++
	return r.numbers[comm]
}

func (r *replay) beginCollective(a args) {
	comm := a.on()
	if comm < 0 {
		return
	}
	op := Operation{Kind: Collective, Comm: comm, Tag: model.None, Peer: int(a.num(model.None, "root")), Number: r.number(comm)}
	switch a.c.Func.Class {
	case "icoll", "coll_init", "newcomm_nb", "file_icoll":
	default:
		op.Blocking = true
	}
	r.add(a, op)
}

// beginGroup is for communicators that only the members of a group make.
func (r *replay) beginGroup(a args) {
	comm, ok := a.result("newcomm")
	if !ok {
		comm, ok = a.result("newintercomm")
	}
	if ok && comm >= 0 {
		r.add(a, Operation{Kind: Collective, Comm: int(comm), Peer: model.None, Tag: model.None, Blocking: true})
	}
}

// beginFinalize is a collective over MPI_COMM_WORLD (MPI-3.1 §8.7).
func (r *replay) beginFinalize(a args) {
	r.life.finalize(a.i)
	for i, c := range r.t.Comms {
		if c != nil && c.Kind == model.World {
			r.add(a, Operation{Kind: Collective, Comm: i, Peer: model.None, Tag: model.None, Blocking: true, Number: r.number(i)})
			return
		}
	}
}
