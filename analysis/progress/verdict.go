package progress

import (
	"laggard/analysis/divergence"
	"laggard/model"
)

// Verdict is what one rule concludes.
type Verdict struct {
	Rule       string        // its name, see rules
	Ranks      model.RankSet // the least progressed; empty: nothing is concluded
	Method     string        // MethodEvidence, or the algorithm
	Confidence float64
	Reasons    []Reason
	Cause      CauseKind // "" as the places of the ranks tell
	Deadlock   *Deadlock
	Diverged   []divergence.Divergence // what explains the hang comes first
	Unordered  bool                    // the algorithm found that every position waits for another
}

// undecided reports whether ranks are all that have not finished.
func (j *job) undecided(ranks model.RankSet) bool {
	return ranks.Len() > 1 && ranks.Equal(j.scene.Unfinished())
}
