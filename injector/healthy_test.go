package injector

import (
	"testing"

	"laggard/internal/checktest"
)

func TestHealth(t *testing.T) {
	trials := HealthyTrials(3)
	records := []Record{
		{Trial: trials[0], Error: "no such file"}, // tried again below
		{Trial: trials[1], Outcome: &Outcome{Hang: true}},
		{Trial: trials[2], Outcome: &Outcome{}},
		{Trial: trials[0], Outcome: &Outcome{}},
		{Trial: Trial{ID: "1-000", Strike: strikeOf(1, User, Fault{Kind: Hang})}, Outcome: &Outcome{Hang: true}},
	}
	want := Health{Runs: 3, Loaded: 1, FalseAlarms: []string{"healthy-001"}}
	checktest.Equal(t, want, NewHealth(records))
	if got := want.String(); got != "healthy runs 3, on a loaded machine 1 of these; called a hang or slower 1 [healthy-001]" {
		t.Error(got)
	}
	if s := NewScore(records); s.Injected != 1 {
		t.Errorf("%d of the records are of faults, want 1", s.Injected)
	}
}
