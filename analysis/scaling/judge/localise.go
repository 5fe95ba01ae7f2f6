package judge

import (
	"cmp"
	"math"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/model"
)

// Place is one place to look at: a call site of the run, the call site of training
// that it is compared with, and where their stacks part.
type Place struct {
	Order      int            `json:"rank_order"`      // position in the list, from 1
	Training   *recorded.Site `json:"training_site"`   // call site in training; null: none
	Production *recorded.Site `json:"production_site"` // call site in this run; null: none
	// share of the volume in training, as expected at this scale, 0 to 1
	TrainingShare   float64 `json:"training_share"`
	ProductionShare float64 `json:"production_share"` // share of the volume in this run, 0 to 1
	// the innermost frame in which the two stacks differ; null: the stacks are unknown
	Divergence *recorded.Frame `json:"divergence"`
}

// localiseVolumes compares the volumes of the flagged ranks with what was expected
// (paper, §5.4.1): a site that sent more takes the place of the one that sent
// less by most nearly as much.
func localiseVolumes(m *training.Model, t *recorded.Table, flagged model.RankSet, c Circumstances) ([]Place, error) {
	b, err := newMatchedModel(m, t)
	if err != nil {
		return nil, err
	}
	more, less := b.findExcesses(flagged)
	var places []Place
	for _, production := range more {
		training, at := counterpart(production, less)
		if at >= 0 {
			less = slices.Delete(less, at, at+1)
		} else if !production.known {
			training = nearestSite(m, production.site)
		}
		places = append(places, newPlace(training, &production, c))
	}
	for _, gone := range less {
		places = append(places, newPlace(&gone, &gone, c))
	}
	slices.SortStableFunc(places, func(a, b Place) int { return cmp.Compare(b.weight(), a.weight()) })
	for i := range places {
		places[i].Order = i + 1
	}
	return places, nil
}

// weight orders places: by the share of the site that took over the volume of
// another, else by the share that a site sent too much or too little.
func (p Place) weight() float64 {
	if p.Training != nil && p.Production != nil && p.Training.Key() != p.Production.Key() {
		return p.ProductionShare
	}
	return math.Abs(p.ProductionShare - p.TrainingShare)
}

// counterpart finds the site that sent less by the amount nearest to what another
// sent more, between half and twice as much.
func counterpart(gained excess, lost []excess) (*excess, int) {
	best, at := 1.0, -1
	for i, l := range lost {
		if off := math.Abs(math.Log2(gained.delta() / -l.delta())); off <= best {
			best, at = off, i
		}
	}
	if at < 0 {
		return nil, -1
	}
	found := lost[at]
	return &found, at
}

// nearestSite is the site of training whose stack shares most frames with a new
// one, and of those the one with the largest share.
func nearestSite(m *training.Model, site recorded.Site) *excess {
	best, at := 0, -1
	for i, known := range m.Sites {
		n := commonOuter(known.Frames, site.Frames) + commonInner(known.Frames, site.Frames)
		if n > best || at >= 0 && n == best && m.Shares[i].Mean > m.Shares[at].Mean {
			best, at = n, i
		}
	}
	if at < 0 {
		return nil
	}
	return &excess{site: m.Sites[at], known: true, expected: m.Shares[at].Mean}
}

// newPlace describes a pair. A site that training has, and that has no counterpart,
// is compared with itself.
func newPlace(training, production *excess, c Circumstances) Place {
	p := Place{Production: &production.site, ProductionShare: production.observed}
	if training == nil && production.known {
		training = production
	}
	var before []recorded.Frame
	if training != nil {
		p.Training, p.TrainingShare = &training.site, training.expected
		before = training.site.Frames
	}
	p.Divergence = divergence(before, production.site.Frames, c)
	if production.observed == 0 {
		p.Production = nil
	}
	return p
}
