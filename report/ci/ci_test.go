package ci

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/report/usage"
)

// testOutcomes are tests that passed, hung, failed and use MPI wrongly, with names and texts that
// the forms must keep apart from their own.
func testOutcomes() map[string]*Outcome {
	began := time.Date(2026, 3, 12, 2, 15, 1, 0, time.UTC)
	base := Outcome{
		Name: "halo, 4: <ranks>", Command: []string{"mpirun", "-n", "4", "./halo", "a b"}, Began: began,
		Took: 1500 * time.Millisecond, Version: "1.2.3", Dir: "/src/app",
	}
	hangs := base
	hangs.Hung, hangs.Status, hangs.RunDir = true, 124, "/src/app/laggard-1"
	hangs.Text = "Rank 3 is least progressed\n```\n\x1b[2J"
	here := report.Site{Function: "write_rows", File: "/src/app/io/rows.c", Line: 21}
	hangs.Result = &diagnosis.Result{
		Ranks: 4, Hang: true,
		LeastProgressed: &diagnosis.LeastProgressed{
			Ranks: []int{3}, Set: "3", Confidence: 0.9, Reason: "rank 3 skipped MPI_Allreduce, 100 %, which\nothers made",
			Locations: []diagnosis.Location{{Rank: 3, Ranks: "3", Site: here}, {Rank: 3, Ranks: "3", Site: here}},
		},
		Cause:  &diagnosis.Cause{Kind: "skipped", Ranks: "3"},
		Groups: []diagnosis.Group{{}},
		Divergences: []diagnosis.Divergence{{Branch: &diagnosis.Branch{
			Site: report.Site{Function: "main", File: "/elsewhere/main file.c", Line: 44}, Text: "if (n > 0)",
		}}},
	}
	waits := hangs
	waits.Result = &diagnosis.Result{
		Ranks: 3, Hang: true,
		LeastProgressed: &diagnosis.LeastProgressed{
			Ranks: []int{0, 1}, Set: "0-1", Confidence: 0.99, Reason: "deadlock: ranks 0-1 wait for each other",
			Locations: []diagnosis.Location{
				{Rank: 0, Ranks: "0", Site: here}, {Rank: 1, Ranks: "1", Site: report.Site{Function: "main", File: "/src/app/halo.c", Line: 24}},
			},
		},
		Unsent: []diagnosis.Unsent{{Rank: 1, From: 0, Tag: 7, Communicator: "MPI_COMM_WORLD", Unreceived: []diagnosis.Unreceived{{
			To: 1, Tag: 2, Communicator: "MPI_COMM_WORLD", Count: 1,
			SentBy: &diagnosis.MadeCall{Site: report.Site{Function: "main", File: "/src/app/halo.c", Line: 20}},
		}}}},
		Cause:  &diagnosis.Cause{Kind: "deadlock", Ranks: "0-1"},
		Groups: []diagnosis.Group{{}},
	}
	parted := waits
	parted.Failure = &Failure{
		Text:  "rank 2 failed in t.py::field (/src/app/t.py:15: assert 0.0 == 1.73), and continued with t.py::b; still in it: ranks 0-1",
		Place: Place{"/src/app/t.py", 15},
	}
	fails := base
	fails.Name, fails.Status, fails.Text = "", 3, "no place is known"
	wrong := base
	wrong.Usage = &usage.Result{Findings: []usage.Finding{{
		Class: "leak_request", Severity: "warning", Ranks: "0-3", Message: "a request is never completed",
		Locations: []usage.Location{{}, {Site: report.Site{File: "/src/app/halo.c", Line: 7}}},
	}}}
	provoked := fails
	provoked.Choices = &Choices{Text: "Fails in 3 of 3 runs when the send is not buffered; in 0 of 3 runs otherwise.",
		Places: []Place{{"/src/app/exchange.c", 88}}}
	return map[string]*Outcome{"passed": &base, "hangs": &hangs, "fails": &fails, "wrong": &wrong, "waits": &waits, "parted": &parted,
		"provoked": &provoked}
}

