package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
	"laggard/model"
)

func TestSightings(t *testing.T) {
	node := filepath.Join(t.TempDir(), "node-n1.example.lgd")
	if s, err := ReadObservations(node); err != nil || len(s.Processes) != 0 {
		t.Errorf("nothing was seen: %+v, %v", s, err)
	}
	at := time.Date(2026, 3, 12, 3, 15, 0, 123456789, time.UTC)
	want := &Observations{Processes: []Observation{{Slot: 0, PID: 17}, {Slot: 2, PID: 18, Stopped: at, Gone: at.Add(1)}}}
	for range 2 { // the second time in place of the first
		musttest.Succeed(t, want.Write(node))
	}
	got, err := ReadObservations(node)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if ok, _ := filepath.Match(ObservationFiles, filepath.Base(ObservationsName(node))); !ok {
		t.Errorf("%s is not found by %s", ObservationsName(node), ObservationFiles)
	}
	for _, c := range []struct {
		rank model.Rank
		want *Observation
	}{
		{model.Rank{Slot: 2, PID: 18}, &want.Processes[1]},
		{model.Rank{Slot: 2, PID: 17}, nil}, // the slot is another process's by now
		{model.Rank{Slot: 1, PID: 18}, nil},
	} {
		if diff := cmp.Diff(c.want, got.ForRank(&c.rank)); diff != "" {
			t.Errorf("slot %d, process %d:\n%s", c.rank.Slot, c.rank.PID, diff)
		}
	}
	musttest.Succeed(t, os.WriteFile(ObservationsName(node), []byte(`{"schema_version": 99}`), 0o600))
	if _, err := ReadObservations(node); !errors.Is(err, ErrObservations) {
		t.Errorf("a later version: %v", err)
	}
}

func FuzzParseSightings(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"processes":[{"slot":1,"pid":2,"gone":"2026-03-12T03:15:00.000000001Z"}]}`))
	f.Add([]byte(`{"schema_version":1,"processes":[{"slot":-1,"pid":1e99}]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseObservations(text)
		if (err == nil) != (s != nil) || err != nil && !errors.Is(err, ErrObservations) {
			t.Fatalf("%v, %v", s, err)
		}
		if s != nil {
			s.ForRank(&model.Rank{Slot: 1, PID: 2})
		}
	})
}
