package progress

import (
	"laggard/analysis/progress/epochs"
	"laggard/model"
	"laggard/reduce"
)

// Excluded is a rank that another one left out of its epochs of a window, for which it waits.
type Excluded struct {
	epochs.Excluded
	On model.CommRef // the window
}

var epochWaits = reduce.JSON[[]epochs.Wait]()

// findExcluded asks the ranks of waits for epochs with whom they opened some, all analysis ranks together; the answer is at rank 0, which
// has the finding. Their records are decoded once more.
func (l *looker) findExcluded(f *Finding, failed error) ([]Excluded, error) {
	var waits []epochs.Wait
	if f != nil && f.hang {
		waits = f.scene.EpochWaits()
	}
	waits, err := reduce.Broadcast(l.Tree, epochWaits, waits, failed)
	if err != nil || len(waits) == 0 {
		return nil, err
	}
	var asked model.RankSet
	for _, w := range waits {
		asked.Add(w.Rank)
		asked.Add(w.Peer)
	}
	var view epochs.View
	l.eachAsked(asked, func(r *model.Rank) { view = epochs.Merge(view, epochs.ViewOf(r, waits)) })
	view, err = reduce.Reduce(l.Tree, epochs.Views, view, nil)
	if err != nil || f == nil {
		return nil, err
	}
	var out []Excluded
	for _, x := range view.Find(waits) {
		out = append(out, Excluded{x, f.scene.Comm(x.Win)})
	}
	return out, nil
}
