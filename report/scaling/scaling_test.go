package scaling

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"laggard/analysis/scaling"
	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/model/runfiles"
	"laggard/report"
)

func testFrame(module, function string, offset uint64, line int) recorded.Frame {
	f := recorded.Frame{Module: module, BuildID: module, Offset: offset, Function: function}
	if line > 0 {
		f.File, f.Line = "/home/u/app.c", line
	}
	return f
}

// mpiCallSite is the stack of an MPI call, and below that if inner is given.
func mpiCallSite(name, function string, line int, inner ...recorded.Frame) recorded.Site {
	return recorded.Site{Frames: append(inner, recorded.Frame{Module: "MPI", Function: name},
		testFrame("app", function, uint64(line), line), testFrame("app", "main", 0x900, 90),
		testFrame("libc.so.6", "__libc_start_main", 0x27, 0))}
}

var (
	ring   = mpiCallSite("MPI_Allgather", "gather", 10, testFrame("libmpi.so.40", "allgather_ring", 0x10, 0))
	double = mpiCallSite("MPI_Allgather", "gather", 10, testFrame("libmpi.so.40", "allgather_recursivedoubling", 0x20, 0))
	halo   = mpiCallSite("MPI_Sendrecv", "halo", 20)
	away   = recorded.Site{Frames: halo.Frames, Feature: "distance"}
)

// addRun adds a run in which each rank sends from the given call sites.
func addRun(t *recorded.Table, name string, ranks int, gather recorded.Site, distance float64) {
	for rank := range ranks {
		t.Rows = append(t.Rows, recorded.Observation{Run: name, Rank: rank, Ranks: ranks,
			Controls: map[string]float64{"arg1": 10}, Volume: map[int]float64{
				t.Site(gather): 1000 * float64(ranks-1), t.Site(halo): 500, t.Site(away): distance,
			}})
	}
}

func trainProgram(t *testing.T) *training.Trained {
	t.Helper()
	table := &recorded.Table{}
	for _, ranks := range []int{4, 5, 6, 8, 10, 12} {
		addRun(table, fmt.Sprintf("train-%d", ranks), ranks, ring, 1)
	}
	part := musttest.Get(training.Fit(table, kcca.Options{}, 0, 1))(t)
	m := musttest.Get(training.Assemble(table, kcca.Options{}, part))(t)
	return &training.Trained{Program: training.Program{Path: "/home/u/app"},
		Models: []training.Sourced{{Source: recorded.AtSocket, Model: m}}}
}

func judgeRun(t *testing.T, ranks int, gather recorded.Site, distance float64, crash *recorded.Crash) *Result {
	t.Helper()
	table := &recorded.Table{}
	addRun(table, "run", ranks, gather, distance)
	m := trainProgram(t).Models[0].Model
	c := judge.Circumstances{Library: recorded.InLibrary}
	if crash != nil {
		c.Crash = crash.Stack
	}
	rows := musttest.Get(judge.Judge(m, table))(t)
	v := musttest.Get(judge.Conclude(m, table, rows, c))(t)
	run := report.Run{
		Dir: "/scratch/run7", ID: "00000000000000aa",
		Command: []string{"mpirun", "-np", fmt.Sprint(ranks), "./app", "10"},
	}
	return New(run, &scaling.Result{
		Index:  &runfiles.Index{Size: ranks},
		Answer: judge.Unite([]judge.SourceVerdict{{Source: recorded.AtSocket, Verdict: v}}),
		Seen:   []scaling.Seen{{Source: recorded.AtSocket, Model: m, Table: table}}, Crash: crash,
		Notes: []string{"rank 3: their sends were not recorded"},
	})
}

func testResults(t *testing.T) map[string]*Result {
	crash := &recorded.Crash{Rank: 2, What: "segmentation fault",
		Stack: append([]recorded.Frame{testFrame("app", "queue", 0x77, 7)}, halo.Frames[1:]...)}
	return map[string]*Result{
		"good":      judgeRun(t, 14, ring, 1, nil),
		"path":      judgeRun(t, 14, double, 1, nil),
		"same":      judgeRun(t, 12, ring, 1, nil),
		"far":       judgeRun(t, 300, ring, 1, nil),
		"elsewhere": judgeRun(t, 100, double, 1, nil),
		"neighbour": judgeRun(t, 14, ring, 5, nil),
		"crash":     judgeRun(t, 14, ring, 1, crash),
		"hostile":   hostileResult(t),
	}
}

