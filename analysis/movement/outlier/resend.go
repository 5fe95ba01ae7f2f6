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
	track         int
	again, others uint64
}

func (s sender) rate() float64 { return float64(s.again) / float64(max(s.others, 1)) }

const (
	fewPeers = 3 // do not show what varies from rank to rank
	// A resender's rate is so many times that of the first of its peers, and ahead of it by
	// so many times as that one is ahead of their middle.
	excessive, lead = 2, 3
	// maxResends is as maxChance: delays come together.
	maxResends = 1e-4
)

// resenders finds the ranks, at most one of every four, that send again what is thrown
// away, far more often than their peers. In the whole distribution such a rank can hide
// behind the one that answers each copy, which is unlike the others too.
func resenders(tr *chain.Trace, chains []timed, s Distances, training *profile.Profile) []Outlier {
	senders, group := again(tr, chains)
	if len(senders)-s.K < fewPeers || group < 0 || s.Chains < fewChains {
		return nil
	}
	peers := senders[s.K:]
	first, middle := peers[0].rate(), peers[len(peers)/2].rate()
	usual := max(first, trainedRate(training, tr.Groups[group]))
	var out []Outlier
	for _, x := range senders[:s.K] {
		if x.rate() <= excessive*usual || x.rate()-first <= lead*(first-middle) || byChance(x, peers[0], len(senders)) {
			continue
		}
		o := Outlier{Rank: tr.Tracks[x.track].Rank, Distance: s.By[x.track], Group: tr.Groups[group],
			Share: share(chains, x.track, group), PeerShare: share(chains, peers[0].track, group)}
		o.Neighbour = tr.Tracks[peers[0].track].Rank
		out = append(out, o)
	}
	return out
}

// again counts by rank, those first that send most again, and returns the group that most
// of that is of; -1: there is none. What was sent from the stack does not count: it has
// seldom been written by a copy, so it looks old when it is new.
func again(tr *chain.Trace, chains []timed) ([]sender, int) {
	senders, of := make([]sender, len(tr.Tracks)), make([]uint64, len(tr.Groups))
	group := -1
	for i := range senders {
		senders[i].track = i
	}
	for _, c := range chains {
		if !c.Again || tr.Groups[c.Group].Ops[0].Source == "" {
			senders[c.track].others++
			continue
		}
		if !c.Further {
			senders[c.track].again++
		}
		if of[c.Group]++; group < 0 || of[c.Group] > of[group] {
			group = int(c.Group)
		}
	}
	slices.SortStableFunc(senders, func(a, b sender) int { return cmp.Compare(b.rate(), a.rate()) })
	return senders, group
}

// share is the group's share of the chains of a track.
func share(chains []timed, track, group int) float64 {
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
				x.again += c.Count
			} else {
				x.others += c.Count
			}
		}
		most = max(most, x.rate())
	}
	return most
}

// byChance tells whether a rank among as many may have sent so much more often again than
// the first of its peers by chance.
func byChance(x, peer sender, ranks int) bool {
	own := float64(x.others) / float64(max(x.others+peer.others, 1))
	return atLeast(x.again, x.again+peer.again, own)*float64(ranks) >= maxResends
}
