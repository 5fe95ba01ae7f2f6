package scaling

import (
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/musttest"
)

// trainModel makes a model of good runs, as one rank alone does.
func trainModel(t *recorded.Table, o kcca.Options) (*training.Model, error) {
	p, err := training.Fit(t, o, 0, 1)
	if err != nil {
		return nil, err
	}
	return training.Assemble(t, o, p)
}

// judgeRun judges the rows of one run and concludes, as one rank alone does.
func judgeRun(m *training.Model, t *recorded.Table, c judge.Circumstances) (*judge.Verdict, error) {
	j, err := judge.Judge(m, t)
	if err != nil {
		return nil, err
	}
	return judge.Conclude(m, t, j, c)
}

// encodeModel is a model file with one model.
func encodeModel(t testing.TB, m *training.Model) []byte {
	t.Helper()
	data := musttest.Get(training.EncodeTrained(
		&training.Trained{Models: []training.Sourced{{Source: recorded.AtMPI, Model: m}}}))(t)
	return data
}
