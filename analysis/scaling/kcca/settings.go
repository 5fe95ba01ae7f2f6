package kcca

import (
	"errors"
	"fmt"

	"laggard/analysis/scaling/recorded"
)

// Errors of this package.
var (
	ErrSettings = errors.New("impossible settings") // see Settings
	ErrNumeric  = errors.New("decomposition did not converge")
)

// Formulation names one of the eigenproblems that go by the name of KCCA.
type Formulation int

// The formulations.
const (
	// Centred is Bach and Jordan's: centred kernels and R = (K + Nγ/2·I)².
	Centred Formulation = iota
	// Kernlab is that of R's kernlab: kernels as they are, R = K² + γK + 10⁻⁶·I.
	Kernlab
	// KernlabCentred is kernlab's R over centred kernels.
	KernlabCentred
)

// WidthRule says from what a kernel width is taken.
type WidthRule int

// The rules.
const (
	MedianDistance WidthRule = iota // the median of ‖xi−xj‖² over pairs of rows
	NormVariance                    // the sample variance of ‖xi‖ (paper, §5.2)
)

// ThresholdRule says from which correlations of the training rows the threshold
// is taken, as mean + 3·sd of 1 − correlation.
type ThresholdRule int

// The rules.
const (
	// HeldOut takes the rows as a model sees them that was trained without
	// them, in five-fold cross validation.
	HeldOut ThresholdRule = iota
	// InSample takes them as the model itself sees them (paper, §5.3). With weak
	// regularisation the model then overfits: it accepts its training rows and rejects
	// all others.
	InSample
)

// Settings are the parameters of KCCA (paper, §5.2 and Table 1).
type Settings struct {
	Formulation Formulation   `json:"formulation"`
	Rule        WidthRule     `json:"width_rule"`
	Threshold   ThresholdRule `json:"threshold_rule"`
	Components  int           `json:"components"` // N_comps, at least 1
	Gamma       float64       `json:"gamma"`      // γ, regularisation, above 0
	// WidthX and WidthY are factors, above 0, on the width that the rule gives.
	WidthX float64 `json:"width_x"`
	WidthY float64 `json:"width_y"`
	// StandardiseX and StandardiseY bring each column to mean 0 and standard
	// deviation 1 before distances are taken. Without it the columns with the
	// most bytes decide.
	StandardiseX bool `json:"standardise_x"`
	StandardiseY bool `json:"standardise_y"`
}

// DefaultSettings held on real runs of two MPI libraries. Cross validation
// leaves them where they do well and else chooses others.
func DefaultSettings() Settings {
	return Settings{Components: 2, Gamma: 0.01, WidthX: 1, WidthY: 1, StandardiseX: true}
}

func (s Settings) validate() error {
	ok := s.Formulation >= Centred && s.Formulation <= KernlabCentred &&
		s.Rule >= MedianDistance && s.Rule <= NormVariance &&
		s.Threshold >= HeldOut && s.Threshold <= InSample &&
		s.Components >= 1 && s.Components <= 1000 &&
		isPositive(s.Gamma) && isPositive(s.WidthX) && isPositive(s.WidthY)
	if !ok {
		return fmt.Errorf("scaling: %+v: %w", s, ErrSettings)
	}
	return nil
}

func isPositive(v float64) bool { return v > 0 && v < recorded.Largest }

// candidateSettings are the settings that cross validation tries, those it prefers
// first.
func candidateSettings() []Settings {
	widths := [][2]float64{{1, 1}, {1, 10}, {0.1, 1}, {1, 100}}
	shapes := []struct {
		components int
		gamma      float64
	}{{2, 0.01}, {2, 0.1}, {4, 0.01}}
	var all []Settings
	for _, w := range widths {
		for _, shape := range shapes {
			s := DefaultSettings()
			s.WidthX, s.WidthY = w[0], w[1]
			s.Components, s.Gamma = shape.components, shape.gamma
			all = append(all, s)
		}
	}
	return all
}

// Options say how to train.
type Options struct {
	// Settings, if given, are used as they are; else cross validation chooses.
	Settings *Settings
	// ExactRows is up to how many rows KCCA decomposes the whole kernel
	// matrices; beyond it uses incomplete Cholesky decompositions. 0 is 400.
	ExactRows int
	// Pivots bounds the columns of these decompositions. 0 is 200.
	Pivots int
}

func (o Options) exactRows() int  { return orElse(o.ExactRows, 400) }
func (o Options) pivotLimit() int { return orElse(o.Pivots, 200) }

func orElse(v, standard int) int {
	if v == 0 {
		return standard
	}
	return v
}

// Validate returns an error that wraps ErrSettings if the options make no sense.
func (o Options) Validate() error {
	if o.ExactRows < 0 || o.Pivots < 0 {
		return fmt.Errorf("scaling: %d exact rows, %d pivots: %w", o.ExactRows, o.Pivots, ErrSettings)
	}
	if o.Settings == nil {
		return nil
	}
	return o.Settings.validate()
}

// Choices lists the settings that cross validation tries.
func (o Options) Choices() []Settings {
	if o.Settings != nil {
		return []Settings{*o.Settings}
	}
	return candidateSettings()
}
