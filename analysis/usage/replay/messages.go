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

// endProbe notes what a probe found.
func (r *replay) endProbe(a args, act *activation) {
	status := a.out("status")
	r.complete(act, a.i, status)
	handle, ok := a.result("message")
	if !ok || handle == recorded.Null || handle == recorded.Invalid {
		return
	}
	if flag, has := a.result("flag"); has && flag == 0 {
		return
	}
	if _, is := r.t.Predefined("MPI_Message", handle); is {
		return // MPI_MESSAGE_NO_PROC
	}
	m := &message{probe: a.i, comm: a.on(), source: int(a.num(model.None, "source")),
		tag: int(a.num(model.None, "tag")), ended: -1}
	if m.source == model.ProcNull {
		return
	}
	if len(status) >= 4 {
		m.source, m.tag = int(status[0]), int(status[1])
	}
	r.messages[handle] = m
}

// beginMatched is the receive of a matched message.
func (r *replay) beginMatched(a args) {
	handle := a.num(recorded.Invalid, "message")
	m := r.messages[handle]
	if m == nil {
		return
	}
	if m.ended >= 0 {
		if r.t.Complete {
			f := r.report("request_misuse",
				fmt.Sprintf("%s is given a matched message that was received before", a.c.Func.Name),
				r.Place(a.i, "receive"), r.Place(m.ended, "receive before"), r.Place(m.probe, "probe"))
			f.Standard = "MPI-3.1 §3.8.2"
		}
		return
	}
	m.ended = a.i
	op := a.recv(a.c.Func.Class == mpi.ClassMrecv)
	op.Comm, op.Peer, op.Tag = m.comm, m.source, m.tag
	k := r.add(a, op)
	r.Operations[k].Source, r.Operations[k].FromTag = m.source, m.tag
}

// lostMessages reports matched messages that were not received.
func (r *replay) lostMessages() {
	for _, handle := range slices.Sorted(maps.Keys(r.messages)) {
		if m := r.messages[handle]; m.ended < 0 {
			f := r.report("request_misuse",
				fmt.Sprintf("the message that %s matched was never received", r.t.Calls[m.probe].Func.Name),
				r.Place(m.probe, "probe"), r.Place(r.life.finalized, "finalize"))
			f.Standard, f.Change = "MPI-3.1 §3.8.2", "receive each matched message with MPI_Mrecv or MPI_Imrecv"
		}
	}
}
