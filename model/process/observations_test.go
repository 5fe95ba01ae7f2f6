package process

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

func TestSightings(t *testing.T) {
	node := filepath.Join(t.TempDir(), "node-n1.example.lgd")
	checktest.Equal(t, 0, len(musttest.Get(ReadObservations(node))(t).Processes), "processes that were seen")
	at := time.Date(2026, 3, 12, 3, 15, 0, 123456789, time.UTC)
	want := &Observations{Processes: []Observation{{Slot: 0, PID: 17}, {Slot: 2, PID: 18, Stopped: at, Gone: at.Add(1)}}}
	for range 2 { // the second time in place of the first
		musttest.Succeed(t, want.Write(node))
	}
	got := musttest.Get(ReadObservations(node))(t)
	checktest.Equal(t, want, got)
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
		checktest.Equal(t, c.want, got.ForRank(&c.rank), "slot", c.rank.Slot, "process", c.rank.PID)
	}
	musttest.Succeed(t, os.WriteFile(ObservationsName(node), []byte(`{"schema_version": 99}`), 0o600))
	checktest.Fails(ReadObservations(node))(t, ErrObservations, "a later version")
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
