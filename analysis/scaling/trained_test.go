package scaling

import (
	"errors"
	"testing"

	"laggard/model"
)

func smallTrained(t testing.TB) *Trained {
	m := smallModel(t)
	return &Trained{Program: Program{Path: "/home/u/app", BuildID: "aa"}, Models: []Sourced{{AtMPI, m}, {AtSocket, m}}}
}

func TestTrainedRoundTrip(t *testing.T) {
	want := smallTrained(t)
	data, err := EncodeTrained(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeTrained(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Program != want.Program || len(got.Models) != 2 || got.Models[1].Source != AtSocket {
		t.Errorf("%+v", got)
	}
	sameModel(t, got.Models[0].Model, want.Models[0].Model)
}

func TestDecodeTrainedRefuses(t *testing.T) {
	m := smallModel(t)
	broken := *m
	broken.Past = append([]Past{}, m.Past...)
	broken.Past[0].Volume = nil
	for name, models := range map[string][]Sourced{
		"no model":          nil,
		"no such source":    {{"disk", m}},
		"twice":             {{AtMPI, m}, {AtMPI, m}},
		"out of order":      {{AtSocket, m}, {AtMPI, m}},
		"nothing in it":     {{AtMPI, nil}},
		"a run cut short":   {{AtMPI, &broken}},
		"too many":          {{AtMPI, m}, {AtSocket, m}, {AtSocket, m}},
		"the second broken": {{AtMPI, m}, {AtSocket, &broken}},
	} {
		data, err := EncodeTrained(&Trained{Models: models})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeTrained(data); got != nil || !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzTrained: an error means no model, and a model can be asked.
func FuzzTrained(f *testing.F) {
	data, err := EncodeTrained(smallTrained(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(data[:len(data)/2])
	table := &Table{}
	table.Rows = []Observation{{Run: "r", Ranks: 4, Controls: map[string]float64{}, Volume: map[int]float64{table.Site(ringSite): 10}}}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := DecodeTrained(data)
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
			_, _ = m.Model.Judge(table)
		}
	})
}

func verdictOf(flagged []int, inRange bool, places ...Place) *Verdict {
	return &Verdict{Flagged: model.NewRankSet(flagged...), InRange: inRange, Localisation: places}
}

func TestUnite(t *testing.T) {
	site := func(s Site) *Site { return &s }
	calls := Place{Order: 1, Production: site(haloSite)}
	below := Place{Order: 1, Production: site(ringSite), Training: site(doubleSite)}
	for _, c := range []struct {
		name         string
		mpi, socket  *Verdict
		flagged      string
		speaks       Source
		inRange      bool
		first, count int
	}{
		{"good", verdictOf(nil, true), verdictOf(nil, true), "", AtMPI, true, 0, 0},
		{"the program", verdictOf([]int{1}, true, calls), verdictOf([]int{1, 2}, true, below), "1-2", AtMPI, true, 1, 2},
		{"the library", verdictOf(nil, true), verdictOf([]int{2}, true, below), "2", AtSocket, true, 1, 1},
		{"one out of range", verdictOf(nil, false), verdictOf(nil, true), "", AtSocket, true, 0, 0},
		{"both out of range", verdictOf(nil, false), verdictOf(nil, false), "", AtMPI, false, 0, 0},
		{"the same place", verdictOf([]int{0}, true, calls), verdictOf([]int{0}, true, calls), "0", AtMPI, true, 1, 1},
	} {
		a := Unite([]SourceVerdict{{AtMPI, c.mpi}, {AtSocket, c.socket}})
		if a.Flagged.String() != c.flagged || a.Speaks.Source != c.speaks || a.InRange != c.inRange || len(a.Places) != c.count {
			t.Errorf("%s: flagged %s, %s speaks, in range %v, %d places", c.name, a.Flagged, a.Speaks.Source, a.InRange, len(a.Places))
		}
		for i, p := range a.Places {
			if p.Order != i+1 {
				t.Errorf("%s: place %d has number %d", c.name, i+1, p.Order)
			}
		}
	}
}
