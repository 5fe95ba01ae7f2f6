package progress

import "laggard/analysis/progress/evidence"

// Names of the steps as they are timed in the report (paper Figure 8):
// building is Local with its reduction, finding is FindLP, the output is
// Finding.Result.
const (
	StepBuildPDG = "build_pdg"
	StepFindLP   = "find_lp"
	StepOutput   = "output"
)

// Options are the settings of an analysis. The zero value is the default.
type Options struct {
	// Algorithm names the inference; "" is DefaultAlgorithm.
	Algorithm string
	// PaperOnly leaves the evidence out of the conclusion: the least
	// progressed ranks are those of the algorithm alone.
	PaperOnly bool
	// Observed is outside knowledge of the job.
	evidence.Observed
	// StacksOnly says that the record was made from stacks (docs/offline.md): no
	// call in it says what it waits for.
	StacksOnly bool
	// Progressing says that the caller saw the job move: then nothing hangs.
	Progressing bool
}
