package evidence

import (
	"cmp"
	"math"
	"slices"
	"syscall"
	"time"

	"github.com/emirpasic/gods/maps/treemap"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/process"
)

// staleAfter is by how much the last sign of life of a rank may lag behind the
// newest one on its host. The recorder writes one about every second, but its page
// may be on its way to a busy disk, or the thread may be given no processor.
const staleAfter = 30 * time.Second

// Within crowded, processes that end are not told apart for certain: the last step of an
// end can be put aside for that long. Of two that end within a race, the second was seen to
// end first about as often as not, on two busy processors. Within reaction, no launcher has
// seen the first end and ended the others: whoever ended the first ended all, and that
// tells none apart. Where the kernel noted the ends, the order is known, and only whether
// somebody ended all is not.
const (
	crowded  = 500 * time.Millisecond
	race     = 2 * time.Millisecond
	reaction = 200 * time.Microsecond
	// clocks is by how much the clocks of two hosts may differ that are kept the same, however badly.
	clocks = 3 * time.Second
	// ending is how long a launcher, or a user who kills one rank after the other, may take for all of them.
	ending = 50 * time.Millisecond
)

// losses finds which ranks were lost, and how a job was ended from outside.
type losses struct{ *Scene }

func (s losses) findAll() {
	requests(s).findRequests()
	s.Followed = s.followers()
	s.findLosses()
	s.findEnded()
}

// findLosses fills in the ranks that are lost. At the end of a killed job all
// processes have ended, so that having ended by the launcher's signal is not
// suspicious; having ended otherwise is, and so is silence.
func (s losses) findLosses() {
	s.loseAbsent()
	s.findFailures()
	s.loseStopped()
	s.loseErred()
	s.loseObserved()
	s.loseSignalled()
	s.loseFirst()
	s.loseFailed()
	s.loseExited()
	s.loseSilent()
	s.doubtAbsent()
	s.noteFollowing()
}

// recordLoss records a loss of those ranks that are not lost yet; nil: there is none.
func (s losses) recordLoss(ranks model.RankSet, kind LossKind, cause bool) *Loss {
	ranks = ranks.Minus(s.Lost).Minus(s.Failed())
	if ranks.Len() == 0 {
		return nil
	}
	s.Losses = append(s.Losses, Loss{Ranks: ranks, Kind: kind, Cause: cause})
	s.Lost = s.Lost.Union(ranks)
	return &s.Losses[len(s.Losses)-1]
}

// loseAbsent: some ranks left a record and others none. If all that did have
// finalized, the others must have done so too.
func (s losses) loseAbsent() {
	if s.Present.Len() > 0 && s.Unfinished().Len() > 0 {
		s.recordLoss(s.All.Minus(s.Present).Minus(s.known.Damaged), NoRecord, true)
	}
}

// noteFollowing: ranks crashed after the job had been asked to end, as in code that writes a checkpoint then. They were not lost before.
func (s losses) noteFollowing() {
	for i := range s.Sum.Facts {
		if f := &s.Sum.Facts[i]; isCrash(f) && s.Followed.Contains(f.Rank) && !s.Lost.Contains(f.Rank) && s.requested != nil {
			s.Losses = append(s.Losses, Loss{Ranks: model.NewRankSet(f.Rank), Kind: EndedItself, Lead: Following, End: endOf(s.Scene, f),
				For: time.Duration(f.EndTime - s.requested.Time)})
		}
	}
}

// doubtAbsent: that a rank left no record does not show that its process ended. It may be a program in which the recorder is not.
// Where the launcher ended the others, nobody had asked it to, and its status is that of a rank which did not record it, it did so
// because this one had ended. Without the status, somebody may have asked the launcher unseen, such as `timeout`.
func (s losses) doubtAbsent() {
	ended := s.outside == nil && s.requested != nil && s.requested.By == EndedByLauncher &&
		(s.toldByLauncher() != 0 || s.statusByLauncher() != 0)
	others := slices.ContainsFunc(s.Losses, func(l Loss) bool { return l.Cause && l.Kind != NoRecord })
	for i := range s.Losses {
		if l := &s.Losses[i]; l.Kind == NoRecord && (others || !ended) {
			l.Lead = MayLive
			s.Unrecorded = s.Unrecorded.Union(l.Ranks)
		}
	}
}

