package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/typemap"
	"laggard/model"
	"laggard/model/mpi"
)

// request is what a handle of MPI_Request names while it lives.
type request struct {
	made     int // the call that made it
	begun    int // the call that made it active
	call     args
	active   *activation    // what is under way; nil of an inactive one
	number   uint64         // of a persistent collective
	ready    map[int64]bool // partitions that were marked ready
	pair     int32          // see Operation
	reusable bool           // persistent or partitioned
	// unsure: an answer that reports whether it is complete was not recorded.
	unsure bool
}

// requests follows those that live, by handle. One handle may name several: some MPIs
// give all operations that are complete at once the same request.
type requests struct {
	*reporter
	layouts    *typemap.Layouts
	operations *operations
	threads    *threads
	attached   *attached
	alive      map[int64][]*request
	ended      map[int64]int // the call that ended the last one of that handle
	pairs      map[way]int32 // partitioned requests that were initialised
	waits      []Wait        // in the order of their calls
	unready    []unreadyWait
}

func newRequests(r *reporter, l *typemap.Layouts, o *operations, t *threads, b *attached) *requests {
	return &requests{reporter: r, layouts: l, operations: o, threads: t, attached: b, alive: map[int64][]*request{},
		ended: map[int64]int{}, pairs: map[way]int32{}}
}

// beginCall follows a call on requests.
func (s *requests) beginCall(a args) {
	switch class := a.c.Func.Class; {
	case class.CompletesRequests():
		s.addWait(a)
	case class == mpi.ClassStart, class == mpi.ClassStartall:
		s.startRequests(a)
	case class == mpi.ClassRequestFree:
		s.freeRequest(a)
	case class == mpi.ClassCancel:
		s.cancelRequest(a)
	case class == mpi.ClassLocal:
		s.markReady(a)
	}
}

// endCall follows the return of a call that makes or completes requests.
func (s *requests) endCall(a args, act *activation) {
	switch a.c.Func.Class {
	case mpi.ClassIsend, mpi.ClassIbsend, mpi.ClassIrecv, mpi.ClassImrecv, mpi.ClassIsendrecv, mpi.ClassIcoll,
		mpi.ClassNewcommNb, mpi.ClassFileNb, mpi.ClassFileIcoll, mpi.ClassRmaNb, mpi.ClassFlushNb, mpi.ClassGrequest:
		s.add(a, &request{active: act})
		act.kept = true
	case mpi.ClassSendInit, mpi.ClassBsendInit, mpi.ClassRecvInit:
		s.add(a, &request{reusable: true, pair: s.nextPair(a)})
	case mpi.ClassCollInit:
		s.add(a, &request{reusable: true, number: s.numberOf(act)})
	case mpi.ClassWait, mpi.ClassWaitall:
		s.completeAll(a)
	case mpi.ClassTest, mpi.ClassTestall:
		if s.testSucceeded(a) {
			s.completeAll(a)
		}
	case mpi.ClassWaitany:
		s.completeAny(a)
	case mpi.ClassTestany:
		if s.testSucceeded(a) {
			s.completeAny(a)
		}
	case mpi.ClassWaitsome, mpi.ClassTestsome:
		s.completeSome(a)
	case mpi.ClassGetStatus:
		s.giveBack(a)
	}
}

// activeOnFile returns an operation on a file that is under way, nil if there is none.
func (s *requests) activeOnFile(fh int) *request {
	for _, handle := range slices.Sorted(maps.Keys(s.alive)) {
		for _, q := range s.alive[handle] {
			if q.active != nil && !q.unsure && q.call.has("fh") && q.call.handle("fh") == fh {
				return q
			}
		}
	}
	return nil
}

// numberOf returns the number of the collective that is under way.
func (s *requests) numberOf(act *activation) (number uint64) {
	for _, op := range act.operations {
		number = op.Number
	}
	return number
}

// oldestOf returns the oldest request of a handle, an active one first.
func (s *requests) oldestOf(handle int64) *request {
	list := s.alive[handle]
	for _, q := range list {
		if q.active != nil {
			return q
		}
	}
	if len(list) > 0 {
		return list[0]
	}
	return nil
}

