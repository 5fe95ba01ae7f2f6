package scaling

import (
	"slices"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
)

// readsSame reports whether two call sites are the same to a reader: their functions and lines are, as those of a program that was built
// anew.
func readsSame(a, b *recorded.Site) bool {
	return a != nil && b != nil && a.Feature == b.Feature && slices.EqualFunc(programFrames(a), programFrames(b),
		func(f, g recorded.Frame) bool { return frameText(f) == frameText(g) })
}

// isSameSite reports whether a place is one call site in training and in this run.
func isSameSite(p *judge.Place) bool { return readsSame(p.Training, p.Production) }

// readablePlaces leaves out the places that only another build makes: a call site that the other side has as well, at another address,
// whose share is added to that one's, and one that sends its share. Of a list of nothing else all are left.
func readablePlaces(list []judge.SourcePlace) []judge.SourcePlace {
	var out []judge.SourcePlace
	for _, p := range list {
		if hasOtherSide(&p, list) {
			continue
		}
		if isSameSite(&p.Place) && p.Training.Key() != p.Production.Key() {
			for _, q := range list {
				if hasOtherSide(&q, list) && (readsSame(q.Training, p.Training) || readsSame(q.Production, p.Production)) {
					p.TrainingShare, p.ProductionShare = p.TrainingShare+q.TrainingShare, p.ProductionShare+q.ProductionShare
				}
			}
			if percentText(p.TrainingShare) == percentText(p.ProductionShare) {
				continue
			}
		}
		p.Order = len(out) + 1
		out = append(out, p)
	}
	if out == nil {
		return list
	}
	return out
}

// hasOtherSide reports whether a place with one side only is on the other side of another place of the list.
func hasOtherSide(p *judge.SourcePlace, list []judge.SourcePlace) bool {
	return slices.ContainsFunc(list, func(q judge.SourcePlace) bool {
		return p.Source == q.Source && (p.Production == nil && readsSame(p.Training, q.Production) ||
			p.Training == nil && readsSame(q.Training, p.Production))
	})
}
