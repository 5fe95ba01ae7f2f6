package outlier

import (
	"cmp"
	"slices"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
)

// sender is what a rank sends: how many messages again, though nothing becomes of one of
// the two, and how many other chains it has. A burst of copies of one message counts once: one
// delay makes many of them.
type sender struct {
	track          int
	resent, others uint64
}

func (s sender) resendRate() float64 { return float64(s.resent) / float64(max(s.others, 1)) }

const (
	fewPeers = 3 // do not show what varies from rank to rank
	// A resender's rate is so many times that of the first of its peers, and ahead of it by
	// so many times as that one is ahead of their middle.
	excessive, lead = 2, 3
	// maxResends is as maxChance: delays come together.
	maxResends = 1e-4
)

// findResenders finds the ranks, at most one of every four, that send again what is thrown
// away, far more often than their peers. In the whole distribution such a rank can hide
// behind the one that answers each copy, which is unlike the others too.
func findResenders(tr *chain.Trace, chains []timed, s Distances, training *profile.Profile) []Outlier {
	senders, group := countResends(tr, chains)
	if len(senders)-s.K < fewPeers || group < 0 || s.Chains < fewChains {
		return nil
	}
	peers := senders[s.K:]
	first, middle := peers[0].resendRate(), peers[len(peers)/2].resendRate()
	usual := max(first, trainedRate(training, tr.Groups[group]))
	var out []Outlier
	for _, x := range senders[:s.K] {
		if x.resendRate() <= excessive*usual || x.resendRate()-first <= lead*(first-middle) || couldBeChance(x, peers[0], len(senders)) {
			continue
		}
		o := Outlier{Rank: tr.Tracks[x.track].Rank, Distance: s.By[x.track], Group: tr.Groups[group],
			Share: groupShare(chains, x.track, group), PeerShare: groupShare(chains, peers[0].track, group)}
		o.Neighbour = tr.Tracks[peers[0].track].Rank
		out = append(out, o)
	}
	return out
}

// countResends counts by rank, those first that send most again, and returns the group that most
// of that is of; -1: there is none. What was sent from the stack does not count: it has
// seldom been written by a copy, so it looks old when it is new.
func countResends(tr *chain.Trace, chains []timed) ([]sender, int) {
	senders, of := make([]sender, len(tr.Tracks)), make([]uint64, len(tr.Groups))
	group := -1
	for i := range senders {
		senders[i].track = i
	}
	for _, c := range chains {
		if !c.Superseded || tr.Groups[c.Group].Ops[0].Source == "" {
			senders[c.track].others++
			continue
		}
		if !c.PriorSuperseded {
			senders[c.track].resent++
		}
		if of[c.Group]++; group < 0 || of[c.Group] > of[group] {
			group = int(c.Group)
		}
	}
	slices.SortStableFunc(senders, func(a, b sender) int { return cmp.Compare(b.resendRate(), a.resendRate()) })
	return senders, group
}

// groupShare is the group's share of the chains of a track.
func groupShare(chains []timed, track, group int) float64 {
	n, of := 0, 0
	for _, c := range chains {
		if int(c.track) != track {
			continue
		}
		of++
		if int(c.Group) == group {
			n++
		}
	}
	return float64(n) / float64(max(of, 1))
}

// trainedRate is the largest rate of the group at a rank of the training runs.
func trainedRate(training *profile.Profile, group chain.Group) (most float64) {
	if training == nil {
		return 0
	}
	for _, row := range training.Rows {
		var x sender
		for _, c := range row {
			if training.Groups[c.Group].Key() == group.Key() {
				x.resent += c.Count
			} else {
				x.others += c.Count
			}
		}
		most = max(most, x.resendRate())
	}
	return most
}

// couldBeChance reports whether a rank among as many may have sent so much more often again than
// the first of its peers by chance.
func couldBeChance(x, peer sender, ranks int) bool {
	own := float64(x.others) / float64(max(x.others+peer.others, 1))
	return binomialTail(x.resent, x.resent+peer.resent, own)*float64(ranks) >= maxResends
}
