package replay

import (
	"fmt"
	"maps"
	"slices"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
)

// ending is a request that a call found complete, with its status.
type ending struct {
	handle int64
	status recorded.Value
}

// statusAt returns the i-th of an array of statuses, nil if it was not recorded.
func statusAt(all recorded.Value, i int) recorded.Value {
	if len(all) < 4*(i+1) {
		return nil
	}
	return all[4*i : 4*i+4]
}

// completeAll ends the requests of MPI_Wait, MPI_Waitall and of tests that found all complete.
func (s *requests) completeAll(a args) {
	handles, all := a.requestArgs(), a.out("array_of_statuses")
	if all == nil {
		all = a.out("status")
	}
	ended := make([]ending, len(handles))
	for i, h := range handles {
		ended[i] = ending{h, statusAt(all, i)}
	}
	s.completeFound(a, ended)
}

// completeAny ends the one request that MPI_Waitany found.
func (s *requests) completeAny(a args) {
	handles := a.in("array_of_requests")
	k, ok := a.result("indx")
	switch {
	case !ok:
		s.markUnsure(handles)
	case k >= 0 && int(k) < len(handles):
		s.completeFound(a, []ending{{handles[k], a.out("status")}})
	}
}

// completeSome ends the requests that MPI_Waitsome found.
func (s *requests) completeSome(a args) {
	handles, indices, all := a.in("array_of_requests"), a.out("array_of_indices"), a.out("array_of_statuses")
	n, ok := a.result("outcount")
	if !ok || n > int64(len(indices)) {
		s.markUnsure(handles)
		return
	}
	var ended []ending
	for j := range max(n, 0) {
		if k := indices[j]; k >= 0 && int(k) < len(handles) {
			ended = append(ended, ending{handles[k], statusAt(all, int(j))})
		}
	}
	s.completeFound(a, ended)
}

// testSucceeded reports whether a test found its requests complete; if that was not recorded
// they are in doubt from now on.
func (s *requests) testSucceeded(a args) bool {
	flag, ok := a.result("flag")
	if !ok {
		s.markUnsure(a.requestArgs())
	}
	return ok && flag != 0
}

// markUnsure marks requests whose state is unknown from now on.
func (s *requests) markUnsure(handles recorded.Value) {
	for _, h := range handles {
		for _, q := range s.alive[h] {
			q.unsure = true
			if q.active != nil {
				s.operations.memory.release(q.active.memory)
				q.active.memory = nil
			}
		}
	}
}

// completeFound ends requests that a call found complete. A persistent one becomes
// inactive, any other is gone.
func (s *requests) completeFound(a args, ended []ending) {
	taken := map[*request]bool{}
	for _, e := range ended {
		if e.handle == recorded.Null || e.handle == recorded.Invalid {
			continue
		}
		q := s.nextUntaken(e.handle, taken)
		if q == nil {
			continue
		}
		taken[q] = true
		if q.active != nil {
			s.operations.complete(q.active, a.i, e.status)
		}
		if q.active = nil; !q.reusable {
			s.drop(e.handle, q, a.i)
		}
	}
}

// giveBack follows MPI_Request_get_status and its like: what it found complete keeps its request, but the buffer is the
// program's again (MPI-4.1 §3.7.6).
func (s *requests) giveBack(a args) {
	handles, taken := a.requestArgs(), map[*request]bool{}
	for _, k := range a.foundComplete(len(handles)) {
		if k < 0 || int(k) >= len(handles) || handles[k] == recorded.Null || handles[k] == recorded.Invalid {
			continue
		}
		q := s.nextUntaken(handles[k], taken)
		if q == nil {
			continue
		}
		taken[q] = true
		if q.active != nil {
			s.operations.memory.release(q.active.memory)
			q.active.memory = nil
		}
	}
}

// foundComplete are the places, in the list of its requests, of those that MPI_Request_get_status or its like found complete; all
// of them if that was not recorded.
func (a args) foundComplete(requests int) recorded.Value {
	all := make(recorded.Value, requests)
	for k := range all {
		all[k] = int64(k)
	}
	indices := a.out("array_of_indices")
	n, some := a.result("outcount")
	flag, flagged := a.result("flag")
	index, one := a.result("indx")
	switch {
	case some && n <= int64(len(indices)):
		return indices[:max(n, 0)]
	case flagged && flag == 0:
		return nil
	case flagged && one:
		return recorded.Value{index}
	}
	return all
}

// reportLeftovers reports requests that were not completed when call finalize leaves MPI.
func (s *requests) reportLeftovers(finalize int) {
	for _, handle := range slices.Sorted(maps.Keys(s.alive)) {
		for _, q := range s.alive[handle] {
			switch {
			case q.unsure:
			case q.active != nil:
				f := s.reportLost(q, finalize)
				if q.made != q.begun {
					f.Places = append(f.Places, s.Place(q.made, "creation"))
				}
			case q.reusable:
				f := s.report("leak",
					fmt.Sprintf("persistent request of %s was not freed before MPI_Finalize", q.call.c.Func.Name),
					s.Place(q.made, "creation"), s.Place(finalize, "finalize"))
				f.Change, f.Standard = "call MPI_Request_free when the request is no longer used", "MPI-3.1 §3.9"
			}
		}
	}
}

// reportLost reports a request whose operation is still under way. What was cancelled
// must be completed, too (MPI-3.1 §3.8.4).
func (s *requests) reportLost(q *request, finalize int) *finding.Finding {
	const never = "no MPI_Wait or MPI_Test got its request before MPI_Finalize"
	start, end := s.Place(q.begun, "start"), s.Place(finalize, "finalize")
	if q.active.cancel == 0 {
		return s.report("lost_request", q.operationName()+" was begun and never completed: "+never, start, end)
	}
	f := s.report("lost_request", q.operationName()+" was cancelled and never completed: "+never,
		start, s.Place(q.active.cancel, "cancel"), end)
	f.Change, f.Standard = "complete the request after MPI_Cancel, with MPI_Wait or MPI_Request_free", "MPI-3.1 §3.8.4"
	return f
}

// operationName names the operation of a request.
func (q *request) operationName() string {
	name := q.call.c.Func.Name
	if tag, ok := q.call.int("tag"); ok && tag >= 0 {
		return fmt.Sprintf("%s with tag %d", name, tag)
	}
	return name
}
