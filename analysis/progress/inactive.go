package progress

import (
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/inactive"
	"laggard/analysis/progress/unposted"
	"laggard/analysis/progress/unsent"
	"laggard/model"
	"laggard/reduce"
)

// Inactive is a persistent request for the message that a rank waits for, which another one did not start often enough.
type Inactive struct {
	inactive.Request
	On model.CommRef // its communicator
}

// preferWaiting: a rank that has waited for a persistent request without having started it, while another rank waits for that message, is
// named in the place of that rank: it takes the message for done.
func (f *Finding) preferWaiting(requests []Inactive) {
	var peers, waiting model.RankSet
	for _, q := range requests {
		if q.Waited && (f.Ranks.Contains(q.Rank) || f.Ranks.Contains(q.Peer)) {
			peers.Add(q.Peer)
			waiting.Add(q.Rank)
		}
	}
	if !f.hang || peers.Len() != 1 || waiting.Contains(peers.Min()) || f.Rule == RuleLostProcess {
		return
	}
	if f.Cause.IsDivergence() { // who waits came to no collective, through no fault of its own
		f.Cause = ""
		f.Diverged = slices.DeleteFunc(slices.Clone(f.Diverged), func(d divergence.Divergence) bool {
			return oddRanks(&d).Intersect(waiting).Len() > 0
		})
	}
	f.Ranks, f.Confidence = peers, f.scaleByKnown(likely)
	f.Reasons = []Reason{{Kind: NotStarted, Ranks: peers, Others: waiting}}
}

var messageWaits = reduce.JSON[[]inactive.Wait]()

// findUnbegun asks the ranks of waits for messages, and a few others, for their persistent requests, and which receives they left out, all
// analysis ranks together; the answers are at rank 0, which has the finding. Their records are decoded once more.
func (l *looker) findUnbegun(f *Finding, failed error) ([]Inactive, []unposted.Receive, error) {
	var waits []inactive.Wait
	if f != nil && f.hang {
		waits = f.scene.MessageWaits()
	}
	waits, err := reduce.Broadcast(l.Tree, messageWaits, waits, failed)
	if err != nil || len(waits) == 0 {
		return nil, nil, err
	}
	asked, err := reduce.Broadcast(l.Tree, rankSets, inactive.Asked(waits, unsent.SomeOf(l.Index.Size)), nil)
	if err != nil {
		return nil, nil, err
	}
	var requests inactive.View
	var receives unposted.View
	l.eachAsked(asked, func(r *model.Rank) {
		if len(r.Persistent) > 0 {
			requests = inactive.Merge(requests, inactive.ViewOf(r))
		}
		receives = unposted.Merge(receives, unposted.ViewOf(r, waits))
	})
	requests, err = reduce.Reduce(l.Tree, inactive.Views, requests, nil)
	receives, err = reduce.Reduce(l.Tree, unposted.Views, receives, err)
	if err != nil || f == nil {
		return nil, nil, err
	}
	var out []Inactive
	for _, r := range requests.Find(waits) {
		out = append(out, Inactive{r, f.scene.Comm(r.Comm)})
	}
	return out, receives.Find(waits), nil
}
