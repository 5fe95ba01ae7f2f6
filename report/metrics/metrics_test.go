package metrics

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	pmodel "github.com/prometheus/common/model"

	"laggard/analysis/slowness"
	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/report"
)

func written(t *testing.T) []byte {
	t.Helper()
	shares := slowness.Shares{Computing: 0.5, Waiting: 0.4, IO: 0.1, Starved: 0.2}
	s := State{Hung: false, Running: true, Quiet: 3 * time.Second, Now: time.Unix(1_800_000_000, 0), Result: &slowness.Result{
		Size: 4, Sampled: model.NewRankSet(0, 1), Rate: slowness.Rate{Now: 0.62, Before: 0.98},
		Ranks:  []slowness.RankSpeed{{Rank: 0, Now: shares}, {Rank: 1, Now: shares}},
		Events: []slowness.Event{{Kind: slowness.Slowdown, Cause: slowness.RankComputes, Ranks: model.NewRankSet(1), Confidence: 0.9}},
	}}
	var b bytes.Buffer
	musttest.Succeed(t, Write(&b, report.Run{Job: `slurm "17"`, ID: "feed"}, s))
	return b.Bytes()
}

// A slowdown lasts until an event says that it does not.
func TestSlowdown(t *testing.T) {
	for _, kind := range []slowness.EventKind{slowness.Recovery, slowness.Settled, slowness.OtherLoop} {
		events := []slowness.Event{{Kind: slowness.Slowdown, Cause: slowness.RankComputes, Confidence: 0.9}, {Kind: kind}}
		checktest.Equal(t, true, slowdown(State{Result: &slowness.Result{Events: events[:1]}}) != nil, kind)
		checktest.Equal(t, true, slowdown(State{Result: &slowness.Result{Events: events}}) == nil, kind)
	}
}

func TestWrite(t *testing.T) { golden.Check(t, "metrics.golden", written(t)) }

// The text has the form that Prometheus reads, line by line, and promtool accepts it where it is installed.
func TestForm(t *testing.T) {
	line := regexp.MustCompile(`^(# EOF|# HELP [a-z_]+ .+\.|# TYPE [a-z_]+ gauge|[a-z_]+\{job_id="([^"\\]|\\.)*",run="[0-9a-f]*"\} [0-9.e+-]+)$`)
	for text := range strings.Lines(string(written(t))) {
		if !line.MatchString(strings.TrimSuffix(text, "\n")) {
			t.Errorf("%q", text)
		}
	}
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		return
	}
	c := exec.Command(promtool, "check", "metrics")
	c.Stdin = bytes.NewReader(written(t))
	musttest.Run(t, c)
}

// Every metric of the dashboard exists, and it shows most of them.
func TestDashboard(t *testing.T) {
	text := musttest.Get(os.ReadFile("../../configs/grafana/laggard.json"))(t)
	if !json.Valid(text) {
		t.Fatal("the dashboard is no JSON")
	}
	used := regexp.MustCompile(`laggard_[a-z_]+`).FindAllString(string(text), -1)
	for _, name := range used {
		if !slices.ContainsFunc(all, func(m metric) bool { return m.name == name }) {
			t.Errorf("no metric %s", name)
		}
	}
	slices.Sort(used)
	if n := len(slices.Compact(used)); n < 8 {
		t.Errorf("%d metrics are shown", n)
	}
}

// The parser that node_exporter has reads the text, with the labels as they were.
func TestParsed(t *testing.T) {
	parser := expfmt.NewTextParser(pmodel.LegacyValidation)
	families := musttest.Get(parser.TextToMetricFamilies(bytes.NewReader(written(t))))(t)
	checktest.Equal(t, len(all), len(families), "metrics")
	for name, f := range families {
		m := f.GetMetric()
		if len(m) != 1 || f.GetHelp() == "" || m[0].GetGauge() == nil {
			t.Fatalf("%s: %v", name, f)
		}
		if job := m[0].GetLabel()[0]; job.GetName() != "job_id" || job.GetValue() != `slurm "17"` {
			t.Errorf("%s: label %v", name, job)
		}
	}
}
