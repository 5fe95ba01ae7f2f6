//go:build calibration

package injector

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"laggard/injector/judgedtest"
	"laggard/internal/musttest"
)

var (
	write          = flag.Bool("write", false, "put the table into docs/results/calibration.md")
	rediagnoseWith = flag.String("again", "",
		"this laggard diagnoses the runs that campaigns kept, instead of what their journals say")
)

// Marks around the table in docs/results/calibration.md.
const (
	tableBegins = "<!-- calibration begins -->\n"
	tableEnds   = "<!-- calibration ends -->\n"
)

// TestCalibration draws how often a diagnosis was right against how sure it said it
// was, from files of judged cases and the journals of campaigns:
//
//	go test -tags calibration ./injector -run Calibration -v -args \
//	  [-write] [-again bin/laggard] judged.jsonl crack/trials.jsonl …
func TestCalibration(t *testing.T) {
	var cases []judgedtest.Case
	for _, path := range flag.Args() {
		some := musttest.Get(readJudged(path))(t)
		cases = append(cases, some...)
	}
	if len(cases) == 0 {
		t.Fatal("no judged case; name files of them behind -args")
	}
	table := judgedtest.Table(judgedtest.Curve(cases))
	t.Logf("%d cases\n%s", len(cases), table)
	if !*write {
		return
	}
	path := filepath.Join("..", "docs", "results", "calibration.md")
	text := musttest.Get(os.ReadFile(path))(t)
	before, rest, begins := strings.Cut(string(text), tableBegins)
	_, after, ends := strings.Cut(rest, tableEnds)
	if !begins || !ends {
		t.Fatalf("%s has no place for the table", path)
	}
	text = []byte(before + tableBegins + table + tableEnds + after)
	musttest.Succeed(t, os.WriteFile(path, text, 0o644))
}

// readJudged reads a file of judged cases, or a campaign's journal, of which the default
// diagnosis counts; trials from before it told its confidence are left out.
func readJudged(path string) ([]judgedtest.Case, error) {
	if filepath.Base(path) != "trials.jsonl" {
		return judgedtest.Read(path)
	}
	records, err := ReadRecords(path)
	if err != nil {
		return nil, err
	}
	var out []judgedtest.Case
	for _, r := range latestRecords(records) {
		if r.Outcome == nil || r.Outcome.Report.State != Injected || r.Trial.Fault.Kind == Slow {
			continue
		}
		d := diagnosisBy(r, "laggard")
		if *rediagnoseWith != "" {
			if d, err = rerunDiagnosis(filepath.Join(filepath.Dir(path), "trials", r.Trial.ID, "run")); err != nil {
				return nil, err
			}
		}
		right, known := isRight(r, d)
		if known && d.Confidence > 0 {
			out = append(out, judgedtest.Case{
				Source: fmt.Sprintf("%s %s", path, r.Trial.ID), Confidence: d.Confidence, Right: right,
			})
		}
	}
	return out, nil
}

func rerunDiagnosis(dir string) (Diagnosis, error) {
	text, err := exec.Command(*rediagnoseWith, "diagnose", "--json", "--no-slice", dir).Output()
	if len(text) == 0 {
		return Diagnosis{}, fmt.Errorf("%s: %w", dir, err)
	}
	return ReadDiagnosis("laggard", text)
}

// isRight reports whether a diagnosis names those it should, if that is known. Of ranks
// that were to part it may name both sides, if it says that it is not sure.
func isRight(r Record, d Diagnosis) (right, known bool) {
	switch {
	case r.Outcome.Truth != nil:
		v := JudgeDivergence(r.Trial.Strike, r.Outcome.Truth, d)
		return v.Ranks || v.Among, true
	case r.Trial.Divergence != nil:
		return false, false
	}
	return Judge(r.Trial.Strike, d).Exact, true
}
