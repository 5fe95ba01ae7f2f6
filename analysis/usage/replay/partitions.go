package replay

import (
	"fmt"

	"laggard/analysis/usage/recorded"
	"laggard/model/mpi"
)

// maxPartitions bounds the partitions of one call that are followed.
const maxPartitions = 1 << 16

// way is that of partitioned messages, as one side of it gives it.
type way struct {
	send            bool
	comm, peer, tag int32
}

// nextPair returns the Pair of the messages of a request that a call makes.
func (s *requests) nextPair(a args) int32 {
	if !a.has("partitions") {
		return 0
	}
	w := way{a.c.Func.Class == mpi.ClassSendInit, int32(a.commIndex()), a.rankOrTag("dest", "source"), a.rankOrTag("tag")}
	s.pairs[w]++
	return s.pairs[w]
}

// partitionsOf returns those that a call marks ready.
func partitionsOf(a args) []int64 {
	switch a.c.Func.Name {
	case "MPI_Pready":
		return a.in("partition")
	case "MPI_Pready_list":
		return a.in("array_of_partitions")
	case "MPI_Pready_range":
		var out []int64
		low, high := a.intOr(0, "partition_low"), a.intOr(-1, "partition_high")
		for k := low; k <= high && k-low < maxPartitions; k++ {
			out = append(out, k)
		}
		return out
	}
	return nil
}

// markReady follows MPI_Pready and its like (MPI-4.0 §4.2).
func (s *requests) markReady(a args) {
	marked := partitionsOf(a)
	if len(marked) == 0 {
		return
	}
	q := s.oldestOf(a.intOr(recorded.Null, "request"))
	if q == nil || q.unsure {
		return
	}
	n := q.call.intOr(0, "partitions")
	for _, k := range marked {
		message, other := "", q.made
		switch {
		case q.call.c.Func.Name != "MPI_Psend_init":
			message = "of a request that is not a partitioned send"
		case q.active == nil:
			message = "before MPI_Start"
		case k < 0 || k >= n:
			message = fmt.Sprintf("of partition %d: there are 0 to %d", k, n-1)
		case q.ready[k]:
			message, other = fmt.Sprintf("of partition %d, which was marked before", k), q.begun
		}
		if message != "" {
			f := s.report("request_misuse", a.c.Func.Name+" "+message,
				s.Place(a.i, "ready"), s.Place(other, "creation"))
			f.Standard = "MPI-4.0 §4.2.1"
			s.wrong[a.i] = true
			return
		}
		q.ready[k] = true
	}
}

// unreadyWait is a wait, which never returned, for a partitioned send.
type unreadyWait struct {
	args
	sent *request
}

// notePartitions notes a wait that cannot end if partitions of a send are not marked ready.
func (s *requests) notePartitions(a args, q *request) {
	if class := a.c.Func.Class; a.c.Return == 0 && class.WaitsForRequests() && !anyOf[class] && q.call.c.Func.Name == "MPI_Psend_init" {
		s.unready = append(s.unready, unreadyWait{a, q})
	}
}

// reportUnready reports, when the trace has ended, waits that cannot end: for sends of which partitions were not marked ready, and no
// other thread can do that.
func (s *requests) reportUnready() {
	for _, w := range s.unready {
		ready, n := int64(len(w.sent.ready)), w.sent.call.intOr(0, "partitions")
		if ready >= n || s.threads.mayOthersCall() {
			continue
		}
		f := s.report("request_misuse",
			fmt.Sprintf("%s waits for a partitioned send of which only %d of %d partitions were marked ready",
				w.c.Func.Name, ready, n),
			s.Place(w.i, "completion"), s.Place(w.sent.begun, "start"))
		f.Standard, f.Change = "MPI-4.0 §4.2.1", "call MPI_Pready for each partition after MPI_Start"
	}
}
