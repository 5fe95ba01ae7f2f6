package suite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"laggard/internal/musttest"
)

// TestJournals reads transcripts: "rank N" appends lines to a rank's journal, "resume" ends the
// job, "limit" asks so many seconds later, "unranked" says that there are several processes of unknown ranks.
func TestJournals(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := musttest.Get(Create(t.TempDir()))(t)
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "rank":
				f := musttest.Get(os.OpenFile(filepath.Join(s.dir, "rank-"+d.CmdArgs[0].Key+".jsonl"),
					os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600))(t)
				defer f.Close()
				text := d.Input + "\n"
				if d.HasArg("torn") {
					text = d.Input
				}
				fmt.Fprint(f, text)
			case "limit":
				var seconds int
				d.ScanArgs(t, "after", &seconds)
				own, over := s.Limit(time.Now().Add(time.Duration(seconds) * time.Second))
				return fmt.Sprintf("own %v, over %q\n", own, over)
			case "unranked":
				musttest.Succeed(t, os.WriteFile(filepath.Join(s.dir, unranked), nil, 0o600))
			case "freeze":
				s.Freeze()
			case "resume":
				var died []int
				if d.HasArg("died") {
					died = []int{0}
					d.ScanArgs(t, "died", &died[0])
				}
				size := len(s.ranks)
				d.MaybeScanArgs(t, "size", &size)
				parted := s.PartedText(died, size)
				if f := s.Failure(); f != nil && !d.HasArg("ended") {
					parted = fmt.Sprintf("%s\nat %q line %d\n%s", f.Headline, f.File, f.Line, parted)
				}
				lost := musttest.Get(s.PlanResume(!d.HasArg("ended"), died, size, "why "+d.Pos))(t)
				return fmt.Sprintf("lost %q\n%s%s", lost, parted, readPlan(t, s))
			default:
				d.Fatalf(t, "no command %s", d.Cmd)
			}
			return ""
		})
	})
}

// TestUnused: it is said if pytest wrote no journal, or several processes do not know their ranks.
func TestUnused(t *testing.T) {
	s := musttest.Get(Create(t.TempDir()))(t)
	other, pytest := []string{"mpirun", "./a.out"}, []string{"mpirun", "python", "-m", "pytest"}
	if s.Unused(other) != "" || !strings.Contains(s.Unused(pytest), "plug-in") {
		t.Errorf("without journals: %q, %q", s.Unused(other), s.Unused(pytest))
	}
	musttest.Succeed(t, os.WriteFile(filepath.Join(s.dir, "rank-0.jsonl"), []byte("\n"), 0o600))
	if why := s.Unused(pytest); why != "" {
		t.Errorf("with one: %q", why)
	}
	musttest.Succeed(t, os.WriteFile(filepath.Join(s.dir, unranked), nil, 0o600))
	if why := s.Unused(pytest); !strings.Contains(why, "ranks") {
		t.Errorf("of unknown ranks: %q", why)
	}
}

// readPlan is what the next job is told, without times.
func readPlan(t *testing.T, s *Suite) string {
	text, err := os.ReadFile(filepath.Join(s.dir, "resume.json"))
	if err != nil {
		return ""
	}
	var p struct {
		Done []string
		Lost map[string]struct{ Text string }
	}
	musttest.Succeed(t, json.Unmarshal(text, &p))
	out := fmt.Sprintf("done %s\n", strings.Join(p.Done, " "))
	for _, test := range []string{"a", "b", "c", "d"} {
		if _, ok := p.Lost[test]; ok {
			out += fmt.Sprintf("lost before: %s\n", test)
		}
	}
	return out
}

// FuzzJournal: whatever stands in a journal, it is read, and something can be said of it.
func FuzzJournal(f *testing.F) {
	f.Add([]byte(`{"begin": "a", "n": 1, "limit": 3}` + "\n" + `{"end": "a", "failed": "a.py:3: E"}` + "\n"))
	f.Add([]byte(`{"finish": -1, "limit": 1e300}` + "\n" + `{"begin`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s := &Suite{dir: t.TempDir(), ranks: map[int]*journal{}, lost: map[string]LostTest{}}
		for _, rank := range []string{"0", "1"} {
			musttest.Succeed(t, os.WriteFile(filepath.Join(s.dir, "rank-"+rank+".jsonl"), text, 0o600))
			text = text[:len(text)/2]
		}
		s.Limit(time.Now())
		s.PartedText(nil, 3)
		s.Failure()
		musttest.Get(s.PlanResume(true, nil, 3, "why"))(t)
	})
}
