package progress

import (
	"cmp"
	"slices"
	"time"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
	"laggard/model/runfiles"
)

// Names of the steps as they are timed in the report (paper Figure 8): loading
// is reading and folding the records, building is the Localiser with its reduction,
// finding is FindLP, the output is all that comes after it.
const (
	StepLoad     = "load"
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
	// StacksOnly says that the record was made from stacks (docs/manual/offline.md): few
	// calls in it say what they wait for, and there are no counts (Uncounted).
	StacksOnly bool
	// Progressing says that the caller saw the job move: then nothing hangs.
	Progressing bool
	// LastProgress is when a rank that makes no progress any more last made some; zero: it is not known.
	LastProgress time.Time
	// Diverged are the communicators whose members did not begin the same
	// collectives, as divergence.Find has them.
	Diverged []divergence.Divergence
	// Begun is what the members of those communicators began of which some are
	// behind, as divergence.Gather has it.
	Begun []divergence.Comm
	// ObjectCollectives are the calls of MPI, among those that ranks are in, that are part of a collective which a library makes of
	// messages.
	ObjectCollectives map[model.StateID]bool
}

// newOptions are the settings of the analysis that a question asks for.
func (q Question) newOptions(x *runfiles.Index, known overview) Options {
	o := Options{
		Algorithm: cmp.Or(q.Algorithm, inference.DefaultAlgorithm), PaperOnly: q.PaperOnly,
		Observed: evidence.Observed{Size: x.Size, Worlds: x.Worlds, Damaged: known.Damaged.Minus(x.Seen)},
	}
	if x.Manifest != nil && x.Manifest.Imported {
		// Whoever took the stacks may not have come to all ranks. And there are no
		// counts of iterations to compare, which the default algorithm is about.
		o.Damaged, o.StacksOnly = o.Damaged.Union(x.MissingRanks()), true
		o.Uncounted = true
		if o.Algorithm == inference.DefaultAlgorithm {
			o.Algorithm = inference.PDI
		}
	}
	o.Progressing = len(known.Moving) > 0
	o.LastProgress = known.Latest
	if known.Alive {
		o.Liveness = known.Liveness
	}
	return o
}

// answersThatHold leaves out that neighbours do not list a rank while the job moves: what an edge carries may be empty, and the rank
// in its call for a moment only.
func (o Options) answersThatHold(answers []facts.Answer) []facts.Answer {
	if !o.Progressing {
		return answers
	}
	return slices.DeleteFunc(slices.Clone(answers), func(a facts.Answer) bool { return a.NotDest || a.NotSource })
}

// withOtherAlgorithm are the same settings for the algorithm to compare with.
func (o Options) withOtherAlgorithm() Options {
	if o.Algorithm == inference.PDI {
		o.Algorithm = inference.LoopAware
	} else {
		o.Algorithm = inference.PDI
	}
	return o
}
