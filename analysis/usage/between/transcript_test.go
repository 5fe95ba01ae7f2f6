package between_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"laggard/analysis/usage/between"
	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/analysis/usage/usagetest"
)

// TestJudge judges the transcripts of testdata; -rewrite writes what came out.
func TestJudge(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			traces, err := usagetest.Parse(d.Input)
			if err != nil {
				d.Fatalf(t, "%v", err)
			}
			return describe(judge(between.NewEvidence(digestsOf(traces)...)).WorstFirst())
		})
	})
}

func digestsOf(traces []*recorded.Trace) []*between.Digest {
	var out []*between.Digest
	for _, t := range traces {
		out = append(out, digestOf(t))
	}
	return out
}

func digestOf(t *recorded.Trace) *between.Digest {
	d := between.NewDigester(t)
	return d.Finish(replay.Run(t, d))
}

func describe(findings []finding.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s: %s", f.Class, f.Message)
		if c, _ := finding.ClassNamed(f.Class); f.Severity != c.Severity {
			fmt.Fprintf(&b, "; %s", f.Severity)
		}
		if f.Count > 1 {
			fmt.Fprintf(&b, " (%d times)", f.Count)
		}
		fmt.Fprintf(&b, "; ranks %s; %s;", f.Ranks, f.Standard)
		for _, p := range f.Places {
			fmt.Fprintf(&b, " %d %s@%d", p.Rank, p.Call, p.Site.Stack[0].Offset)
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

// judge finds all that ranks show together.
func judge(e *between.Evidence) *finding.Group {
	found, _ := between.Judge(e, func() bool { return false }, func(string) {})
	return found
}
