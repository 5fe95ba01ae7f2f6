package progress

import (
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/passed"
	"laggard/analysis/progress/unsent"
	"laggard/model"
	"laggard/reduce"
	"laggard/symbol"
)

// maxSuspects bounds the ranks of which it is asked which calls they went past.
const maxSuspects = 8

// findPassed asks a few ranks for the passages of their models, all analysis ranks together: where no collective explains the hang, these
// tell which calls ranks may have gone past. The answer is at rank 0, which has the finding. Their records are decoded once more.
func (l *looker) findPassed(f *Finding, missing []Unsent, failed error) ([]passed.Call, error) {
	var suspects, asked model.RankSet
	if f != nil && f.hang && !divergence.InCollective(f.Diverged) {
		suspects = f.suspects(missing)
	}
	if suspects.Len() > 0 {
		waiting := f.scene.WaitingFor(suspects).Slice()
		asked = suspects.Union(unsent.SomeOf(l.Index.Size)).Union(model.NewRankSet(waiting[:min(len(waiting), maxSuspects)]...))
	}
	view, err := l.gatherPassages(asked, passed.IsInterpreted, failed) // of machine code a slice tells
	if err != nil || f == nil {
		return nil, err
	}
	return view.Find(suspects, f.awaitedCalls(suspects, missing)), nil
}

// gatherPassages asks some ranks, if they are such, for the passages of their models, all analysis ranks together. asked and failed
// count at rank 0, which has the answer; if nobody is asked it is empty.
func (l *looker) gatherPassages(asked model.RankSet, such func(*model.Rank) bool, failed error) (view passed.View, err error) {
	asked, err = reduce.Broadcast(l.Tree, rankSets, asked, failed)
	if err != nil || asked.Len() == 0 {
		return view, err
	}
	l.eachAsked(asked, func(r *model.Rank) {
		if such(r) {
			view = passed.Merge(view, passed.ViewOf(r))
		}
	})
	return reduce.Reduce(l.Tree, passed.Views, view, nil)
}

// awaitedCalls are the calls that send the messages that ranks wait for from some.
func (f *Finding) awaitedCalls(suspects model.RankSet, missing []Unsent) (out []passed.Awaited) {
	var known model.RankSet // that wait for messages whose calls are known
	for _, m := range missing {
		if m.By != nil && m.IsOwed() && !m.Wild {
			out = append(out, passed.Awaited{Sender: m.Peer, By: m.By.ID})
			known.Add(m.Rank)
		}
	}
	suspects.Each(func(rank int) {
		if f.scene.WaitingFor(model.NewRankSet(rank)).Minus(known).Len() > 0 {
			out = append(out, passed.Awaited{Sender: rank})
		}
	})
	return out
}

// suspects are the ranks that may have gone past a call: who is named for that, or named alone with more than a guess; else those that owe
// a message, and if there are none, those that are named or wait for each other.
func (f *Finding) suspects(missing []Unsent) model.RankSet {
	if f.Ranks.Len() == 1 && f.Confidence > guess || slices.ContainsFunc(f.Reasons, func(r Reason) bool { return r.Kind == WentPast }) {
		return f.Ranks
	}
	var out model.RankSet
	for _, m := range missing {
		if m.IsOwed() && !m.Wild {
			out.Add(m.Peer)
		}
	}
	if out.Len() == 0 {
		out = f.Ranks
		if f.Deadlock != nil {
			out = out.Union(model.NewRankSet(slices.Concat(f.Deadlock.Cycles...)...))
		}
	}
	all := out.Slice()
	return model.NewRankSet(all[:min(len(all), maxSuspects)]...)
}

