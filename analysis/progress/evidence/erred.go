package evidence

import (
	"fmt"
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
	if !s.recordLoss(model.NewRankSet(f.Rank), cause, "MPI reported an error in %s and ended the job%s", s.callOf(f), saysOf(f)) {
		return
	}
	last := &s.Losses[len(s.Losses)-1]
	last.Erred, last.Error = true, errorText(f)
	if before := s.mayHaveEndedBefore(f.EndTime); cause && f.ErrorMayFollow && before.Len() > 0 {
		s.setLead(Even, fmt.Sprintf("; it may follow from the end of %s, which ended without recording it", before.Phrase()))
	}
}

// saysOf is what MPI says of the error of a rank, behind a colon; "": it is not known.
func saysOf(f *facts.Fact) string {
	if text := errorText(f); text != "" {
		return ": " + text
	}
	return ""
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

// callOf names the call that a rank is in, with the peer if it has one.
func (s *Scene) callOf(f *facts.Fact) string {
	text := s.Sum.PlaceAt(f.At).Call
	for _, wait := range f.Waits {
		for i := range wait.Wants {
			w := &wait.Wants[i]
			switch {
			case w.Peer < 0 || !facts.PointToPoint(w.Kind):
				continue
			case w.Kind == model.Send:
				return fmt.Sprintf("%s to rank %d%s", text, w.Peer, tagText(w))
			}
			return fmt.Sprintf("%s from rank %d%s", text, w.Peer, tagText(w))
		}
	}
	return text
}
