package replay

import (
	"laggard/model"
	"laggard/model/mpi"
)

// beginnings say what a call of a class begins; those of classes not here begin
// nothing that others take part in.
var beginnings = map[mpi.Class]func(*replay, args){
	mpi.ClassSend:           (*replay).beginSend,
	mpi.ClassBsend:          (*replay).beginSend,
	mpi.ClassIsend:          (*replay).beginSend,
	mpi.ClassIbsend:         (*replay).beginSend,
	mpi.ClassRecv:           (*replay).beginRecv,
	mpi.ClassIrecv:          (*replay).beginRecv,
	mpi.ClassMrecv:          (*replay).beginMatched,
	mpi.ClassImrecv:         (*replay).beginMatched,
	mpi.ClassSendrecv:       (*replay).beginSendrecv,
	mpi.ClassIsendrecv:      (*replay).beginSendrecv,
	mpi.ClassProbe:          (*replay).beginProbe,
	mpi.ClassMprobe:         (*replay).beginProbe,
	mpi.ClassIprobe:         (*replay).beginProbe,
	mpi.ClassImprobe:        (*replay).beginProbe,
	mpi.ClassColl:           (*replay).beginCollective,
	mpi.ClassIcoll:          (*replay).beginCollective,
	mpi.ClassCollInit:       (*replay).beginCollective,
	mpi.ClassNewcomm:        (*replay).beginCollective,
	mpi.ClassNewcommNb:      (*replay).beginCollective,
	mpi.ClassNewcommDynamic: (*replay).beginCollective,
	mpi.ClassNewcommLeaders: (*replay).beginCollective,
	mpi.ClassNewcommGroups:  (*replay).beginGroup,
	mpi.ClassCommFree:       (*replay).beginCollective,
	mpi.ClassNewwin:         (*replay).beginCollective,
	mpi.ClassNewfile:        (*replay).beginCollective,
	mpi.ClassFileColl:       (*replay).beginCollective,
	mpi.ClassFileIcoll:      (*replay).beginCollective,
	mpi.ClassFileFree:       (*replay).beginCollective,
	mpi.ClassWinColl:        (*replay).beginFence,
	mpi.ClassWinFree:        (*replay).beginWinFree,
	mpi.ClassRma:            (*replay).beginAccess,
	mpi.ClassRmaNb:          (*replay).beginAccess,
	mpi.ClassRmaNow:         (*replay).beginAccess,
	mpi.ClassWinLock:        (*replay).beginLock,
	mpi.ClassWinUnlock:      (*replay).beginUnlock,
	mpi.ClassWinFlush:       (*replay).beginFlush,
	mpi.ClassWinStart:       (*replay).beginStartEpoch,
	mpi.ClassWinComplete:    (*replay).beginCompleteEpoch,
	mpi.ClassWinPost:        (*replay).beginPost,
	mpi.ClassWinWait:        (*replay).beginWaitEpoch,
	mpi.ClassWinTest:        (*replay).beginWaitEpoch,
	mpi.ClassStart:          (*replay).beginStart,
	mpi.ClassStartall:       (*replay).beginStart,
	mpi.ClassWait:           (*replay).beginWait,
	mpi.ClassWaitall:        (*replay).beginWait,
	mpi.ClassWaitany:        (*replay).beginWait,
	mpi.ClassWaitsome:       (*replay).beginWait,
	mpi.ClassTest:           (*replay).beginWait,
	mpi.ClassTestall:        (*replay).beginWait,
	mpi.ClassTestany:        (*replay).beginWait,
	mpi.ClassTestsome:       (*replay).beginWait,
	mpi.ClassRequestFree:    (*replay).beginRequestFree,
	mpi.ClassCancel:         (*replay).beginCancel,
	mpi.ClassFinalize:       (*replay).beginFinalize,
}

func (r *replay) beginSend(a args) {
	r.add(a, a.send(a.c.Func.Class == mpi.ClassSend || a.c.Func.Class == mpi.ClassBsend))
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

func (r *replay) beginRecv(a args) { r.add(a, a.recv(a.c.Func.Class == mpi.ClassRecv)) }

func (r *replay) beginSendrecv(a args) {
	blocking := a.c.Func.Class == mpi.ClassSendrecv
	r.add(a, a.send(blocking))
	recv := a.recv(blocking)
	recv.Peer = int(a.num(model.None, "source"))
	recv.Tag = int(a.num(model.None, "recvtag"))
	recv.Type, recv.Count = a.handle("recvtype", "datatype"), a.num(0, "recvcount", "count")
	r.add(a, recv)
}

func (r *replay) beginProbe(a args) {
	blocking := a.c.Func.Class == mpi.ClassProbe || a.c.Func.Class == mpi.ClassMprobe
	if flag, ok := a.result("flag"); !blocking && (!ok || flag == 0) {
		return // an empty poll takes part in nothing
	}
	r.add(a, Operation{Kind: Probe, Comm: a.on(), Peer: int(a.num(model.None, "source")),
		Tag: int(a.num(model.None, "tag")), Blocking: blocking})
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
	op := Operation{Kind: Collective, Comm: comm, Tag: model.None, Peer: int(a.num(model.None, "root")),
		Number: r.number(comm)}
	switch a.c.Func.Class {
	case mpi.ClassIcoll, mpi.ClassCollInit, mpi.ClassNewcommNb, mpi.ClassFileIcoll:
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
			r.add(a, Operation{Kind: Collective, Comm: i, Peer: model.None, Tag: model.None, Blocking: true,
				Number: r.number(i)})
			return
		}
	}
}
