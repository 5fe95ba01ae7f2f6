package evidence

import (
	"cmp"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// FileLock is the lock of a file that ranks wait for outside MPI.
type FileLock struct {
	Ranks  model.RankSet // that wait
	File   string        // "" unknown
	Holder int           // the rank that has it; -1: it is no rank, or not known
	// PID and Command are of the process that has it, if it is on a node of these ranks; 0 and "" unknown.
	PID     int
	Command string
}

// FileLocks returns the locks of files that ranks wait for, by rank.
func FileLocks(s *Scene) (out []FileLock) {
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		if f.Holder.For != model.FileLockAwaited {
			continue
		}
		lock := FileLock{File: f.Holder.File, Holder: fileLockHolder(s, f), PID: f.Holder.TID, Command: f.Holder.Command}
		same := func(o FileLock) bool {
			return o.File == lock.File && o.Holder == lock.Holder && o.PID == lock.PID && o.Command == lock.Command
		}
		at := slices.IndexFunc(out, same)
		if at < 0 {
			at, out = len(out), append(out, lock)
		}
		out[at].Ranks.Add(f.Rank)
	}
	slices.SortStableFunc(out, func(a, b FileLock) int { return cmp.Compare(a.Ranks.Min(), b.Ranks.Min()) })
	return out
}

// fileLockHolder is the rank that has the lock of the file, or the mutex, that a rank waits for; -1: it is no rank, or not known.
func fileLockHolder(s *Scene, f *facts.Fact) int {
	if rank, is := rankOf(s, f, f.Holder.TID); is {
		return rank
	}
	return -1
}

// awaitsProcess reports whether a rank waits outside MPI for another process, which may be a rank.
func awaitsProcess(f *facts.Fact) bool {
	return f.Holder.For == model.FileLockAwaited || f.Holder.For == model.ProcessAwaited
}

// fileLockNeed: a rank that waits for the lock of a file which another rank has, or for a mutex, waits for that one. One that has it
// itself, in another thread or by another descriptor, waits for no other rank.
func (s judge) fileLockNeed(f *facts.Fact) (Need, bool) {
	if !awaitsProcess(f) {
		return Need{}, false
	}
	holder := fileLockHolder(s.Scene, f)
	if holder < 0 || holder == f.Rank {
		return Need{}, false
	}
	l := s.linkTo(s.singleTarget(holder), Collective, wantID{f.Rank, noWait, noWait})
	return Need{Standing: Waiting, Alts: [][]Link{{l}}, Weak: l.Weak}, true
}
