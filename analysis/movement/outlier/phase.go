package outlier

import (
	"cmp"
	"slices"
	"sort"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
)

// minChainsPerRank times the number of ranks is the least number of chains in
// which an outlier is looked for when time is halved: distributions of fewer
// differ by chance.
const minChainsPerRank = 16

// timed is a chain with the index of its track.
type timed struct {
	chain.Instance
	track int32
}

// sortByTime lists all chains in order of time.
func sortByTime(tr *chain.Trace) []timed {
	var out []timed
	for t, track := range tr.Tracks {
		for _, c := range track.Chains {
			out = append(out, timed{c, int32(t)})
		}
	}
	slices.SortStableFunc(out, func(a, b timed) int { return cmp.Compare(a.Time, b.Time) })
	return out
}

// Find measures the whole run. If that shows no outlier and lastPhase is set, it
// measures halves of it: the last half, the first half, then those of the last
// half, and so on while there are enough chains (§4.5). training may be nil. The
// distances are those of the span of time in which outliers were found.
func Find(tr *chain.Trace, training *profile.Profile, lastPhase bool) (Distances, []Outlier) {
	chains := sortByTime(tr)
	whole, found := findOutliers(tr, chains, training)
	if len(found) > 0 || !lastPhase {
		return whole, found
	}
	least := max(1, minChainsPerRank*len(tr.Tracks))
	for len(chains) >= least && chains[0].Time < chains[len(chains)-1].Time {
		first, last := splitHalves(chains)
		for _, half := range [][]timed{last, first} {
			if len(half) < least {
				continue
			}
			if span, found := findOutliers(tr, half, training); len(found) > 0 {
				return span, found
			}
		}
		chains = last
	}
	return whole, nil
}

// splitHalves cuts chains of more than one time in the middle of their time. Neither
// half is empty.
func splitHalves(chains []timed) (first, last []timed) {
	from, to := chains[0].Time, chains[len(chains)-1].Time
	middle := from + int64(uint64(to-from)/2) + 1
	at := sort.Search(len(chains), func(i int) bool { return chains[i].Time >= middle })
	return chains[:at], chains[at:]
}
