package evidence

import (
	"cmp"
	"fmt"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/reduce"
)

// Failure is a set of ranks that ended by themselves, and by which the job failed, while no other rank waited for them:
// nothing hung.
type Failure struct {
	Ranks  model.RankSet
	Reason string // what they did, with the ranks as its subject
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
		reason := endText(f)
		if f.Erred {
			reason = fmt.Sprintf("had an error in %s, over which MPI ended the job%s", s.callOf(f), saysOf(f))
		}
		s.Failures = append(s.Failures, Failure{model.NewRankSet(f.Rank), reason})
	}
	s.Failures = reduce.SortJoined(s.Failures,
		func(a, b Failure) int { return cmp.Compare(a.Reason, b.Reason) },
		func(a, b Failure) Failure { return Failure{a.Ranks.Union(b.Ranks), a.Reason} })
}

// failedAfterFinalize are the ranks that ended with a status other than 0 when they had finalized. The launcher may have
// ended others for that, which had come to MPI_Finalize too.
func (s losses) failedAfterFinalize() (failed []*facts.Fact) {
	ended := s.RanksWhere(func(f *facts.Fact) bool {
		return f.End == model.Signalled && f.Phase == model.Finalizing && !faultSignal(f.Detail)
	})
	if !ended.Equal(s.Unfinished()) {
		return nil
	}
	for i := range s.Sum.Facts {
		f := &s.Sum.Facts[i]
		if f.End == model.Exited && f.Phase == model.Finalized && f.Detail != 0 && !s.followsRequest(f.EndTime) {
			failed = append(failed, f)
		}
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