// Unfinished returns the ranks with a record that have not finalized, as far as
// it goes.
func (s *Scene) Unfinished() model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool { return f.Phase < model.Finalized && !f.Off })
}

// RanksWhere returns the ranks of whose facts keep is true.
func (s *Scene) RanksWhere(keep func(f *facts.Fact) bool) model.RankSet {
	var out model.RankSet
	for i := range s.Sum.Facts {
		if f := &s.Sum.Facts[i]; keep(f) {
			out.Add(f.Rank)
		}
	}
	return out
}

// loseObserved: the caller saw that the process is dead. A rank that has finalized,
// or said how it ended, may be dead; and if all are, that tells none apart.
func (s losses) loseObserved() {
	open := s.RanksWhere(func(f *facts.Fact) bool { return f.End == model.NoEnd })
	dead := s.RanksWhere(func(f *facts.Fact) bool {
		return s.known.Liveness[f.Rank] == Dead && f.Phase < model.Finalized && f.End == model.NoEnd
	})
	// While the job is being ended, the dead are those that have ended already.
	if told, _ := s.countSignalled(); told == 0 && s.requested == nil && !dead.Equal(open) {
		if loss := s.recordLoss(dead, SeenDead, true); loss != nil {
			loss.Signal, loss.Status = s.toldByLauncher(), s.statusByLauncher()
		}
	}
}

// loseStopped: the process is stopped, as the caller or the watcher of its node sees
// saw. If all are, that tells none apart.
func (s losses) loseStopped() {
	stopped := s.RanksWhere(func(f *facts.Fact) bool {
		now := s.known.Liveness[f.Rank] == Stopped && f.End == model.NoEnd
		return (now || f.Stopped > 0) && f.Phase < model.Finalized
	}).Minus(s.Lost)
	if stopped.Len() > 0 && !stopped.Equal(s.Unfinished()) {
		s.recordLoss(stopped, SeenStopped, true)
	}
}

// loseFirst: the watcher of the node saw in which order processes ended. One that
// ended first of all, and could not say why, was killed. When a rank dies the
// launcher ends the others; whoever was asked to end before the first was gone shows
// that the launcher began it.
func (s losses) loseFirst() {
	var first *facts.Fact
	next := int64(math.MaxInt64)
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		end := cmp.Or(f.Gone, f.EndTime)
		switch {
		case f.Phase >= model.Finalized || end == 0:
		case first == nil || end < cmp.Or(first.Gone, first.EndTime):
			if first != nil {
				next = cmp.Or(first.Gone, first.EndTime)
			}
			first = f
		default:
			next = min(next, end)
		}
	}
	if first == nil || first.Gone == 0 || first.End != model.NoEnd || s.Lost.Contains(first.Rank) ||
		s.saidEnd(first.Gone) || s.hasUncausedError() || s.followsOutsideRequest(first.Gone) {
		return
	}
	lead := time.Duration(next - first.Gone)
	if lead < reaction && !first.GoneNoted {
		return
	}
	loss := s.recordLoss(model.NewRankSet(first.Rank), EndedFirst, true)
	if loss == nil {
		return
	}
	loss.Signal, loss.Status = s.toldByLauncher(), s.statusByLauncher()
	if loss.For = lead; next == math.MaxInt64 {
		loss.For = -1
	}
	silent := s.RanksWhere(isSilent)
	switch {
	case lead < race && first.GoneNoted, lead < ending && s.Unfinished().Minus(silent).Len() == 0:
		loss.Lead = AllEnded
	case lead < race:
		loss.Lead = TooClose
	case s.hasRival(first):
		loss.Lead = ByClocks
	case lead < crowded:
		loss.Lead = Close
	}
}

