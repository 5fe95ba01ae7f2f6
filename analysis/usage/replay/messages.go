package replay

import (
	"fmt"
	"maps"
	"slices"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// message is one that MPI_Mprobe or MPI_Improbe took out of matching, for MPI_Mrecv.
type message struct {
	probe  int // the call
	comm   int
	source int
	tag    int
	ended  int // the call that received it, -1 none
}

// messages follows those between two ranks, and what matched probes took out of them.
type messages struct {
	*reporter
	operations *operations
	matched    map[int64]*message // by handle
}

func newMessages(r *reporter, o *operations) *messages {
	return &messages{reporter: r, operations: o, matched: map[int64]*message{}}
}

// beginCall adds the sends, receives and probes that a call begins.
func (m *messages) beginCall(a args) {
	switch a.c.Func.Class {
	case mpi.ClassSend, mpi.ClassBsend:
		m.operations.add(a, a.sendOperation(true))
	case mpi.ClassIsend, mpi.ClassIbsend:
		m.operations.add(a, a.sendOperation(false))
	case mpi.ClassRecv:
		m.operations.add(a, a.recvOperation(true))
	case mpi.ClassIrecv:
		m.operations.add(a, a.recvOperation(false))
	case mpi.ClassMrecv:
		m.receiveMatched(a, true)
	case mpi.ClassImrecv:
		m.receiveMatched(a, false)
	case mpi.ClassSendrecv:
		m.addSendrecv(a, true)
	case mpi.ClassIsendrecv:
		m.addSendrecv(a, false)
	case mpi.ClassProbe, mpi.ClassMprobe:
		m.addProbe(a, true)
	case mpi.ClassIprobe, mpi.ClassImprobe:
		if flag, ok := a.result("flag"); ok && flag != 0 { // an empty poll takes part in nothing
			m.addProbe(a, false)
		}
	}
}

// endCall takes what came from the statuses of receives and probes.
func (m *messages) endCall(a args, act *activation) {
	switch a.c.Func.Class {
	case mpi.ClassRecv, mpi.ClassMrecv, mpi.ClassSendrecv:
		m.operations.complete(act, a.i, a.out("status"))
	case mpi.ClassProbe, mpi.ClassMprobe, mpi.ClassIprobe, mpi.ClassImprobe:
		m.operations.complete(act, a.i, a.out("status"))
		m.noteMatched(a)
	}
}

// sendOperation is the send that a call, or the request that it makes, begins.
func (a args) sendOperation(blocking bool) Operation {
	return Operation{
		Kind: Send, Mode: modeOf(a.c.Func), Comm: int32(a.commIndex()), Blocking: blocking,
		Peer: a.rankOrTag("dest"), Tag: a.rankOrTag("tag", "sendtag"),
		Type: int32(a.handle("datatype", "sendtype")), Count: a.messageCount("count", "sendcount"),
	}
}

// messageCount returns the elements of a message, all partitions of it.
func (a args) messageCount(names ...string) int64 {
	return a.intOr(0, names...) * a.intOr(1, "partitions")
}

// recvOperation is the receive, likewise.
func (a args) recvOperation(blocking bool) Operation {
	return Operation{
		Kind: Recv, Comm: int32(a.commIndex()), Blocking: blocking,
		// MPI_Precv_init calls its source dest.
		Peer: a.rankOrTag("source", "dest"), Tag: a.rankOrTag("tag", "recvtag"),
		Type: int32(a.handle("datatype", "recvtype")), Count: a.messageCount("count", "recvcount"),
	}
}

// addSendrecv is MPI_Sendrecv and its like.
func (m *messages) addSendrecv(a args, blocking bool) {
	m.operations.add(a, a.sendOperation(blocking))
	recv := a.recvOperation(blocking)
	recv.Peer = a.rankOrTag("source")
	recv.Tag = a.rankOrTag("recvtag")
	recv.Type, recv.Count = int32(a.handle("recvtype", "datatype")), a.intOr(0, "recvcount", "count")
	m.operations.add(a, recv)
}

// addProbe is a look at a message.
func (m *messages) addProbe(a args, blocking bool) {
	m.operations.add(a,
		Operation{Kind: Probe, Comm: int32(a.commIndex()), Peer: a.rankOrTag("source"), Tag: a.rankOrTag("tag"), Blocking: blocking})
}

// noteMatched notes the message that a matched probe took.
func (m *messages) noteMatched(a args) {
	status := a.out("status")
	handle, ok := a.result("message")
	if !ok || handle == recorded.Null || handle == recorded.Invalid {
		return
	}
	if flag, has := a.result("flag"); has && flag == 0 {
		return
	}
	if _, is := m.t.Predefined("MPI_Message", handle); is {
		return // MPI_MESSAGE_NO_PROC
	}
	taken := &message{probe: a.i, comm: a.commIndex(), source: int(a.intOr(model.None, "source")),
		tag: int(a.intOr(model.None, "tag")), ended: -1}
	if taken.source == model.ProcNull {
		return
	}
	if len(status) >= 4 {
		taken.source, taken.tag = int(status[0]), int(status[1])
	}
	m.matched[handle] = taken
}

// receiveMatched is the receive of a message that a probe took.
func (m *messages) receiveMatched(a args, blocking bool) {
	taken := m.matched[a.intOr(recorded.Invalid, "message")]
	switch {
	case taken == nil:
	case taken.ended < 0:
		taken.ended = a.i
		op := a.recvOperation(blocking)
		op.Comm, op.Peer, op.Tag = int32(taken.comm), int32(taken.source), int32(taken.tag)
		begun := m.operations.add(a, op)
		begun.Source, begun.FromTag = int32(taken.source), int32(taken.tag)
		m.operations.follower.ChangeOperation(begun)
	case m.t.Complete:
		f := m.report("request_misuse",
			fmt.Sprintf("%s is given a matched message that was received before", a.c.Func.Name),
			m.Place(a.i, "receive"), m.Place(taken.ended, "receive before"), m.Place(taken.probe, "probe"))
		f.Standard = "MPI-3.1 §3.8.2"
	}
}

// reportLeftovers reports matched messages that were not received when call finalize leaves MPI.
func (m *messages) reportLeftovers(finalize int) {
	for _, handle := range slices.Sorted(maps.Keys(m.matched)) {
		if taken := m.matched[handle]; taken.ended < 0 {
			f := m.report("request_misuse",
				fmt.Sprintf("the message that %s matched was never received", m.nameOf(taken.probe)),
				m.Place(taken.probe, "probe"), m.Place(finalize, "finalize"))
			f.Standard, f.Change = "MPI-3.1 §3.8.2", "receive each matched message with MPI_Mrecv or MPI_Imrecv"
		}
	}
}
