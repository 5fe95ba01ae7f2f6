package judgedtest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func TestCurve(t *testing.T) {
	var cases []Case
	for i := range 10 {
		cases = append(cases, Case{Confidence: 0.9, Right: i > 0}, Case{Confidence: 0.5, Right: i%2 == 0})
	}
	cases = append(cases, Case{Confidence: 0}, Case{Confidence: 1, Right: true})
	var got []string
	for _, b := range Curve(cases) {
		got = append(got, fmt.Sprintf("%.2f %d/%d", b.Said, b.Right, b.Cases))
	}
	if want := "0.00 0/1, 0.50 5/10, 0.90 9/10, 1.00 1/1"; strings.Join(got, ", ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestShare: an interval has the share in it, and narrows with the number of cases.
func TestShare(t *testing.T) {
	last := 1.0
	for _, n := range []int{10, 100, 1000} {
		share, low, high := Bin{Cases: n, Right: 9 * n / 10}.Share()
		if share != 0.9 || low >= share || high <= share || low < 0 || high > 1 || high-low >= last {
			t.Errorf("%d cases: %v in %v to %v, after a width of %v", n, share, low, high, last)
		}
		last = high - low
	}
}

func TestNoteAndRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "judged.jsonl")
	checktest.ErrorIs(t, nil, AppendCase(Case{Source: "nowhere"}))
	t.Setenv(Variable, path)
	want := []Case{{"a", 0.5, true}, {"b", 0.99, false}}
	for _, c := range want {
		musttest.Succeed(t, AppendCase(c))
	}
	got, err := Read(path)
	if err != nil || len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%v %v, want %v", got, err, want)
	}
	musttest.Succeed(t, os.WriteFile(path, []byte("{\n"), 0o600))
	if got, err := Read(path); err == nil {
		t.Errorf("read %v", got)
	}
}

// FuzzJudged: cases that are read make a curve.
func FuzzJudged(f *testing.F) {
	f.Add(`{"confidence": 0.9, "right": true}` + "\n" + `{"confidence": 0.1}`)
	f.Add(`{"confidence": -1}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), "judged.jsonl")
		musttest.Succeed(t, os.WriteFile(path, []byte(text), 0o600))
		if cases, err := Read(path); err == nil {
			Table(Curve(cases))
		}
	})
}
