package sight

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/process"
)

// TestNoted: what the kernel noted tells the order, where it was seen for every process
// that ended and one came first.
func TestNoted(t *testing.T) {
	start := time.Date(2026, 11, 24, 3, 0, 0, 0, time.UTC)
	at := func(ms int) time.Time {
		if ms == 0 {
			return time.Time{}
		}
		return start.Add(time.Duration(ms) * time.Millisecond)
	}
	for _, c := range []struct {
		name        string
		notes, gone []int // ms, by slot; 0: not
		noted       bool
	}{
		{"the notes say it", []int{12, 10, 11}, []int{20, 22, 21}, true},
		{"one has none", []int{12, 10, 0}, []int{20, 22, 21}, false},
		{"two came at once", []int{10, 10, 11}, []int{21, 20, 22}, false},
		{"long before the process ended", []int{12, 10, 11}, []int{20, 5000, 21}, false},
		{"one runs on", []int{12, 10, 11}, []int{20, 0, 21}, true},
		{"none", []int{0, 0, 0}, []int{20, 22, 19}, false},
	} {
		s := &Sight{ranks: map[int]*watchedProcess{}}
		for slot, ms := range c.notes {
			s.ending[slot] = at(ms)
			s.ranks[slot] = &watchedProcess{rank: &model.Rank{Slot: slot}, seen: process.Observation{Gone: at(c.gone[slot])}}
		}
		checktest.Equal(t, c.noted, s.areEndsNoted(), c.name)
	}
}

// TestCutShort: a node file that somebody cuts short while it is watched harms nobody.
func TestCutShort(t *testing.T) {
	node, _ := startRanks(t, 2)
	s := New(filepath.Dir(node))
	s.WriteNow()
	musttest.Succeed(t, os.Truncate(node, 0))
	if open, died := s.readKernelNotes(0); len(open)+len(died) != 0 {
		t.Errorf("notes of a file that is empty: %v, %v", open, died)
	}
	s.close()
}
