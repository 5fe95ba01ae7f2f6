package between

import "slices"

// signals are what ranks may tell each other by one-sided access alone: a flag or a lock that is made of atomic accesses, a lock
// of MPI for that purpose, or memory that a rank looks at with MPI_Win_sync. What an access found there is not recorded, so of
// two ranks that could have told each other something the order is not known.
type signals struct {
	*job
	ranks map[int32]*rankSignals // by digest
}

// rankSignals is what a rank did that may be a signal, by steps: the last that gives one, the first that takes one.
type rankSignals struct {
	given, taken         map[cell]int32
	lastGiven, lastWrite int32 // of all; -1 none
	lastSync, firstSync  int32 // MPI_Win_sync; -1 none
	many                 bool  // more than maxCells
}

// cell is a piece of the memory of a rank in a window, or the lock of that.
type cell struct {
	lockKey
	at   int64 // number of the piece
	lock bool
}

const (
	cellBytes = 8
	maxCells  = 1 << 16 // of a rank; nothing is known of one that uses more
)

// newSignals notes the signals of all ranks.
func (j *job) newSignals(targets map[lockKey][]*touch) *signals {
	s := &signals{job: j, ranks: map[int32]*rankSignals{}}
	for rank, d := range j.digests {
		r := &rankSignals{given: map[cell]int32{}, taken: map[cell]int32{}, lastGiven: -1, lastWrite: -1, lastSync: -1, firstSync: -1}
		s.ranks[int32(rank)] = r
		for _, l := range d.windows.mutexes {
			at := cell{lockKey: lockKey{d.comms[l.comm].ID, l.target}, lock: true}
			r.take(at, l.step)
			r.give(at, l.last)
		}
		for step := range d.steps {
			if d.step(int32(step)).fn().IsFormOf("MPI_Win_sync") {
				if r.lastSync = int32(step); r.firstSync < 0 {
					r.firstSync = int32(step)
				}
			}
		}
	}
	for key, list := range targets {
		for _, t := range list {
			s.ranks[t.rank].addTouch(key, t, s.fetches(t))
		}
	}
	return s
}

// fetches reports whether an access tells its origin what was at the target, at once with what it does there.
func (j *job) fetches(t *touch) bool {
	f := j.digests[t.rank].step(t.step).fn()
	return t.kind == accumulate && slices.ContainsFunc(fetching, f.IsFormOf)
}

var fetching = []string{"MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Get_accumulate", "MPI_Rget_accumulate"}

func (r *rankSignals) addTouch(key lockKey, t *touch, fetches bool) {
	if t.kind == put || t.kind == accumulate && t.op != noOp {
		r.lastWrite = max(r.lastWrite, t.step)
	}
	if t.kind != accumulate {
		return
	}
	first, last := t.lo/cellBytes, (t.hi-1)/cellBytes
	if last-first >= maxCells {
		r.many = true
		r.lastGiven = max(r.lastGiven, t.step)
		return
	}
	for at := first; at <= last; at++ {
		c := cell{lockKey: key, at: at}
		if fetches {
			r.take(c, t.step)
		}
		if t.op != noOp {
			r.give(c, t.step)
		}
	}
}

func (r *rankSignals) take(c cell, step int32) {
	was, known := r.taken[c]
	if r.many = r.many || !known && len(r.taken) == maxCells; r.many {
		return
	}
	if !known || step < was {
		r.taken[c] = step
	}
}

func (r *rankSignals) give(c cell, step int32) {
	r.lastGiven = max(r.lastGiven, step)
	was, known := r.given[c]
	if r.many = r.many || !known && len(r.given) == maxCells; !r.many {
		r.given[c] = max(was, step)
	}
}

// mayTell reports whether the rank of an access may have told that of another, before the other began, that its own was
// complete.
func (s *signals) mayTell(a, b *touch) bool {
	if a.done < 0 {
		return false
	}
	from, to := s.ranks[a.rank], s.ranks[b.rank]
	if to.firstSync >= 0 && to.firstSync < b.step && max(from.lastWrite, from.lastSync) > a.done {
		return true
	}
	if from.lastGiven < a.done {
		return false
	}
	if from.many || to.many {
		return true
	}
	for c, taken := range to.taken {
		if given, ok := from.given[c]; ok && taken < b.step && given >= a.done && given != a.step {
			return true
		}
	}
	return false
}
