package progress

import (
	"laggard/analysis/progress/inactive"
	"laggard/analysis/progress/unposted"
	"laggard/analysis/progress/unsent"
	"laggard/model"
	"laggard/reduce"
)

// findUnposted asks the ranks of sends that wait, and a few others, which receive was left out, all analysis ranks together; the answer is
// at rank 0, which has the finding. Their records are decoded once more.
func (l *looker) findUnposted(f *Finding, failed error) ([]unposted.Receive, error) {
	var waits []inactive.Wait
	if f != nil && f.hang {
		for _, w := range f.scene.MessageWaits() {
			if !w.Sends {
				waits = append(waits, w)
			}
		}
	}
	waits, err := reduce.Broadcast(l.Tree, inactiveWaits, waits, failed)
	if err != nil || len(waits) == 0 {
		return nil, err
	}
	var view unposted.View
	l.eachAsked(inactive.Asked(waits, unsent.SomeOf(l.Index.Size)), func(r *model.Rank) {
		view = unposted.Merge(view, unposted.ViewOf(r, waits))
	})
	view, err = reduce.Reduce(l.Tree, unposted.Views, view, nil)
	if err != nil || f == nil {
		return nil, err
	}
	return view.Find(waits), nil
}

// LeftOutReceive is the receive that a rank left out, for which others wait; nil: it is not known.
func (r *Result) LeftOutReceive(rank int) *unposted.Receive {
	for i := range r.Unposted {
		if r.Unposted[i].Peer == rank {
			return &r.Unposted[i]
		}
	}
	return nil
}
