package evidence

import (
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// loseErred: MPI reported an error of a call and ended the job instead of returning,
// as it does unless the program asks for something else. The first one is the cause,
// unless a process had been killed before: then MPI reports that it is gone. Whether one had been is not always known.
func (s losses) loseErred() {
	first := int64(0)
	erred := s.RanksWhere(func(f *facts.Fact) bool {
		if s.Followed.Contains(f.Rank) {
			return false
		}
		if f.Erred && (first == 0 || f.EndTime < first) {
			first = f.EndTime
		}
		return f.Erred
	})
	follows := s.killedBefore(first) || s.mayFollowEnd(erred, first)
	for _, cause := range []bool{true, false} {
		erred.Each(func(rank int) {
			if f := s.Facts[rank]; cause == (f.EndTime == first && !follows) {
				s.recordError(f, cause)
			}
		})
	}
	if first > 0 {
		s.Erred = erred
	}
}

// recordError records the loss of a rank over whose call MPI ended the job.
func (s losses) recordError(f *facts.Fact, cause bool) {
	loss := s.recordLoss(model.NewRankSet(f.Rank), ErrorInCall, cause)
	if loss == nil {
		return
	}
	loss.Failed, loss.Buffers, loss.FreedBy = s.failedCall(f), f.Buffers, f.FreedBy
	if before := s.mayHaveEndedBefore(f.EndTime); cause && f.ErrorMayFollow && before.Len() > 0 {
		loss.Lead, loss.Before = MayFollow, before
	}
}

// errorText is what MPI says of the error of a rank, and what is wrong with an argument; "": neither is known.
func errorText(f *facts.Fact) string {
	if f.Error == "" || f.Argument == "" {
		return f.Error + f.Argument
	}
	return f.Error + "; " + f.Argument
}

// killedBefore reports whether the kernel was seen to have noted before that time that a process ended, which
// had not said why.
func (s losses) killedBefore(at int64) bool {
	return slices.ContainsFunc(s.Sum.Facts, func(f facts.Fact) bool {
		return f.GoneNoted && f.Gone < at && isSilent(&f) && f.Phase < model.Finalized
	})
}

// mayFollowEnd reports whether another rank had ended by itself before the first error of MPI, and that error may follow from it.
func (s losses) mayFollowEnd(erred model.RankSet, first int64) bool {
	return s.endedBefore(first).Minus(s.Followed).Len() > 0 && !slices.ContainsFunc(erred.Slice(), func(rank int) bool {
		return s.Facts[rank].EndTime == first && !s.Facts[rank].ErrorMayFollow
	})
}

// mayHaveEndedBefore are the ranks that ended without a word, and of which nobody saw that they were there at a time.
func (s losses) mayHaveEndedBefore(at int64) model.RankSet {
	over := s.known.Launcher != nil
	return s.RanksWhere(func(f *facts.Fact) bool {
		ended := over || f.Gone > 0 || s.known.Liveness[f.Rank] == Dead
		return isSilent(f) && f.Phase < model.Finalized && ended && !(f.GoneNoted && f.Gone > at)
	})
}

// failedCall is the call that a rank is in and in which MPI reported an error, with the peer if it has but one.
func (s *Scene) failedCall(f *facts.Fact) FailedCall {
	out := FailedCall{Call: s.Sum.PlaceAt(f.At).Call, Peer: model.None, Says: errorText(f)}
	if len(f.Waits) != 1 || len(f.Waits[0].Wants) != 1 {
		return out
	}
	if w := &f.Waits[0].Wants[0]; w.Peer >= 0 && facts.PointToPoint(w.Kind) {
		out.Kind, out.Peer, out.Tag = w.Kind, w.Peer, w.Tag
	}
	return out
}
