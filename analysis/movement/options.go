package movement

import "laggard/model"

// Options steer Analyse. For a number, 0 stands for the default, which is the
// paper's where it has one.
type Options struct {
	// Ranks: only chains that start at these ranks are looked at; empty: at any.
	Ranks model.RankSet
	// Training: known good runs. Invariants are then taken from them (§3.1), a
	// chain that occurs in them is no violation, and a rank whose distribution is
	// like one of theirs is no outlier (§5.4).
	Training *Profile
	// LastPhase: where the whole run shows no outlier, search shorter and shorter
	// spans of time (§4.5).
	LastPhase bool

	MinUniqueness  float64 // of a frequent chain; default 5
	MinShare       float64 // of it among the chains that are as unique, exclusive; default 0.1
	MinAbnormality float64 // of a violation, exclusive; default 0.7
	MinSuspicion   float64 // instead, of one whose missing part was found nearby by itself; exclusive; default 0.5
	OutlierFactor  float64 // K: times the average Distance^k; default 5
	Neighbours     int     // k is the number of ranks divided by this; default 4
	Window         int     // chains before and after an instance that are its context; default 3
	MinDistance    float64 // of an outlier, 0 to 2, exclusive; default 0.01
	MinChains      int     // in a span of time that is searched; default 16 for each rank
}

func (o Options) withDefaults() Options {
	setDefault(&o.MinUniqueness, 5)
	setDefault(&o.MinShare, 0.1)
	setDefault(&o.MinAbnormality, 0.7)
	setDefault(&o.MinSuspicion, min(0.5, o.MinAbnormality))
	setDefault(&o.OutlierFactor, 5)
	setDefault(&o.Neighbours, 4)
	setDefault(&o.Window, 3)
	setDefault(&o.MinDistance, 0.01)
	return o
}

func setDefault[T int | float64](field *T, value T) {
	if *field == 0 {
		*field = value
	}
}
