package kcca

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"laggard/analysis/scaling/kcca/kccatest"
	"laggard/internal/musttest"
)

// The files in testdata were computed by an independent implementation;
// C1 agrees with R's kernlab.

func oracleRows(t testing.TB, name string) (x, y [][]float64) {
	t.Helper()
	header, rows := kccatest.Read(t, filepath.Join("testdata", name))
	if header[0] != "rank" || header[3] != "s0" {
		t.Fatalf("%s: header %q", name, header)
	}
	for _, row := range rows {
		x, y = append(x, row[:3]), append(y, row[3:])
	}
	return x, y
}

type oracleConfig struct {
	Params struct {
		NC        int
		G, FX, FY float64
		Center    bool
		Reg, Tau  string
	}
	TauX    float64 `json:"tau_x"`
	TauY    float64 `json:"tau_y"`
	Rho     []float64
	RhoAll  []float64 `json:"rho_all10"`
	Thr     float64
	BugFlag float64 `json:"bug_flag"`
	OKFlag  float64 `json:"ok_flag"`
}

func oracleConfigs(t *testing.T) map[string]oracleConfig {
	t.Helper()
	data := musttest.Get(os.ReadFile("testdata/expected.json"))(t)
	var all map[string]oracleConfig
	musttest.Succeed(t, json.Unmarshal(data, &all))
	return all
}

func (c oracleConfig) toSettings(t *testing.T) Settings {
	t.Helper()
	s := Settings{
		Components: c.Params.NC, Gamma: c.Params.G, WidthX: c.Params.FX, WidthY: c.Params.FY,
		StandardiseX: true, StandardiseY: true, Threshold: InSample,
	}
	switch {
	case c.Params.Reg == "kernlab" && c.Params.Center:
		s.Formulation = KernlabCentred
	case c.Params.Reg == "kernlab":
		s.Formulation = Kernlab
	case c.Params.Reg != "bj":
		t.Fatalf("regularisation %q", c.Params.Reg)
	}
	if c.Params.Tau == "varnorm" {
		s.Rule = NormVariance
	}
	return s
}

const oracleDigits = 1e-6

func TestKnownAnswers(t *testing.T) {
	x, y := oracleRows(t, "train.tsv")
	for name, want := range oracleConfigs(t) {
		t.Run(name, func(t *testing.T) {
			s := want.toSettings(t)
			m := musttest.Get(Fit(x, y, s, Trial{}, Options{}))(t)
			checkNear(t, "width of X", m.Control.Tau, want.TauX)
			checkNear(t, "width of Y", m.Behave.Tau, want.TauY)
			checkNear(t, "threshold", m.Threshold, want.Thr)
			if floats.Distance(m.Rho, want.Rho, math.Inf(1)) > oracleDigits {
				t.Errorf("correlations %v, want %v", m.Rho, want.Rho)
			}
			s.Components = len(want.RhoAll)
			all := musttest.Get(Fit(x, y, s, Trial{}, Options{}))(t)
			if floats.Distance(all.Rho, want.RhoAll, math.Inf(1)) > oracleDigits {
				t.Errorf("correlations %v, want %v", all.Rho, want.RhoAll)
			}
			checkNear(t, "share flagged of the faulty run", oracleFlags(t, m, "test_bug16.tsv"), want.BugFlag)
			checkNear(t, "share flagged of the good run", oracleFlags(t, m, "test_ok16.tsv"), want.OKFlag)
		})
	}
}

func checkNear(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > oracleDigits*max(1, math.Abs(want)) {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

func oracleFlags(t *testing.T, m *Model, name string) float64 {
	t.Helper()
	x, y := oracleRows(t, name)
	return countAbove(m.deviations(x, y), m.Threshold) / float64(len(x))
}

// TestKnownProjections compares, row by row, the cosine and the size of each
// component.
func TestKnownProjections(t *testing.T) {
	configs := oracleConfigs(t)
	x, y := oracleRows(t, "train.tsv")
	files := musttest.Get(filepath.Glob("testdata/exp_*.tsv"))(t)
	musttest.Equal(t, 9, len(files), "files")
	for _, file := range files {
		base := filepath.Base(file)
		name := strings.TrimPrefix(base, "exp_")
		at := strings.LastIndex(name, "_")
		config, set := name[:at], strings.TrimSuffix(name[at+1:], ".tsv")
		t.Run(config+"/"+set, func(t *testing.T) {
			m := musttest.Get(Fit(x, y, configs[config].toSettings(t), Trial{}, Options{}))(t)
			input := map[string]string{"train": "train.tsv", "bug16": "test_bug16.tsv", "ok16": "test_ok16.tsv"}[set]
			compareProjections(t, m, input, base)
		})
	}
}

func compareProjections(t *testing.T, m *Model, input, expected string) {
	t.Helper()
	x, y := oracleRows(t, input)
	_, want := kccatest.Read(t, filepath.Join("testdata", expected))
	musttest.Equal(t, len(x), len(want), "rows")
	for i := range x {
		checkNear(t, fmt.Sprintf("row %d: cosine", i), m.Correlation(x[i], y[i], 0), want[i][2])
		f, g := m.Control.apply(m.ScaleX.scaleRow(x[i]), 0), m.Behave.apply(m.ScaleY.scaleRow(y[i]), 0)
		for c := range f {
			checkNear(t, fmt.Sprintf("row %d: f%d", i, c), math.Abs(f[c]), want[i][3+2*c])
			checkNear(t, fmt.Sprintf("row %d: g%d", i, c), math.Abs(g[c]), want[i][4+2*c])
		}
	}
}
