package scaling

import (
	"fmt"
	"math"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/regression"
	"laggard/report/words"
)

// Advice says, of a run outside the range, which runs of training would bring it
// inside: first the one that surely does, then what stands in the way of the scaling
// models. It is empty for other runs.
func Advice(r *Result) []string {
	if r.InRange {
		return nil
	}
	out := []string{fmt.Sprintf("train also on a good run of %d ranks with the same arguments: "+
		"rank is then compared with rank, and no law of scale is needed", r.Run.Ranks)}
	for i := range r.Sources {
		for _, w := range r.Sources[i].Verdict.Wanted {
			if w.Share >= shownShare {
				out = append(out, fmt.Sprintf("%s: %.0f %% of the bytes are not predicted: %s",
					sourceNames[r.Sources[i].Source], 100*w.Share, unpredictedReason(w)))
			}
		}
	}
	return out
}

// shownShare is the share of the bytes from which a reason is worth a line.
const shownShare = 0.01

// unpredictedReason says why bytes are not predicted, and what training lacks where more runs of
// other scales may help.
func unpredictedReason(w judge.Wanted) string {
	switch control := words.Printable(w.Control); w.Cause {
	case regression.Far:
		return fmt.Sprintf("training is too far; with %s up to at least %s it may reach them", control,
			atLeast(w.Value))
	case regression.Untried:
		return fmt.Sprintf("such ranks were not trained with %s %g, nor with both less and more", control, w.Value)
	case judge.Switching:
		return "the library chose their way by scale in training, and may choose another one here"
	case judge.Unrepeated:
		return "timing decides which call carries them, and one run of this scale does not show how much; train on two"
	}
	return "training shows no scaling law for them that holds here; runs of more scales may show one"
}

// atLeast writes a bound that is not below the value: a whole number where that is no
// coarser than three digits.
func atLeast(v float64) string {
	if v >= 10 {
		return fmt.Sprintf("%.0f", math.Ceil(v))
	}
	return fmt.Sprintf("%.3g", v)
}
