package replay

import (
	"fmt"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// request is what a handle of MPI_Request names while it lives.
type request struct {
	made    int // the call that made it
	begun   int // the call that made it active
	call    args
	under   *activation    // what is under way; nil of an inactive one
	number  uint64         // of a persistent collective
	ready   map[int64]bool // partitions that were marked ready
	lasting bool           // persistent or partitioned
	// unsure: an answer that tells whether it is complete was not recorded.
	unsure bool
}

// requests are those that live, by handle. One handle may name several: some MPIs
// give all operations that are complete at once the same request.
type requests struct {
	alive map[int64][]*request
	ended map[int64]int // the call that ended the last one of that handle
}

func newRequests() requests {
	return requests{alive: map[int64][]*request{}, ended: map[int64]int{}}
}

// get returns the oldest request of a handle, an active one first.
func (s *requests) get(handle int64) *request {
	list := s.alive[handle]
	for _, q := range list {
		if q.under != nil {
			return q
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return nil
}

func (s *requests) add(handle int64, q *request) {
	s.alive[handle] = append(s.alive[handle], q)
}

// drop forgets a request that call i ended.
func (s *requests) drop(handle int64, q *request, i int) {
	list := s.alive[handle]
	for k := range list {
		if list[k] == q {
			list = append(list[:k:k], list[k+1:]...)
			break
		}
	}
	if s.alive[handle] = list; len(list) == 0 {
		delete(s.alive, handle)
	}
	s.ended[handle] = i
}

// makeRequest follows a call that returns a request.
func (r *replay) makeRequest(a args, act *activation) { r.newRequest(a, act) }

func (r *replay) newRequest(a args, act *activation) *request {
	handle, ok := a.result("request")
	if !ok || handle == recorded.Null || handle == recorded.Invalid {
		r.memory.release(act.memory)
		return nil
	}
	q := &request{made: a.i, begun: a.i, call: a, under: act}
	switch a.c.Func.Class {
	case mpi.ClassSendInit, mpi.ClassBsendInit, mpi.ClassRecvInit, mpi.ClassCollInit:
		q.lasting, q.under = true, nil
	}
	r.requests.add(handle, q)
	return q
}

// requestArgs returns the handles that a call names.
func (a args) requestArgs() recorded.Value {
	if v := a.in("request"); v != nil {
		return v
	}
	return a.in("array_of_requests")
}

func (r *replay) beginStart(a args) {
	for _, handle := range a.requestArgs() {
		q := r.requests.get(handle)
		switch {
		case handle == recorded.Null || q == nil:
		case !q.lasting:
			f := r.report("request_misuse", fmt.Sprintf(
				"%s starts a request that is not persistent: %s made it", a.c.Func.Name, q.call.c.Func.Name),
				r.Place(a.i, "start"), r.Place(q.made, "creation"))
			f.Standard = "MPI-3.1 §3.9"
		case q.under != nil && !q.unsure:
			f := r.report("request_misuse", fmt.Sprintf("%s starts a request that is still active", a.c.Func.Name),
				r.Place(a.i, "start"), r.Place(q.begun, "start before"), r.Place(q.made, "creation"))
			f.Standard = "MPI-3.1 §3.9"
			f.Change = "complete the request with MPI_Wait or MPI_Test before it is started again"
		default:
			r.startRequest(a, q)
		}
	}
}

// startRequest makes a persistent request active: what its maker describes begins.
func (r *replay) startRequest(a args, q *request) {
	act := &activation{}
	op, from := Operation{}, q.call
	switch from.c.Func.Class {
	case mpi.ClassSendInit:
		op = from.send(false)
	case mpi.ClassBsendInit:
		op = from.send(false)
		r.checkSpace(from)
	case mpi.ClassRecvInit:
		op = from.recv(false)
	case mpi.ClassCollInit:
		op = Operation{Kind: Collective, Comm: from.on(), Tag: model.None, Peer: int(from.num(model.None, "root")),
			Number: q.number}
	}
	if op.Kind != 0 {
		n := r.add(a, op)
		r.Operations[n].Made = q.made
		act.operations = []int{n}
	}
	q.under, q.begun, q.unsure = act, a.i, false
	q.ready = map[int64]bool{}
	r.useBuffers(r.buffersOf(from), a.i, act)
}

// beginWait notes what a completion waits for, and finds handles that name nothing.
func (r *replay) beginWait(a args) {
	class := a.c.Func.Class
	w := Wait{Call: a.i, Poll: class.Tests(), Any: anyOf[class]}
	taken := map[*request]bool{}
	for k, handle := range a.requestArgs() {
		if handle == recorded.Null {
			continue
		}
		q := r.requests.next(handle, taken)
		if q == nil {
			r.unknownRequest(a, k, handle)
			continue
		}
		taken[q] = true
		if q.under != nil {
			w.Operations = append(w.Operations, q.under.operations...)
			r.waitedTwice(a, q)
			r.checkPartitions(a, q)
		}
	}
	if len(w.Operations) > 0 {
		r.Waits = append(r.Waits, w)
	}
}

// next returns a request of the handle that is not yet taken, the oldest active one
// first; it is what the same handle means at its second place in a list.
func (s *requests) next(handle int64, taken map[*request]bool) *request {
	var idle *request
	for _, q := range s.alive[handle] {
		if taken[q] {
			continue
		}
		if q.under != nil {
			return q
		}
		if idle == nil {
			idle = q
		}
	}
	if idle == nil && len(s.alive[handle]) > 0 {
		return s.alive[handle][0]
	}
	return idle
}

// unknownRequest judges a handle that names no living request.
func (r *replay) unknownRequest(a args, k int, handle int64) {
	ended, was := r.requests.ended[handle]
	if !r.t.Complete || !was && handle != recorded.Invalid && !a.failed() {
		return
	}
	what := "a handle that names no request"
	places := []finding.Place{r.Place(a.i, "use")}
	if was {
		what = "a request that was completed or freed before"
		places = append(places, r.Place(ended, "completion"))
	}
	r.report("request_misuse", fmt.Sprintf("%s is given %s (%s)", a.c.Func.Name, what, a.element("request", k)),
		places...)
	r.wrong[a.i] = true
}

// element names an entry of a list of requests, or the one request.
func (a args) element(name string, k int) string {
	if a.has("array_of_requests") {
		return fmt.Sprintf("array_of_requests[%d]", k)
	}
	return name
}

// failed reports whether the call ended badly: with an error, or with the process.
func (a args) failed() bool {
	return a.c.Code != 0 || a.c.Return == 0 && a.t.Crashed()
}

// waitedTwice finds two threads that complete one request at a time.
func (r *replay) waitedTwice(a args, q *request) {
	for _, i := range r.open {
		other := argsOf(r.t, i)
		if other.c.Thread == a.c.Thread || !other.c.Func.Class.Waits() {
			continue
		}
		for _, handle := range other.requestArgs() {
			if handle != recorded.Null && r.requests.get(handle) == q {
				f := r.report("thread_level", fmt.Sprintf(
					"threads %d and %d complete the same request at the same time", other.c.Thread, a.c.Thread),
					r.Place(a.i, "completion"), r.Place(i, "completion"), r.Place(q.begun, "start"))
				f.Standard = "MPI-3.1 §12.4.2"
			}
		}
	}
}

// anyOf are the completions that need not complete all their requests.
var anyOf = map[mpi.Class]bool{
	mpi.ClassWaitany: true, mpi.ClassWaitsome: true, mpi.ClassTestany: true, mpi.ClassTestsome: true,
}

// beginRequestFree: an active request may be freed; its operation goes on, and
// nothing tells when it is complete (MPI-3.1 §3.7.3).
func (r *replay) beginRequestFree(a args) {
	handle := a.num(recorded.Null, "request")
	q := r.requests.get(handle)
	if q == nil {
		if handle != recorded.Null {
			r.unknownRequest(a, 0, handle)
		}
		return
	}
	if q.under != nil {
		r.refuse(a, q, "frees")
		r.memory.release(q.under.memory)
	}
	r.requests.drop(handle, q, a.i)
}

func (r *replay) beginCancel(a args) {
	handle := a.num(recorded.Null, "request")
	q := r.requests.get(handle)
	switch {
	case handle == recorded.Null:
	case q == nil:
		r.unknownRequest(a, 0, handle)
	case q.under == nil && !q.unsure:
		f := r.report("request_misuse", "MPI_Cancel of a request that is not active",
			r.Place(a.i, "cancel"), r.Place(q.made, "creation"))
		f.Standard = "MPI-3.1 §3.8.4"
	default:
		r.refuse(a, q, "cancels")
		r.withdraw(a.i, q)
	}
}

// withdraw notes that MPI_Cancel, call number call, was asked to end what is under way.
func (r *replay) withdraw(call int, q *request) {
	if q.under == nil { // unsure whether it is
		return
	}
	q.under.cancel = call
	for _, o := range q.under.operations {
		r.Operations[o].Withdrawn = true
	}
}

// refuse reports what may not be done to an active request of a collective, of
// one-sided access or of a file.
func (r *replay) refuse(a args, q *request, verb string) {
	class := q.call.c.Func.Class
	section := map[mpi.Class]string{
		mpi.ClassIcoll: "§5.12", mpi.ClassCollInit: "§5.12", mpi.ClassNewcommNb: "§5.12",
		mpi.ClassRmaNb: "§11.3.5", mpi.ClassFileIcoll: "§13.4.5",
	}[class]
	if section == "" || verb == "frees" && class == mpi.ClassFileIcoll {
		return
	}
	r.report("request_misuse", fmt.Sprintf("%s %s an active request of %s", a.c.Func.Name, verb, q.call.c.Func.Name),
		r.Place(a.i, strings.TrimSuffix(verb, "s")), r.Place(q.begun, "start")).Standard = "MPI-3.1 " + section
}