// hostileResult has names that would break a terminal or a page.
func hostileResult(t *testing.T) *Result {
	bad := mpiCallSite("MPI_Send", "</script><script>alert(1)</script>\x1b[2J", 66, testFrame(`lib"><img src=x>.so`, "", 0x99, 0))
	r := judgeRun(t, 14, bad, 1, nil)
	r.Run.Dir = "</title><b>\x07\u202e"
	r.Run.Command = []string{"\"'><svg onload=alert(1)>"}
	r.Notes = []string{"<i>\x1b]0;x\x07"}
	r.Problems = []string{"<script>"}
	return r
}

func TestHeadline(t *testing.T) {
	crash := &recorded.Crash{Rank: 2}
	half := []judge.SourceVerdict{{Source: recorded.AtMPI, Verdict: &judge.Verdict{Model: judge.ByRegression, Covered: 0.52}}}
	for _, c := range []struct {
		want string
		r    Result
	}{
		{"rank 2 crashed; what it sent until then cannot be judged", Result{Crash: crash}},
		{"rank 2 crashed; up to then it sent what smaller runs predict", Result{Crash: crash, InRange: true}},
		{"all 2 ranks send what smaller runs predict", Result{Ranks: []int{0, 1}, InRange: true}},
		{"all 2 ranks send what smaller runs predict, as far as that goes: they predict 52 % of the bytes",
			Result{Ranks: []int{0, 1}, InRange: true, Source: recorded.AtMPI, Sources: half}},
	} {
		checktest.Equal(t, c.want, Headline(&c.r), "headline")
	}
}

func TestForms(t *testing.T) {
	for name, r := range testResults(t) {
		for form, write := range map[string]func(io.Writer, *Result) error{"text": Text,
			"json": func(w io.Writer, r *Result) error { return report.JSON(w, r) }, "html": HTML} {
			var b bytes.Buffer
			musttest.Succeed(t, write(&b, r))
			golden.Check(t, name+"."+form+".golden", b.Bytes())
		}
	}
	var b bytes.Buffer
	musttest.Succeed(t, Training(&b, "app.model", trainProgram(t), []string{"a file is damaged"}))
	golden.Check(t, "training.text.golden", b.Bytes())
}

// TestPageIsSound: the page is well-formed, has no script, no handler, nothing
// from elsewhere, and no number that is none.
func TestPageIsSound(t *testing.T) {
	for name, r := range testResults(t) {
		var page strings.Builder
		musttest.Succeed(t, HTML(&page, r))
		text := page.String()
		for _, bad := range []string{"<script", "<img", "onload=alert(1)>", "http://", "https://", "NaN", "Inf", "\x1b",
			"\x07"} {
			if strings.Contains(text, bad) {
				t.Errorf("%s: there is %q on the page", name, bad)
			}
		}
		for _, svg := range strings.SplitAfter(text, "</svg>") {
			at := strings.Index(svg, "<svg")
			if at < 0 {
				continue
			}
			d := xml.NewDecoder(strings.NewReader(svg[at:]))
			for {
				if _, err := d.Token(); errors.Is(err, io.EOF) {
					break
				} else if err != nil {
					t.Fatalf("%s: a drawing is not well-formed: %v", name, err)
				}
			}
		}
	}
}

// TestJSONFields: the fields that scripts rely on.
func TestJSONFields(t *testing.T) {
	var b bytes.Buffer
	musttest.Succeed(t, report.JSON(&b, judgeRun(t, 14, double, 1, nil)))
	var got struct {
		Flagged      string `json:"flagged_ranks"`
		Model        string `json:"verdict_model"`
		InRange      bool   `json:"in_range"`
		Correlation  []float64
		Threshold    float64
		Localisation []struct {
			Order      int `json:"rank_order"`
			Training   any `json:"training_site"`
			Production any `json:"production_site"`
			Divergence struct{ Function, File string }
		}
	}
	musttest.Succeed(t, json.Unmarshal(b.Bytes(), &got))
	if got.Flagged != "0-13" || got.Model == "" || !got.InRange || len(got.Correlation) != 14 ||
		len(got.Localisation) == 0 ||
		got.Localisation[0].Order != 1 || got.Localisation[0].Training == nil ||
		got.Localisation[0].Production == nil ||
		got.Localisation[0].Divergence.Function != "allgather_recursivedoubling" {
		t.Errorf("%+v", got)
	}
}
