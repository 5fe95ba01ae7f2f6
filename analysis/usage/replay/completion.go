package replay

import (
	"fmt"
	"maps"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/model/mpi"
)

// endings say what the return of a call of a class means; for the others all that
// the call began is complete.
var endings = map[mpi.Class]func(*replay, args, *activation){
	mpi.ClassIsend:       (*replay).makeRequest,
	mpi.ClassIbsend:      (*replay).makeRequest,
	mpi.ClassIrecv:       (*replay).makeRequest,
	mpi.ClassImrecv:      (*replay).makeRequest,
	mpi.ClassIsendrecv:   (*replay).makeRequest,
	mpi.ClassIcoll:       (*replay).makeRequest,
	mpi.ClassCollInit:    (*replay).endInit,
	mpi.ClassNewcommNb:   (*replay).makeRequest,
	mpi.ClassSendInit:    (*replay).makeRequest,
	mpi.ClassBsendInit:   (*replay).makeRequest,
	mpi.ClassRecvInit:    (*replay).makeRequest,
	mpi.ClassFileNb:      (*replay).makeRequest,
	mpi.ClassFlushNb:     (*replay).makeRequest,
	mpi.ClassFileIcoll:   (*replay).makeRequest,
	mpi.ClassRmaNb:       (*replay).endAccess,
	mpi.ClassRma:         (*replay).endAccess,
	mpi.ClassRmaNow:      (*replay).endAccess,
	mpi.ClassGrequest:    (*replay).makeRequest,
	mpi.ClassRecv:        (*replay).endRecv,
	mpi.ClassMrecv:       (*replay).endRecv,
	mpi.ClassSendrecv:    (*replay).endRecv,
	mpi.ClassProbe:       (*replay).endProbe,
	mpi.ClassMprobe:      (*replay).endProbe,
	mpi.ClassIprobe:      (*replay).endProbe,
	mpi.ClassImprobe:     (*replay).endProbe,
	mpi.ClassWait:        (*replay).endWait,
	mpi.ClassWaitall:     (*replay).endWaitall,
	mpi.ClassWaitany:     (*replay).endWaitany,
	mpi.ClassWaitsome:    (*replay).endWaitsome,
	mpi.ClassTest:        (*replay).endTest,
	mpi.ClassTestall:     (*replay).endTestall,
	mpi.ClassTestany:     (*replay).endTestany,
	mpi.ClassTestsome:    (*replay).endWaitsome,
	mpi.ClassStart:       keep,
	mpi.ClassStartall:    keep,
	mpi.ClassRequestFree: keep,
	mpi.ClassCancel:      keep,
}

// keep: what the call began stays under way.
func keep(*replay, args, *activation) {}

// endInit ends the call that makes a persistent collective, itself a collective.
func (r *replay) endInit(a args, act *activation) {
	var number uint64
	for _, k := range act.operations {
		number = r.Operations[k].Number
	}
	r.complete(act, a.i, nil)
	if q := r.newRequest(a, act); q != nil {
		q.number = number
	}
}

func (r *replay) endRecv(a args, act *activation) { r.complete(act, a.i, a.out("status")) }

// endWait ends the one request of MPI_Wait.
func (r *replay) endWait(a args, _ *activation) {
	r.finishRequests(a, one(a.in("request"), a.out("status")))
}

// ending is a request that a call found complete, with its status.
type ending struct {
	handle int64
	status recorded.Value
}

func one(handles, status recorded.Value) []ending {
	if len(handles) == 0 {
		return nil
	}
	return []ending{{handles[0], status}}
}

// statusAt returns the i-th of an array of statuses, nil if it was not recorded.
func statusAt(all recorded.Value, i int) recorded.Value {
	if len(all) < 4*(i+1) {
		return nil
	}
	return all[4*i : 4*i+4]
}

func (r *replay) endWaitall(a args, _ *activation) {
	handles, all := a.in("array_of_requests"), a.out("array_of_statuses")
	ended := make([]ending, len(handles))
	for i, h := range handles {
		ended[i] = ending{h, statusAt(all, i)}
	}
	r.finishRequests(a, ended)
}

func (r *replay) endWaitany(a args, _ *activation) {
	handles := a.in("array_of_requests")
	k, ok := a.result("indx")
	switch {
	case !ok:
		r.doubt(handles)
	case k >= 0 && int(k) < len(handles):
		r.finishRequests(a, []ending{{handles[k], a.out("status")}})
	}
}

