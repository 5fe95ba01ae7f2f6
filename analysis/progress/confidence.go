package progress

import (
	"slices"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// The levels of confidence. They are no measured frequencies but a fixed order
// of how a conclusion was reached:
//
//	0.99         lost processes, and deadlocks of certain waits in which all wait alike
//	0.90 – 0.99  ranks waited for: rises with the share of waits that are certain
//	0.90         ranks whose program an exception of Python ended, at least
//	0.70         a deadlock that buffering may dissolve; of the ranks in one, those that have a lock which others ask
//	             for, to which MPI returned an error in a send that others wait for, that left out a call once, or that
//	             received nothing of what others sent it alike
//	0.40 – 0.80  inference: rises with the share of positions that the algorithm
//	             could order against those it chose
//	0.50         ranks without a record, unless the launcher ended the others for them; the root of another deadlock;
//	             ranks waited for of which nothing certain is known, or that wait for a connection; ranks that
//	             neighbours do not list; ranks on which MPI_Init failed, where the others were too or
//	             that wait for the lock of a file, unless a rank is known to have it (report/diagnosis)
//	0.10         nothing tells the unfinished ranks apart
//
// Each is multiplied with the share of the job's ranks whose record can be
// relied on; a rank known to be lost counts as known.
const (
	certainty = 0.99
	awaitedBy = 0.90
	likely    = 0.70
	guess     = 0.50
	inferring = 0.40
	undecided = 0.10
)

// IsUndecided reports whether a confidence says that nothing tells the ranks apart.
func IsUndecided(confidence float64) bool { return confidence <= undecided }

// scaleByKnown weighs a level with the share of ranks that are known.
func (j *job) scaleByKnown(level float64) float64 {
	s := j.scene
	known := s.Present.Minus(s.Off).Union(s.Lost)
	if s.All.Len() == 0 {
		return 0
	}
	return level * float64(known.Len()) / float64(s.All.Len())
}

// directness is the level of ranks waited for.
func (j *job) directness() float64 {
	certain, all := 0, 0
	for _, n := range j.scene.Needs {
		if n.Standing != evidence.Waiting {
			continue
		}
		all++
		if !n.Weak {
			certain++
		}
	}
	if all == 0 {
		return 0
	}
	return awaitedBy + (certainty-awaitedBy)*float64(certain)/float64(all)
}

// inferredConfidence is the level of what the algorithm chose: of the other
// places, how many does it know to be ahead of one chosen?
func (j *job) inferredConfidence(least model.RankSet, chosen []model.RankSet) float64 {
	switch {
	case least.Len() == 0:
		return 0
	case j.undecided(least):
		return undecided
	}
	others, ordered := 0, 0
	seen := map[facts.Position]bool{}
	for _, fact := range j.scene.Sum.Facts {
		if least.Contains(fact.Rank) || seen[fact.At] {
			continue
		}
		seen[fact.At] = true
		others++
		if slices.ContainsFunc(chosen, func(end model.RankSet) bool {
			code, _ := j.order.Relate(fact.Rank, end.Min())
			return code == inference.Forward
		}) {
			ordered++
		}
	}
	if others == 0 {
		return inferring
	}
	return inferring + inferring*float64(ordered)/float64(others)
}
