package judge

import (
	"cmp"
	"math"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/model"
)

// excess is a site that sent more than expected (delta above 0) or less, by
// shares of the volume of the flagged ranks.
type excess struct {
	site     recorded.Site
	known    bool // to training
	observed float64
	expected float64
}

func (e excess) delta() float64 { return e.observed - e.expected }

// volumes adds up, over the flagged ranks, what a site sent and what it was
// expected to send.
type volumes struct {
	excess
	predicted int  // rows with a forecast
	deviates  bool // in some row
	share     training.Share
}

// tally is that of all sites.
type tally struct {
	sites map[string]*volumes
	order []string // keys, as they came
	total float64
	rows  int
}

// findExcesses lists the sites with significant differences, the largest first.
func (b *matchedModel) findExcesses(flagged model.RankSet) (more, less []excess) {
	sums := tally{sites: make(map[string]*volumes)}
	for _, row := range b.t.Rows {
		if flagged.Contains(row.Rank) {
			sums.addRow(b, row)
		}
	}
	for _, key := range sums.order {
		e, significant := sums.sites[key].toShares(max(sums.total, 1), sums.rows)
		switch {
		case significant && e.delta() > 0:
			more = append(more, e)
		case significant:
			less = append(less, e)
		}
	}
	order := func(a, b excess) int { return cmp.Compare(math.Abs(b.delta()), math.Abs(a.delta())) }
	slices.SortStableFunc(more, order)
	slices.SortStableFunc(less, order)
	return more, less
}

func (s *tally) addRow(b *matchedModel, row recorded.Observation) {
	s.rows++
	y, fresh := b.alignVolumes(row)
	c := b.compareRow(row, row.ControlRow(b.m.Controls), y, fresh)
	for i, at := range c.sites {
		key := at.site.Key()
		v := s.sites[key]
		if v == nil {
			v = &volumes{excess: excess{site: at.site, known: !at.fresh}}
			if !at.fresh {
				v.share = b.m.Shares[b.m.Features[i].Site]
			}
			s.sites[key], s.order = v, append(s.order, key)
		}
		v.addSite(at, c.isDeviation(at))
		if at.site.Feature == "" {
			s.total += at.observed
		}
	}
}

func (v *volumes) addSite(s siteComparison, deviates bool) {
	v.observed += s.observed
	v.deviates = v.deviates || deviates
	v.expected += s.interval.Expected
	if s.forecast && !s.fresh {
		v.predicted++
	}
}

// toShares turns bytes into shares. A site without a prediction is compared with its
// mean share in training, and differs if it is outside the range of its shares
// there by more than some slack.
func (v *volumes) toShares(total float64, rows int) (e excess, significant bool) {
	e = v.excess
	switch {
	case v.site.Feature != "":
		// Not bytes: such a site comes after all that are, in the order of the relative
		// difference.
		scale := max(e.observed, e.expected, 1) / minShare
		e.observed, e.expected = e.observed/scale, e.expected/scale
		return e, v.deviates
	case !v.known || v.predicted == rows:
		e.observed, e.expected = e.observed/total, e.expected/total
		return e, v.deviates
	}
	e.observed, e.expected = e.observed/total, v.share.Mean
	least := minNewShare
	if e.site.BelowMPICall() {
		least = minPathShare
	}
	slack := max(least, v.share.High-v.share.Low)
	return e, v.deviates || e.observed > v.share.High+slack || e.observed < v.share.Low-slack
}