// hasRival reports whether on another host a process ended first of all there, about then, and could not say why either: which was the
// first depends on the clocks of both.
func (s losses) hasRival(first *facts.Fact) bool {
	firsts := map[string]*facts.Fact{}
	next := map[string]int64{} // when the second ended
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		before := firsts[f.Host]
		switch end := endOfLife(f); {
		case end == 0 || f.Phase >= model.Finalized:
		case before == nil || end < endOfLife(before):
			firsts[f.Host] = f
			if before != nil {
				next[f.Host] = endOfLife(before)
			}
		case next[f.Host] == 0 || end < next[f.Host]:
			next[f.Host] = end
		}
	}
	for host, f := range firsts {
		alone := next[host] == 0 || next[host]-endOfLife(f) >= int64(race)
		if host != first.Host && isSilent(f) && alone && endOfLife(f)-endOfLife(first) < int64(clocks) {
			return true
		}
	}
	return false
}

// toldByLauncher is the signal of which a rank died, as the exit status of the launcher tells: 128 more than it, as of shells, or that
// of Hydra, which is the signal itself; 0: it does not, or another rank said so. Hydra ends others by SIGKILL.
func (s losses) toldByLauncher() int {
	const segv, kill = int(syscall.SIGSEGV), int(syscall.SIGKILL)
	signal := map[int]int{128 + segv: segv, segv: segv, 128 + kill: kill}[LauncherStatus(s.Scene)]
	if s.RanksWhere(func(f *facts.Fact) bool { return f.End == model.Signalled && f.Detail == signal }).Len() > 0 {
		return 0
	}
	return signal
}

// statusByLauncher is the exit status of a rank that did not record it, as that of the launcher tells; 0: it does not, or another rank
// recorded it. That of Hydra has the bits of SIGKILL too, by which it ends the others.
func (s losses) statusByLauncher() int {
	const kill = int(syscall.SIGKILL)
	status := LauncherStatus(s.Scene)
	said := s.RanksWhere(func(f *facts.Fact) bool { return f.End == model.Aborted || f.End == model.Exited && f.Detail == status })
	if status <= 0 || status >= 128 || status&kill == kill || said.Len() > 0 {
		return 0
	}
	return status
}

// hasUncausedError reports whether MPI reported an error that no killed process can have been the reason of.
func (s losses) hasUncausedError() bool {
	return slices.ContainsFunc(s.Losses, func(l Loss) bool { return l.Cause && l.Ranks.Minus(s.Erred).Len() == 0 })
}

// saidEnd reports whether a rank had said before that time that it ends, or had to.
func (s losses) saidEnd(before int64) bool { return s.endedBefore(before).Len() > 0 }

// endedBefore are the ranks that said before a time that they end, or have to; of those that have finalized, such as failed.
func (s losses) endedBefore(at int64) model.RankSet {
	return s.RanksWhere(func(f *facts.Fact) bool {
		return f.End != model.NoEnd && f.EndTime < at && (f.Phase < model.Finalized || failedLate(f))
	})
}

// isSilent reports whether nothing is known of how a rank ended, if it did.
func isSilent(f *facts.Fact) bool { return f.End == model.NoEnd && !f.Erred }

// loseFailed: a rank died of a fault, or aborted the job. The first one is the
// cause; the others may have followed, and so may all whom MPI reported an error before.
func (s losses) loseFailed() {
	var failed []*facts.Fact
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		if (f.End == model.Aborted || isCrash(f)) && !s.Followed.Contains(f.Rank) {
			failed = append(failed, f)
		}
	}
	first := int64(0)
	earliest := func(f *facts.Fact) {
		if f.EndTime > 0 && (first == 0 || f.EndTime < first) {
			first = f.EndTime
		}
	}
	// A rank that had finalized had left the others: none that goes on waits for it.
	goesOn := slices.ContainsFunc(s.Unfinished().Slice(), func(rank int) bool { return s.isRunning(s.Facts[rank]) })
	for _, f := range failed {
		if f.Phase < model.Finalized || !goesOn {
			earliest(f)
		}
	}
	s.Erred.Each(func(rank int) { earliest(s.Facts[rank]) })
	for _, cause := range []bool{true, false} {
		for _, f := range failed {
			ranks := model.NewRankSet(f.Rank)
			if cause != (f.EndTime == first) || s.Lost.Contains(f.Rank) {
				continue
			}
			if cause {
				ranks = s.failedTogether(f)
			}
			if loss := s.recordLoss(ranks, EndedItself, cause); loss != nil {
				loss.End = endOf(s.Scene, f)
				if f.End == model.Signalled {
					loss.Argument, loss.Buffers, loss.FreedBy = f.Argument, f.Buffers, f.FreedBy
				}
				if ranks.Len() > 1 {
					loss.Lead = AllFailed
				}
			}
		}
	}
}

