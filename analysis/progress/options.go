package progress

import "laggard/model"

// Names of the steps as they are timed in the report (paper Figure 8):
// building is Local with its reduction, finding is FindLP, the output is
// Finding.Result.
const (
	StepBuildPDG = "build_pdg"
	StepFindLP   = "find_lp"
	StepOutput   = "output"
)

// Liveness is what an observer outside the record knows of a process, for
// instance from /proc.
type Liveness string

// What an observer can know. Ranks it knows nothing of are left out.
const (
	Dead    Liveness = "dead"
	Stopped Liveness = "stopped"
)

// Options are the settings of an analysis. The zero value is the default.
type Options struct {
	// Algorithm names the inference; "" is DefaultAlgorithm.
	Algorithm string
	// PaperOnly leaves the evidence out of the conclusion: the least
	// progressed ranks are those of the algorithm alone.
	PaperOnly bool
	// Size is the number of ranks the run should have, 0 if unknown. What the
	// ranks themselves say counts too.
	Size int
	// Damaged are ranks whose record could not be read: no conclusion is drawn
	// from their absence.
	Damaged model.RankSet
	// Liveness holds outside knowledge by rank.
	Liveness map[int]Liveness
	// StacksOnly says that the record was made from stacks (docs/offline.md): no
	// call in it says what it waits for.
	StacksOnly bool
	// Progressing says that the caller saw the job move: then nothing hangs.
	Progressing bool
}