// TestForms compares what is written with the files in testdata; -update writes them.
func TestForms(t *testing.T) {
	for name, o := range testOutcomes() {
		for form, write := range map[string]func(io.Writer, *Outcome) error{
			"junit.xml": asSuite(JUnit), "sarif.json": asSuite(SARIF), "quality.json": asSuite(CodeQuality),
			"github.txt": GitHub, "summary.md": Summary,
		} {
			var b bytes.Buffer
			musttest.Succeed(t, write(&b, o))
			golden.Check(t, name+"."+form, b.Bytes())
			switch filepath.Ext(form) {
			case ".json":
				if !json.Valid(b.Bytes()) {
					t.Errorf("%s %s is no JSON", name, form)
				}
			case ".xml":
				checktest.ErrorIs(t, nil, xml.Unmarshal(b.Bytes(), new(junitSuites)), name, form)
			}
		}
	}
}

// asSuite is a form for one outcome.
func asSuite(write func(io.Writer, []*Outcome) error) func(io.Writer, *Outcome) error {
	return func(w io.Writer, o *Outcome) error { return write(w, []*Outcome{o}) }
}

// TestSourceTree: files are named from the top of the source tree, wherever below it the test runs.
func TestSourceTree(t *testing.T) {
	top := musttest.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	musttest.Succeed(t, os.MkdirAll(filepath.Join(top, "tests", "parallel"), 0o700))
	t.Chdir(filepath.Join(top, "tests", "parallel"))
	t.Setenv("GITHUB_WORKSPACE", "")
	t.Setenv("CI_PROJECT_DIR", "")
	named := func() string {
		o := Outcome{Dir: SourceTree()}
		return o.relativePath(filepath.Join(top, "tests", "parallel", "hang.c"))
	}
	checktest.Equal(t, "hang.c", named(), "no source tree")
	musttest.Succeed(t, os.Mkdir(filepath.Join(top, "tests", ".git"), 0o700))
	checktest.Equal(t, "parallel/hang.c", named(), "Git")
	t.Setenv("CI_PROJECT_DIR", top)
	checktest.Equal(t, "tests/parallel/hang.c", named(), "GitLab")
	t.Setenv("GITHUB_WORKSPACE", filepath.Join(top, "tests"))
	checktest.Equal(t, "parallel/hang.c", named(), "GitHub")
}

// TestSuite: several outcomes come into one file of each form.
func TestSuite(t *testing.T) {
	o := testOutcomes()
	for form, write := range map[string]func(io.Writer, []*Outcome) error{
		"junit.xml": JUnit, "sarif.json": SARIF, "quality.json": CodeQuality,
	} {
		var b bytes.Buffer
		musttest.Succeed(t, write(&b, []*Outcome{o["hangs"], o["wrong"]}))
		golden.Check(t, "suite."+form, b.Bytes())
	}
}

// TestSize: the size of what the launcher started is not known where processes were spawned.
func TestSize(t *testing.T) {
	o := testOutcomes()["hangs"]
	checktest.Equal(t, 4, o.Size())
	o.Result.Spawned = []diagnosis.Spawned{{Ranks: "2-3"}}
	checktest.Equal(t, 0, o.Size())
	checktest.Equal(t, 0, (&Outcome{}).Size())
}

// TestFingerprint: the same finding has the same fingerprint in the next run, another not.
func TestFingerprint(t *testing.T) {
	prints := func(change func(*Outcome)) string {
		o := testOutcomes()["hangs"]
		change(o)
		var b bytes.Buffer
		musttest.Succeed(t, CodeQuality(&b, []*Outcome{o}))
		var list []issue
		musttest.Succeed(t, json.Unmarshal(b.Bytes(), &list))
		var out []string
		for _, i := range list {
			out = append(out, i.Fingerprint)
		}
		return strings.Join(out, " ")
	}
	same := prints(func(o *Outcome) {})
	checktest.Equal(t, same, prints(func(o *Outcome) { o.Took, o.Result.LeastProgressed.Confidence = 0, 0.5 }), "then")
	if other := prints(func(o *Outcome) { o.Result.Divergences[0].Branch.Line = 22 }); other == same {
		t.Errorf("%s for another line, too", same)
	}
}