// failedTogether are the ranks that failed as one did, within a moment, and while no other rank waited: a check failed in all of
// them, perhaps, and those that did not come to it were ended. Else it is the one rank. One that had finalized had left the others.
func (s losses) failedTogether(f *facts.Fact) model.RankSet {
	moment := int64(crowded)
	these := s.RanksWhere(func(o *facts.Fact) bool {
		return o.End == f.End && o.Detail == f.Detail && (o.Phase < model.Finalized) == (f.Phase < model.Finalized) &&
			max(o.EndTime, f.EndTime)-min(o.EndTime, f.EndTime) < moment
	})
	if slices.ContainsFunc(s.Unfinished().Minus(these).Slice(), func(rank int) bool { return s.mayAwait(rank, these) }) {
		return model.NewRankSet(f.Rank)
	}
	return these
}

// mayAwait reports whether a rank that is in MPI may wait for some others: not if it is in a collective that all of them
// have begun.
func (s losses) mayAwait(rank int, others model.RankSet) bool {
	f := s.Facts[rank]
	for _, wait := range f.Waits {
		for i := range wait.Wants {
			w := &wait.Wants[i]
			late := func(o int) bool { return s.Begun(w.Comm, o) < w.Seq }
			if w.Kind != model.Collective || w.Lost || slices.ContainsFunc(others.Slice(), late) {
				return true
			}
		}
	}
	return f.At.InMPI && len(f.Waits) == 0
}

// Crashed are the ranks that died of a fault of the program.
func (s *Scene) Crashed() model.RankSet { return s.RanksWhere(isCrash) }

// isCrash: no other process sent the signal. Older records do not tell.
func isCrash(f *facts.Fact) bool {
	switch {
	case f.End != model.Signalled:
		return false
	case f.Fatal.Sender == model.SenderNone:
		return faultSignal(f.Detail)
	}
	return f.Fatal.Sender == model.SenderSelf || f.Fatal.Sender == model.SenderKernel && !process.AsksToEnd(f.Detail)
}

// faultSignal reports whether a signal comes from a fault of the program itself,
// rather than from a launcher or a user.
func faultSignal(signal int) bool {
	switch syscall.Signal(signal) {
	case syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL,
		syscall.SIGSYS, syscall.SIGTRAP, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGPIPE:
		return true
	}
	return false
}

// loseExited: a rank ended by itself before MPI_Finalize, while others had not
// ended by themselves. Those that did so when one had been lost for a while may have given up for that.
func (s losses) loseExited() {
	left := s.RanksWhere(func(f *facts.Fact) bool {
		return f.End == model.Exited && f.Phase < model.Finalizing && !s.Followed.Contains(f.Rank)
	})
	others := s.RanksWhere(func(f *facts.Fact) bool {
		return (f.End != model.Exited || s.Followed.Contains(f.Rank)) && f.Phase < model.Finalized
	})
	if others.Minus(s.Lost).Len() == 0 {
		return
	}
	late := s.endedLate(left)
	for _, these := range []model.RankSet{left.Minus(late), late} {
		byStatus := treemap.NewWithIntComparator() // exit status to model.RankSet
		these.Each(func(r int) {
			ranks, _ := byStatus.Get(s.Facts[r].Detail)
			set, _ := ranks.(model.RankSet)
			set.Add(r)
			byStatus.Put(s.Facts[r].Detail, set)
		})
		byStatus.Each(func(status, set any) {
			ranks := set.(model.RankSet)
			loss := s.recordLoss(ranks, EndedItself, these.Intersect(late).Len() == 0)
			if loss == nil {
				return
			}
			loss.End = endOf(s.Scene, s.Facts[ranks.Min()])
			if ranks.Union(others).Minus(s.RanksWhere(isStarting)).Len() == 0 {
				loss.Lead = AllStarting
			}
		})
	}
}

