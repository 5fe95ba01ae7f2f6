package evidence

import (
	"cmp"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/reduce"
)

// Failure is a set of ranks that ended by themselves, and by which the job failed, while no other rank waited for them:
// nothing hung.
type Failure struct {
	Ranks  model.RankSet
	Kind   LossKind // EndedItself, ErrorInCall or CalledLate
	End    End
	Failed FailedCall
}

// Failed are the ranks of all failures.
func (s *Scene) Failed() model.RankSet {
	var out model.RankSet
	for _, f := range s.Failures {
		out = out.Union(f.Ranks)
	}
	return out
}

// findFailures fills in how the job failed without a hang, if it did. A rank without a record may have failed before.
func (s losses) findFailures() {
	if len(s.Losses) > 0 {
		return
	}
	failed := s.failedAfterFinalize()
	if failed == nil {
		failed = s.failedBeforeFinalize()
	}
	for _, f := range failed {
		one := Failure{Ranks: model.NewRankSet(f.Rank), Kind: EndedItself, End: endOf(s.Scene, f)}
		if f.Erred {
			one = Failure{Ranks: one.Ranks, Kind: ErrorInCall, Failed: s.failedCall(f)}
			if f.Phase == model.Finalized {
				one.Kind = CalledLate
			}
		}
		s.Failures = append(s.Failures, one)
	}
	s.Failures = reduce.SortJoined(s.Failures, compareFailures, func(a, b Failure) Failure {
		a.Ranks = a.Ranks.Union(b.Ranks)
		return a
	})
}

// compareFailures orders what ranks did: those over whose calls MPI ended the job come last.
func compareFailures(a, b Failure) int {
	x, y := &a.Failed, &b.Failed
	return cmp.Or(cmp.Compare(b.Kind, a.Kind), cmp.Compare(x.Call, y.Call), cmp.Compare(x.Kind, y.Kind),
		cmp.Compare(x.Peer, y.Peer), cmp.Compare(x.Tag, y.Tag), cmp.Compare(x.Says, y.Says), compareEnds(a.End, b.End))
}

// failedLate reports whether a rank crashed, or ended with a status other than 0, when it had finalized.
func failedLate(f *facts.Fact) bool {
	return f.Phase == model.Finalized && (isCrash(f) || f.End == model.Exited && f.Detail != 0)
}

// failedAfterFinalize are the ranks that failed when they had finalized. The launcher may have ended others for that, which had come to
// MPI_Finalize too, some before they could note a signal, or were still at work, as the parents of spawned ranks are.
func (s losses) failedAfterFinalize() (failed []*facts.Fact) {
	first := &Ended{}
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		if failedLate(f) && !s.followsRequest(f.EndTime) {
			failed = append(failed, f)
			if first.Time == 0 || f.EndTime < first.Time {
				first.Time = f.EndTime
			}
		}
	}
	forThat := s.RanksWhere(func(f *facts.Fact) bool {
		by := requests(s).byLauncher(f)
		return f.End == model.Signalled && !faultSignal(f.Detail) && by != nil && isSoonAfter(first, by.Time)
	})
	ended := s.RanksWhere(func(f *facts.Fact) bool {
		seen := forThat.Len() > 0 || f.Phase == model.Finalizing && f.Gone > first.Time
		killed := seen && f.End == model.NoEnd && !s.isRunning(f)
		return killed || f.End == model.Signalled && f.Phase == model.Finalizing && !faultSignal(f.Detail)
	})
	if s.Unfinished().Minus(ended.Union(forThat)).Len() > 0 {
		return nil
	}
	return failed
}

// failedBeforeFinalize are the ranks that exited or aborted the job before MPI_Finalize: all of them, or several at once
// while no other rank waited for them, as where a check fails. The launcher may have ended the others before they came
// to it; one that still runs may come to wait.
func (s losses) failedBeforeFinalize() (failed []*facts.Fact) {
	unfinished := s.Unfinished()
	var first *facts.Fact
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		end := cmp.Or(f.EndTime, f.Gone)
		switch {
		case !unfinished.Contains(f.Rank) || f.End == model.NoEnd && f.Gone == 0:
		case first == nil || end < cmp.Or(first.EndTime, first.Gone):
			first = f
		}
		if s.endedByItself(f) {
			failed = append(failed, f)
		}
	}
	running := func(rank int) bool { return s.isRunning(s.Facts[rank]) }
	if first == nil || !s.endedByItself(first) || slices.ContainsFunc(unfinished.Slice(), running) {
		return nil
	}
	together := s.failedTogether(first)
	if len(failed) < unfinished.Len() {
		failed = slices.DeleteFunc(failed, func(f *facts.Fact) bool { return !together.Contains(f.Rank) })
		if len(failed) < 2 {
			return nil
		}
	}
	return failed
}

// endedByItself reports whether a rank exited or aborted the job before MPI_Finalize, and not because the job had been
// asked to end.
func (s losses) endedByItself(f *facts.Fact) bool {
	return (f.End == model.Exited || f.End == model.Aborted) && f.Phase < model.Finalizing && !s.Followed.Contains(f.Rank)
}

// isRunning reports whether a process is known to exist.
func (s losses) isRunning(f *facts.Fact) bool {
	return len(s.known.Liveness) > 0 && s.known.Liveness[f.Rank] != Dead && f.End == model.NoEnd && f.Gone == 0
}
