package progress

import (
	"fmt"

	"laggard/analysis/progress/facts"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/symbol"
)

// Question is what a diagnosis is asked.
type Question struct {
	Dir       string // run directory
	Algorithm string // of the inference, where evidence leaves the order open; "": the default
	// PaperOnly leaves the evidence out of the conclusion: the least progressed
	// ranks are those of the algorithm alone.
	PaperOnly bool
	Compare   bool           // ask the other algorithm too, for [Result].Compared
	Once      bool           // look once, even if the job makes progress
	Ranks     *model.RankSet // the ranks to report, for [Result].Shown; nil: all
	Symbols   symbol.Config  // to tell calls at one line of the source from calls at another
	Comm      uint64         // only members of this communicator; 0: of any
}

// CommError says that no rank of the run knows Question.Comm.
type CommError struct{ Comm uint64 }

func (e *CommError) Error() string {
	return fmt.Sprintf("%x: no rank is in or at such a communicator", e.Comm)
}

// shownRanks returns the ranks that the question asks for, nil if it asks for all.
// The error is a [*share.RanksError] or a [*CommError].
func (q Question) shownRanks(size int, comms []facts.Comm) (*model.RankSet, error) {
	if q.Ranks == nil && q.Comm == 0 {
		return nil, nil
	}
	var keep model.RankSet
	keep.AddRange(0, max(size-1, 0))
	if q.Ranks != nil {
		if err := share.CheckRanks(*q.Ranks, size); err != nil {
			return nil, err
		}
		keep = keep.Intersect(*q.Ranks)
	}
	if q.Comm != 0 {
		members, err := membersOf(q.Comm, comms)
		if err != nil {
			return nil, err
		}
		keep = keep.Intersect(members)
	}
	return &keep, nil
}

func membersOf(id uint64, comms []facts.Comm) (model.RankSet, error) {
	for _, c := range comms {
		if c.ID == id {
			return c.Groups[0].Union(c.Groups[1]), nil
		}
	}
	return model.RankSet{}, &CommError{id}
}
