package judge

import (
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/model"
)

// SourceVerdict is the verdict of one source.
type SourceVerdict struct {
	Source  recorded.Source `json:"source"`  // mpi or socket
	Verdict *Verdict        `json:"verdict"` // the verdict; null: nothing was recorded there
}

// SourcePlace is a place to look at, and the source that showed it.
type SourcePlace struct {
	Place
	Source recorded.Source `json:"source"` // the source that showed it: mpi or socket
}

// Answer unites the verdicts of the sources: a rank is flagged if one of them
// flags it, and places that the program itself shows come before those below.
type Answer struct {
	Flagged model.RankSet
	// Leading is the source of Model, correlations and threshold: the first that
	// flags a rank, else the first that is in its range, else the first.
	Leading *SourceVerdict
	InRange bool // some source is in its range
	Places  []SourcePlace
	Sources []SourceVerdict
}

// Unite makes one answer of at least one verdict.
func Unite(verdicts []SourceVerdict) *Answer {
	a := &Answer{Sources: verdicts, Places: []SourcePlace{}}
	seen := map[string]bool{}
	for i := range verdicts {
		v := verdicts[i].Verdict
		a.Flagged = a.Flagged.Union(v.Flagged)
		a.InRange = a.InRange || v.InRange
		for _, p := range v.Localisation {
			key := p.sitesKey()
			if seen[key] {
				continue // after a crash both sources may name the same
			}
			seen[key] = true
			p.Order = len(a.Places) + 1
			a.Places = append(a.Places, SourcePlace{Place: p, Source: verdicts[i].Source})
		}
	}
	a.Leading = &verdicts[0]
	for _, speaks := range []func(*Verdict) bool{
		func(v *Verdict) bool { return v.Flagged.Len() > 0 },
		func(v *Verdict) bool { return v.InRange },
	} {
		if i := slices.IndexFunc(verdicts, func(v SourceVerdict) bool { return speaks(v.Verdict) }); i >= 0 {
			a.Leading = &verdicts[i]
			break
		}
	}
	return a
}

func (p Place) sitesKey() string {
	key := ""
	for _, s := range []*recorded.Site{p.Training, p.Production} {
		if s != nil {
			key += s.Key()
		}
		key += "|"
	}
	return key
}