// endedLate are those of some ranks that exited more than a moment after the first that exited, or that was lost before: for certain,
// whatever the clocks of their hosts are.
func (s losses) endedLate(exited model.RankSet) model.RankSet {
	var first *facts.Fact
	causes := exited
	for _, l := range s.Losses {
		if l.Cause && l.Kind != SeenStopped && l.Kind != NoRecord {
			causes = causes.Union(l.Ranks)
		}
	}
	causes.Each(func(r int) {
		if f := s.Facts[r]; endOfLife(f) > 0 && (first == nil || endOfLife(f) < endOfLife(first)) {
			first = f
		}
	})
	return s.RanksWhere(func(f *facts.Fact) bool {
		if !exited.Contains(f.Rank) || first == nil {
			return false
		}
		apart := crowded
		switch {
		case f.Host != first.Host:
			apart = clocks
		case first.End == model.Exited && f.Detail != first.Detail: // for another reason
			apart = ending
		}
		return endOfLife(f)-endOfLife(first) > int64(apart)
	})
}

// endOfLife is when a rank said that it ended, or else was gone; ns since 1970, 0: that is not known.
func endOfLife(f *facts.Fact) int64 { return cmp.Or(f.EndTime, f.Gone) }

// isStarting reports whether a rank is inside MPI_Init.
func isStarting(f *facts.Fact) bool { return f.Phase == model.Starting && f.At.InMPI }

// loseSilent: a rank that said nothing of its end, and whose signs of life
// stopped well before those of its host, if its process was not watched.
func (s losses) loseSilent() {
	newest := map[string]int64{}
	for _, f := range s.Sum.Facts {
		newest[f.Host] = max(newest[f.Host], f.Heartbeat, f.EndTime)
	}
	silent := s.RanksWhere(func(f *facts.Fact) bool {
		return f.End == model.NoEnd && f.Phase < model.Finalized && !f.Off
	})
	silent.Each(func(rank int) {
		f := s.Facts[rank]
		quiet := time.Duration(newest[f.Host] - f.Heartbeat)
		if f.Heartbeat > 0 && !f.Watched && quiet > staleAfter {
			if loss := s.recordLoss(model.NewRankSet(rank), FellSilent, true); loss != nil {
				loss.For = quiet
			}
		}
	})
	s.loseUnsignalled(silent)
}

// countSignalled counts the ranks that took a signal which ends a job, and says when the
// first did.
func (s losses) countSignalled() (ranks int, first int64) {
	for _, f := range s.Sum.Facts {
		if f.End != model.Signalled || faultSignal(f.Detail) {
			continue
		}
		if ranks++; first == 0 || f.EndTime < first {
			first = f.EndTime
		}
	}
	return ranks, first
}

// loseUnsignalled: a rank in the midst of its work did not take the signal by which
// the launcher ended most others, so it had been killed before. That says
// nothing of a rank that was quiet, or that gave a sign of life after the
// signal: launchers kill what does not end at once. Nor does it after an abort,
// or where another loss explains why the launcher did so.
func (s losses) loseUnsignalled(silent model.RankSet) {
	if s.outside != nil || slices.ContainsFunc(s.Losses, func(l Loss) bool { return l.Cause }) {
		return
	}
	told, signalled := s.countSignalled()
	aborted := s.RanksWhere(func(f *facts.Fact) bool { return f.End == model.Aborted })
	if 2*told <= s.Present.Len() || aborted.Len() > 0 {
		return
	}
	untold := s.RanksWhere(func(f *facts.Fact) bool {
		return silent.Contains(f.Rank) && !f.Quiet && !f.Watched && f.Heartbeat <= signalled
	})
	// A rank that was blocked may have been too slow to take the signal; one
	// that was not, and did not, comes first.
	idle := func(f *facts.Fact) bool { return untold.Contains(f.Rank) && len(f.Waits) == 0 }
	if busy := s.RanksWhere(idle); busy.Len() > 0 {
		untold = busy
	}
	s.recordLoss(untold, MissedSignal, true)
}
