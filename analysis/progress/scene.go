package progress

import "laggard/model"

// scene is the merged knowledge, indexed for the conclusion.
type scene struct {
	sum     *Summary
	opts    Options
	all     model.RankSet // ranks the job should have
	present model.RankSet // those with a record
	facts   map[int]*Fact
	comms   map[uint64]*Comm
	answers map[wantID][]Answer
	losses  []Loss
	lost    model.RankSet // all ranks of losses
	gone    model.RankSet // ranks that will not send any more
	off     model.RankSet // ranks whose record stopped before they did, or is damaged
	targets map[targetKey]*target
	needs   map[int]need
}

// wantID names a want by its place in the summary.
type wantID struct{ rank, wait, want int }

func newScene(sum *Summary, part *Partial, opts Options) *scene {
	s := &scene{
		sum: sum, opts: opts,
		facts:   make(map[int]*Fact, len(sum.Facts)),
		comms:   map[uint64]*Comm{},
		answers: map[wantID][]Answer{},
		targets: map[targetKey]*target{},
		needs:   make(map[int]need, len(sum.Facts)),
	}
	for i := range sum.Facts {
		f := &sum.Facts[i]
		s.facts[f.Rank] = f
		s.present.Add(f.Rank)
		if f.Off {
			s.off.Add(f.Rank)
		}
	}
	s.all.AddRange(0, sum.size(opts.Size)-1)
	for i := range sum.Comms {
		s.comms[sum.Comms[i].ID] = &sum.Comms[i]
	}
	for _, a := range part.Answers {
		id := wantID{a.Rank, a.Wait, a.Want}
		s.answers[id] = append(s.answers[id], a)
	}
	s.off = s.off.Union(opts.Damaged.Intersect(s.all).Minus(s.present))
	s.findLosses()
	s.gone = s.lost.Clone()
	for _, f := range sum.Facts {
		if f.Phase >= model.Finalizing || f.End != model.NoEnd && f.End != model.Signalled {
			s.gone.Add(f.Rank)
		}
	}
	for _, f := range sum.Facts {
		s.needs[f.Rank] = s.needOf(s.facts[f.Rank])
	}
	return s
}

// driving tells whether the rank's messages move: it is inside MPI, or has
// finished, which completes what it sent.
func (s *scene) driving(rank int) bool {
	f := s.facts[rank]
	return f != nil && !s.lost.Contains(rank) && (f.Driving || f.Phase == model.Finalized)
}

// counted tells whether the rank's counters can prove that something did not
// happen.
func (s *scene) counted(rank int) bool {
	f := s.facts[rank]
	return !s.off.Contains(rank) && (f == nil || !f.Evicted)
}
