package scaling

import (
	"errors"
	"testing"

	"laggard/analysis/scaling/file"
	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

func smallTrained(t testing.TB) *training.Trained {
	m := smallModel(t)
	return &training.Trained{Program: training.Program{Path: "/home/u/app", BuildID: "aa"},
		Models: []training.Sourced{{Source: recorded.AtMPI, Model: m}, {Source: recorded.AtSocket, Model: m}}}
}

func TestTrainedRoundTrip(t *testing.T) {
	want := smallTrained(t)
	data := musttest.Get(training.EncodeTrained(want))(t)
	got := musttest.Get(training.DecodeTrained(data))(t)
	if got.Program != want.Program || len(got.Models) != 2 || got.Models[1].Source != recorded.AtSocket {
		t.Errorf("%+v", got)
	}
	sameModel(t, got.Models[0].Model, want.Models[0].Model)
}

func TestDecodeTrainedRefuses(t *testing.T) {
	m := smallModel(t)
	broken := *m
	broken.Past = append([]training.PastRun{}, m.Past...)
	broken.Past[0].Volume = nil
	for name, models := range map[string][]training.Sourced{
		"no model":        nil,
		"no such source":  {{Source: "disk", Model: m}},
		"twice":           {{Source: recorded.AtMPI, Model: m}, {Source: recorded.AtMPI, Model: m}},
		"out of order":    {{Source: recorded.AtSocket, Model: m}, {Source: recorded.AtMPI, Model: m}},
		"nothing in it":   {{Source: recorded.AtMPI, Model: nil}},
		"a run cut short": {{Source: recorded.AtMPI, Model: &broken}},
		"too many": {{Source: recorded.AtMPI, Model: m}, {Source: recorded.AtSocket, Model: m},
			{Source: recorded.AtSocket, Model: m}},
		"the second broken": {{Source: recorded.AtMPI, Model: m}, {Source: recorded.AtSocket, Model: &broken}},
	} {
		data := musttest.Get(training.EncodeTrained(&training.Trained{Models: models}))(t)
		if got, err := training.DecodeTrained(data); got != nil || !errors.Is(err, file.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzTrained: an error means no model, and a model can be asked.
func FuzzTrained(f *testing.F) {
	data := musttest.Get(training.EncodeTrained(smallTrained(f)))(f)
	f.Add(data)
	f.Add(data[:len(data)/2])
	table := &recorded.Table{}
	table.Rows = []recorded.Observation{{Run: "r", Ranks: 4, Controls: map[string]float64{},
		Volume: map[int]float64{table.Site(ringSite): 10}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := training.DecodeTrained(data)
		if err != nil {
			if got != nil {
				t.Fatal("a model with an error")
			}
			return
		}
		for _, m := range got.Models {
			for _, name := range m.Model.Controls {
				table.Rows[0].Controls[name] = 1
			}
			_, _ = judge.Judge(m.Model, table)
		}
	})
}

func verdictOf(flagged []int, inRange bool, places ...judge.Place) *judge.Verdict {
	return &judge.Verdict{Flagged: model.NewRankSet(flagged...), InRange: inRange, Localisation: places}
}

func TestUnite(t *testing.T) {
	site := func(s recorded.Site) *recorded.Site { return &s }
	calls := judge.Place{Order: 1, Production: site(haloSite)}
	below := judge.Place{Order: 1, Production: site(ringSite), Training: site(doubleSite)}
	for _, c := range []struct {
		name         string
		mpi, socket  *judge.Verdict
		flagged      string
		speaks       recorded.Source
		inRange      bool
		first, count int
	}{
		{"good", verdictOf(nil, true), verdictOf(nil, true), "", recorded.AtMPI, true, 0, 0},
		{"the program", verdictOf([]int{1}, true, calls), verdictOf([]int{1, 2}, true, below), "1-2", recorded.AtMPI,
			true, 1, 2},
		{"the library", verdictOf(nil, true), verdictOf([]int{2}, true, below), "2", recorded.AtSocket, true, 1, 1},
		{"one out of range", verdictOf(nil, false), verdictOf(nil, true), "", recorded.AtSocket, true, 0, 0},
		{"both out of range", verdictOf(nil, false), verdictOf(nil, false), "", recorded.AtMPI, false, 0, 0},
		{"the same place", verdictOf([]int{0}, true, calls), verdictOf([]int{0}, true, calls), "0", recorded.AtMPI,
			true, 1, 1},
	} {
		a := judge.Unite([]judge.SourceVerdict{{Source: recorded.AtMPI, Verdict: c.mpi},
			{Source: recorded.AtSocket, Verdict: c.socket}})
		if a.Flagged.String() != c.flagged || a.Leading.Source != c.speaks || a.InRange != c.inRange ||
			len(a.Places) != c.count {
			t.Errorf("%s: flagged %s, %s speaks, in range %v, %d places", c.name, a.Flagged, a.Leading.Source, a.InRange,
				len(a.Places))
		}
		for i, p := range a.Places {
			checktest.Equal(t, i+1, p.Order, c.name, "order")
		}
	}
}
