package progress

import (
	"slices"

	"laggard/analysis/progress/unsent"
	"laggard/model"
	"laggard/reduce"
)

// Unsent is a message that a rank waits for and that was not sent, or in whose receive MPI reported an error.
type Unsent struct {
	unsent.Message
	On       model.CommRef   // its communicator
	OthersOn []model.CommRef // those of Others
	// UnansweredOn are those of Unanswered.
	UnansweredOn []model.CommRef
}

var unsentWaits = reduce.JSON[[]unsent.Wait]()

// findUnsent asks a few ranks where the messages would have come from that ranks wait for, all analysis ranks together; the answer is
// at rank 0, which has the finding. Their records are decoded once more.
func (l *looker) findUnsent(f *Finding, failed error) ([]Unsent, error) {
	var waits []unsent.Wait
	if f != nil && f.hang {
		waits = f.scene.Unsent()
	}
	waits, err := reduce.Broadcast(l.Tree, unsentWaits, waits, failed)
	if err != nil || len(waits) == 0 {
		return nil, err
	}
	asked, err := reduce.Broadcast(l.Tree, rankSets, unsent.Asked(waits, l.Index.Size), nil)
	if err != nil {
		return nil, err
	}
	var view unsent.View
	l.eachAsked(asked, func(r *model.Rank) { view = unsent.Merge(view, unsent.ViewOf(r, waits, asked)) })
	view, err = reduce.Reduce(l.Tree, unsent.Views, view, nil)
	if err != nil || f == nil {
		return nil, err
	}
	return f.nameUnsent(view.Find(waits)), nil
}

// tells reports whether more is known of a message than that it was not sent. Who computes has not come to send.
func (f *Finding) tells(m *unsent.Message) bool {
	computes := !m.Failed && !m.InMPI && f.scene.Facts[m.Peer].Phase == model.Running
	switch {
	case len(m.Others) > 0:
		return true
	case m.AnySource || computes:
		return false
	case m.By != nil || m.Omission != nil:
		return true
	case m.Wild: // on an intercommunicator nothing else says where the other side is
		return m.InMPI && f.scene.IsIntercomm(m.Comm)
	}
	return m.InMPI && m.Sent == 0 && m.IsOwed() // that nobody sends such messages is known, too
}

// preferReceiver: where nothing decides between ranks of a deadlock, that is left which has received nothing of what several ranks sent it
// alike, and waits for another message of one of them: it is more likely that its receive is wrong than that all their sends are.
func (f *Finding) preferReceiver(missing []Unsent) {
	if !f.hang || f.Cause != CauseDeadlock || f.Confidence > guess {
		return
	}
	i := slices.IndexFunc(missing, func(m Unsent) bool {
		return m.Unmatched != nil && f.Ranks.Contains(m.Rank) && f.Ranks.Contains(m.Peer)
	})
	if i < 0 {
		return
	}
	m := &missing[i]
	f.Ranks, f.Confidence = model.NewRankSet(m.Rank), f.scaleByKnown(likely)
	f.Reasons = []Reason{{Kind: ReceivesNone, Ranks: f.Ranks, Others: m.Unmatched.Senders, At: m.Unmatched.By}}
}

// eachAsked decodes the records of some ranks of the share once more.
func (l *looker) eachAsked(asked model.RankSet, do func(*model.Rank)) {
	for _, r := range l.Index.LoadRanks(asked) {
		do(r)
	}
}

// nameUnsent looks up the communicators of messages. Those are left out of which nothing is known but that they were not sent.
func (f *Finding) nameUnsent(messages []unsent.Message) []Unsent {
	var out []Unsent
	for _, m := range messages {
		if !f.tells(&m) {
			continue
		}
		one := Unsent{Message: m, On: f.scene.Comm(m.Comm)}
		for _, other := range m.Others {
			one.OthersOn = append(one.OthersOn, f.scene.Comm(other.Comm))
		}
		for _, other := range m.Unanswered {
			one.UnansweredOn = append(one.UnansweredOn, f.scene.Comm(other.Comm))
		}
		out = append(out, one)
	}
	return out
}