func (r *replay) endWaitsome(a args, _ *activation) {
	handles, indices, all := a.in("array_of_requests"), a.out("array_of_indices"), a.out("array_of_statuses")
	n, ok := a.result("outcount")
	if !ok || n > int64(len(indices)) {
		r.doubt(handles)
		return
	}
	var ended []ending
	for j := range max(n, 0) {
		if k := indices[j]; k >= 0 && int(k) < len(handles) {
			ended = append(ended, ending{handles[k], statusAt(all, int(j))})
		}
	}
	r.finishRequests(a, ended)
}

// flag reports whether a test found its requests complete; if that was not recorded
// they are in doubt from now on.
func (r *replay) flag(a args) bool {
	flag, ok := a.result("flag")
	if !ok {
		r.doubt(a.requestArgs())
	}
	return ok && flag != 0
}

func (r *replay) endTest(a args, act *activation) {
	if r.flag(a) {
		r.endWait(a, act)
	}
}

func (r *replay) endTestall(a args, act *activation) {
	if r.flag(a) {
		r.endWaitall(a, act)
	}
}

func (r *replay) endTestany(a args, act *activation) {
	if r.flag(a) {
		r.endWaitany(a, act)
	}
}

// doubt marks requests whose state is unknown from now on.
func (r *replay) doubt(handles recorded.Value) {
	for _, h := range handles {
		for _, q := range r.requests.alive[h] {
			q.unsure = true
			if q.under != nil {
				r.memory.release(q.under.memory)
				q.under.memory = nil
			}
		}
	}
}

// finishRequests ends requests that a call found complete. A persistent one becomes
// inactive, any other is gone.
func (r *replay) finishRequests(a args, ended []ending) {
	taken := map[*request]bool{}
	for _, e := range ended {
		if e.handle == recorded.Null || e.handle == recorded.Invalid {
			continue
		}
		q := r.requests.next(e.handle, taken)
		if q == nil {
			continue
		}
		taken[q] = true
		if q.under != nil {
			r.complete(q.under, a.i, e.status)
		}
		if q.under = nil; !q.lasting {
			r.requests.drop(e.handle, q, a.i)
		}
	}
}

// lostRequests reports requests that were never completed; it is said at the end of a
// rank that reached MPI_Finalize.
func (r *replay) lostRequests() {
	for _, handle := range slices.Sorted(maps.Keys(r.requests.alive)) {
		for _, q := range r.requests.alive[handle] {
			switch {
			case q.unsure:
			case q.under != nil:
				f := r.lostRequest(q)
				if q.made != q.begun {
					f.Places = append(f.Places, r.Place(q.made, "creation"))
				}
			case q.lasting:
				f := r.report("leak",
					fmt.Sprintf("persistent request of %s was not freed before MPI_Finalize", q.call.c.Func.Name),
					r.Place(q.made, "creation"), r.Place(r.life.finalized, "finalize"))
				f.Change, f.Standard = "call MPI_Request_free when the request is no longer used", "MPI-3.1 §3.9"
			}
		}
	}
}

// lostRequest reports a request whose operation is still under way. What was cancelled
// must be completed, too (MPI-3.1 §3.8.4).
func (r *replay) lostRequest(q *request) *finding.Finding {
	const never = "no MPI_Wait or MPI_Test got its request before MPI_Finalize"
	start, finalize := r.Place(q.begun, "start"), r.Place(r.life.finalized, "finalize")
	if q.under.cancel == 0 {
		return r.report("lost_request", q.what()+" was begun and never completed: "+never, start, finalize)
	}
	f := r.report("lost_request", q.what()+" was cancelled and never completed: "+never,
		start, r.Place(q.under.cancel, "cancel"), finalize)
	f.Change, f.Standard = "complete the request after MPI_Cancel, with MPI_Wait or MPI_Request_free", "MPI-3.1 §3.8.4"
	return f
}

// what names the operation of a request.
func (q *request) what() string {
	name := q.call.c.Func.Name
	if tag, ok := q.call.int("tag"); ok && tag >= 0 {
		return fmt.Sprintf("%s with tag %d", name, tag)
	}
	return name
}