// preferPassing: of ranks in a deadlock the one is left that went past the collective in which others wait, or the send of a message for
// which another one waits, on a way that neither it nor another rank had gone before. All analysis ranks look together, as the models of
// ranks are not kept; the verdict at rank 0 is changed.
func (l *looker) preferPassing(q Question, f *Finding, missing []Unsent, failed error) error {
	var stuck, asked model.RankSet
	if f != nil {
		if stuck = f.deadlocked(); stuck.Len() > 1 && stuck.Len() <= maxSuspects {
			asked = stuck.Union(unsent.SomeOf(l.Index.Size))
		}
	}
	view, err := l.gatherPassages(asked, func(*model.Rank) bool { return true }, failed)
	if err != nil || asked.Len() == 0 {
		return err
	}
	resolver := symbol.New(q.Symbols)
	defer resolver.Close()
	view.JoinAlike(func(s *model.State) string { return placeOf(resolver, s) })
	reasons := append(f.passedCollectives(&view), f.leftOutSends(&view, stuck, missing)...)
	for _, r := range reasons {
		if !r.Ranks.Equal(reasons[0].Ranks) {
			return nil
		}
	}
	if len(reasons) > 0 {
		f.Ranks, f.Confidence, f.Reasons = reasons[0].Ranks, f.scaleByKnown(likely), reasons[:1]
	}
	return nil
}

// deadlocked are the ranks of a deadlock of which nothing but their waits is known: that of one does not explain that of another.
func (f *Finding) deadlocked() (out model.RankSet) {
	whole := func(r Reason) bool {
		return r.Kind == InDeadlock && !slices.ContainsFunc(r.Roots, func(r evidence.Root) bool { return r.Kind != evidence.Whole })
	}
	if !f.hang || f.Cause != CauseDeadlock || f.Deadlock == nil || f.Confidence > guess && !slices.ContainsFunc(f.Reasons, whole) {
		return out
	}
	out = f.Ranks.Union(model.NewRankSet(slices.Concat(f.Deadlock.Cycles...)...))
	for _, core := range f.certainGraph().Cores() {
		out = out.Union(core)
	}
	return out
}

// passedCollectives: a rank went past the collective in which others wait, once, by which it came to where it is.
func (f *Finding) passedCollectives(view *passed.View) (out []Reason) {
	if f.Confidence > guess || f.Ranks.Len() < 2 {
		return nil
	}
	for _, c := range view.Find(f.Ranks, nil) {
		// A rank that is in a call for the first time may have left a loop rightly, or the other left out what it waits for: not if all
		// others made the call there.
		within := f.scene.RanksWhere(func(f *facts.Fact) bool { return f.At.InMPI && f.At.State == c.State.ID })
		alone := c.Alone && within.Equal(f.scene.All.Minus(model.NewRankSet(c.Rank)))
		if c.Once && c.Here && c.Before && (c.Sometimes || alone) && c.Waiting.Len() > 0 {
			out = append(out, Reason{Kind: WentPast, Ranks: model.NewRankSet(c.Rank), Others: c.Waiting, Call: c.State.Call, Passed: &c})
		}
	}
	return out
}

// leftOutSends: a rank left out a send, while all others of the deadlock went on as ever, and the one that waits for the message cannot
// have been told that it would not come.
func (f *Finding) leftOutSends(view *passed.View, stuck model.RankSet, missing []Unsent) (out []Reason) {
	d := Diagnosis{Taken: f.scene.Taken(), ReturnedErrors: f.returnedErrors()}
	for i := range missing {
		m := &missing[i]
		within := stuck.Contains(m.Rank) && stuck.Contains(m.Peer) && f.scene.WaitsForParticular(m.Peer)
		if !within || !d.MayBeSkipped(m) || !m.Rounds.Only || m.Rounds.Told || m.Number != m.Sent+1 {
			continue
		}
		a := passed.Awaited{Sender: m.Peer, By: m.By.ID, Sent: m.Sent, Others: m.Rounds.Each, All: m.Rounds.All}
		if view.LeftOut(a) && !view.MayKnow(m.Rank, m.Sent) {
			out = append(out, Reason{Kind: LeftOutSend, Ranks: model.NewRankSet(m.Peer), Others: model.NewRankSet(m.Rank),
				Call: m.By.Call, At: m.By})
		}
	}
	for _, r := range out {
		if slices.ContainsFunc(stuck.Minus(r.Ranks).Slice(), view.Departs) {
			return nil
		}
	}
	return out
}