// add follows a request that a call returned, unless it is null.
func (s *requests) add(a args, q *request) {
	handle, ok := a.result("request")
	if !ok || handle == recorded.Null || handle == recorded.Invalid {
		if q.active != nil {
			s.operations.memory.release(q.active.memory)
		}
		return
	}
	q.made, q.begun, q.call = a.i, a.i, a
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

// requestArgs returns the handles that a call names.
func (a args) requestArgs() recorded.Value {
	if v := a.in("request"); v != nil {
		return v
	}
	return a.in("array_of_requests")
}

// startRequests follows MPI_Start and MPI_Startall.
func (s *requests) startRequests(a args) {
	for _, handle := range a.requestArgs() {
		q := s.oldestOf(handle)
		switch {
		case handle == recorded.Null || q == nil:
		case !q.reusable:
			f := s.report("request_misuse", fmt.Sprintf(
				"%s starts a request that is not persistent: %s made it", a.c.Func.Name, q.call.c.Func.Name),
				s.Place(a.i, "start"), s.Place(q.made, "creation"))
			f.Standard = "MPI-3.1 §3.9"
		case q.active != nil && !q.unsure:
			f := s.report("request_misuse", fmt.Sprintf("%s starts a request that is still active", a.c.Func.Name),
				s.Place(a.i, "start"), s.Place(q.begun, "start before"), s.Place(q.made, "creation"))
			f.Standard = "MPI-3.1 §3.9"
			f.Change = "complete the request with MPI_Wait or MPI_Test before it is started again"
		default:
			s.startOne(a, q)
		}
	}
}

// startOne makes a persistent request active: what its maker describes begins.
func (s *requests) startOne(a args, q *request) {
	act := &activation{}
	op, from := Operation{}, q.call
	switch from.c.Func.Class {
	case mpi.ClassSendInit:
		op = from.sendOperation(false)
	case mpi.ClassBsendInit:
		op = from.sendOperation(false)
		s.attached.checkSpace(from)
	case mpi.ClassRecvInit:
		op = from.recvOperation(false)
	case mpi.ClassCollInit:
		op = Operation{Kind: Collective, Comm: int32(from.commIndex()), Tag: model.None, Peer: from.rankOrTag("root"),
			Number: q.number}
	}
	op.Pair = q.pair
	if op.Kind != 0 {
		act.operations = []*Operation{s.operations.begin(a, from, op)}
	}
	q.active, q.begun, q.unsure = act, a.i, false
	q.ready = map[int64]bool{}
	if !from.has("partitions") { // each is MPI's only from MPI_Pready on, or until it has arrived (MPI-4.0 §4.2)
		s.operations.memory.useBuffers(buffersOf(from, s.layouts), a.i, act)
	}
}

// addWait notes what a completion waits for, and finds handles that name nothing.
func (s *requests) addWait(a args) {
	class := a.c.Func.Class
	w := Wait{Call: a.i, Poll: class.TestsRequests(), Any: anyOf[class]}
	taken := map[*request]bool{}
	for k, handle := range a.requestArgs() {
		if handle == recorded.Null {
			continue
		}
		q := s.nextUntaken(handle, taken)
		if q == nil {
			s.reportUnknown(a, k, handle)
			continue
		}
		taken[q] = true
		if q.active != nil {
			w.Operations = append(w.Operations, q.active.operations...)
			s.checkConcurrentWait(a, q)
			s.notePartitions(a, q)
		}
	}
	if len(w.Operations) > 0 && (a.c.Return == 0 || w.Poll && a.c.IsEmptyPoll()) {
		s.waits = append(s.waits, w)
	}
}

// nextUntaken returns a request of the handle that is not yet taken, the oldest active one
// first; it is what the same handle means at its second place in a list.
func (s *requests) nextUntaken(handle int64, taken map[*request]bool) *request {
	var idle *request
	for _, q := range s.alive[handle] {
		if taken[q] {
			continue
		}
		if q.active != nil {
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

// reportUnknown judges a handle that names no living request.
func (s *requests) reportUnknown(a args, k int, handle int64) {
	ended, was := s.ended[handle]
	if !s.t.Complete || !was && handle != recorded.Invalid && !a.hasFailed() {
		return
	}
	what := "a handle that refers to no request"
	places := []finding.Place{s.Place(a.i, "use")}
	if was {
		what = "a request that was completed or freed before"
		places = append(places, s.Place(ended, "completion"))
	}
	s.report("request_misuse", fmt.Sprintf("%s is given %s (%s)", a.c.Func.Name, what, a.elementName("request", k)),
		places...)
	s.wrong[a.i] = true
}

// elementName names an entry of a list of requests, or the one request.
func (a args) elementName(name string, k int) string {
	if a.has("array_of_requests") {
		return fmt.Sprintf("array_of_requests[%d]", k)
	}
	return name
}

// hasFailed reports whether the call ended badly: with an error, or with the process.
func (a args) hasFailed() bool {
	return a.c.Code != 0 || a.c.Return == 0 && a.t.Crashed()
}

// checkConcurrentWait finds two threads that complete one request at a time.
func (s *requests) checkConcurrentWait(a args, q *request) {
	for other := range s.threads.otherCalls(a) {
		if !other.c.Func.Class.WaitsForRequests() {
			continue
		}
		for _, handle := range other.requestArgs() {
			if handle != recorded.Null && s.oldestOf(handle) == q {
				f := s.report("thread_level", fmt.Sprintf(
					"threads %d and %d complete the same request at the same time", other.c.Thread, a.c.Thread),
					s.Place(a.i, "completion"), s.Place(other.i, "completion"), s.Place(q.begun, "start"))
				f.Standard = "MPI-3.1 §12.4.2"
			}
		}
	}
}

// anyOf are the completions that need not complete all their requests.
var anyOf = map[mpi.Class]bool{
	mpi.ClassWaitany: true, mpi.ClassWaitsome: true, mpi.ClassTestany: true, mpi.ClassTestsome: true,
}

// freeRequest: an active request may be freed; its operation goes on, and
// nothing tells when it is complete (MPI-3.1 §3.7.3).
func (s *requests) freeRequest(a args) {
	handle := a.intOr(recorded.Null, "request")
	q := s.oldestOf(handle)
	if q == nil {
		if handle != recorded.Null {
			s.reportUnknown(a, 0, handle)
		}
		return
	}
	if q.active != nil {
		s.checkForbidden(a, q, "frees")
		s.operations.memory.release(q.active.memory)
	}
	s.drop(handle, q, a.i)
}

// cancelRequest follows MPI_Cancel.
func (s *requests) cancelRequest(a args) {
	handle := a.intOr(recorded.Null, "request")
	q := s.oldestOf(handle)
	switch {
	case handle == recorded.Null:
	case q == nil:
		s.reportUnknown(a, 0, handle)
	case q.active == nil && !q.unsure:
		f := s.report("request_misuse", "MPI_Cancel of a request that is not active",
			s.Place(a.i, "cancel"), s.Place(q.made, "creation"))
		f.Standard = "MPI-3.1 §3.8.4"
	default:
		s.checkForbidden(a, q, "cancels")
		s.markWithdrawn(a.i, q)
	}
}

// markWithdrawn notes that MPI_Cancel, call number call, was asked to end what is under way.
func (s *requests) markWithdrawn(call int, q *request) {
	if q.active == nil { // unsure whether it is
		return
	}
	q.active.cancel = call
	for _, op := range q.active.operations {
		op.Withdrawn = true
		s.operations.follower.ChangeOperation(op)
	}
}

// checkForbidden reports what may not be done to an active request of a collective, of
// one-sided access, of a file or of a partitioned message.
func (s *requests) checkForbidden(a args, q *request, verb string) {
	class := q.call.c.Func.Class
	section := map[mpi.Class]string{
		mpi.ClassIcoll: "MPI-3.1 §5.12", mpi.ClassCollInit: "MPI-3.1 §5.12", mpi.ClassNewcommNb: "MPI-3.1 §5.12",
		mpi.ClassRmaNb: "MPI-3.1 §11.3.5", mpi.ClassFileIcoll: "MPI-3.1 §13.4.5",
	}[class]
	if q.pair > 0 {
		section = "MPI-4.0 §4.2"
	}
	if section == "" || verb == "frees" && class == mpi.ClassFileIcoll {
		return
	}
	s.report("request_misuse", fmt.Sprintf("%s %s an active request of %s", a.c.Func.Name, verb, q.call.c.Func.Name),
		s.Place(a.i, strings.TrimSuffix(verb, "s")), s.Place(q.begun, "start")).Standard = section
}
