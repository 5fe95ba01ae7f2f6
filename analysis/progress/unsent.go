package progress

import (
	"slices"

	"laggard/analysis/progress/facts"
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

// preferReceiver: where nothing decides between a rank that waits for a message and the one that should send it, the first is left
// where its receive is more likely to be wrong than the sends of all others.
func (f *Finding) preferReceiver(missing []Unsent) {
	undecided := f.hang && f.Confidence <= guess && (f.Cause == CauseDeadlock || f.Rule == RuleLeftForFinalize)
	for i := range missing {
		m := &missing[i]
		if !undecided || !f.Ranks.Contains(m.Rank) || !f.Ranks.Contains(m.Peer) {
			continue
		}
		waiting := model.NewRankSet(m.Rank)
		switch {
		case m.Unmatched != nil:
			f.Ranks, f.Confidence = waiting, f.scaleByKnown(likely)
			f.Reasons = []Reason{{Kind: ReceivesNone, Ranks: waiting, Others: m.Unmatched.Senders, At: m.Unmatched.By}}
			return
		case m.Beside != nil && m.Beside.GoneOn:
			f.Ranks, f.Confidence = waiting, f.scaleByKnown(leftMany)
			f.Reasons = []Reason{{Kind: MayAwaitOther, Ranks: waiting, Others: model.NewRankSet(m.Peer)}}
			return
		case f.nobodySends(m):
			f.Ranks, f.Confidence, f.Cause = waiting, f.scaleByKnown(leftMany), CauseDeadlock
			f.Reasons = []Reason{{Kind: AwaitedOfNobody, Ranks: waiting, Others: f.scene.All.Minus(waiting)}}
			return
		}
	}
}

// fewOthers is how many ranks must have gone to MPI_Finalize for the one that has not to be the odd one.
const fewOthers = 3

// nobodySends reports whether no rank has ever sent a message such as one waits for, while all others went to MPI_Finalize: what it does is
// nothing in which they have a part. A rank that others do things without, such as a server, may wait for their first message.
func (f *Finding) nobodySends(m *Unsent) bool {
	others := f.scene.All.Minus(model.NewRankSet(m.Rank))
	gone := f.scene.RanksWhere(func(fact *facts.Fact) bool { return fact.Phase >= model.Finalizing })
	without := slices.ContainsFunc(f.scene.Sum.Comms, func(c facts.Comm) bool {
		members := f.scene.Members(c.ID)
		return members.Len() > 1 && !members.Contains(m.Rank)
	})
	none := m.By == nil && m.Omission == nil && m.Sent == 0 && len(m.Others) == 0 && len(m.Unanswered) == 0
	return none && !without && m.IsOwed() && !m.Wild && gone.Equal(others) && gone.Len() >= fewOthers
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
