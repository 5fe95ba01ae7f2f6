package diagnosis

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"laggard/analysis/progress"
	"laggard/internal/golden"
	"laggard/model"
	"laggard/report"
	"laggard/symbol"
)

// halo is the program beside the goldens; its source is demo.c among the test
// programs of the commands.
var halo = &model.Module{BuildID: "44214967f6d239614009543203218949159b1a9a", Path: "/opt/demo/halo"}

// inSettle is a program counter in a function that was inlined twice.
var inSettle = []model.Frame{{Module: halo, Offset: 0x12f5}}

// inExchange is a return address behind MPI_Waitall.
var inExchange = []model.Frame{{Module: halo, Offset: 0x144c}}

// resolver finds nothing but the program in testdata, on every machine.
func resolver(t testing.TB) *symbol.Resolver {
	r := symbol.New(symbol.Config{RunDir: "testdata", DebugDirs: []string{}})
	t.Cleanup(r.Close)
	return r
}

var forms = map[string]func(io.Writer, *Result) error{
	"text": Text, "dot": DOT,
	"json": func(w io.Writer, r *Result) error { return report.JSON(w, r) },
}

func written(t testing.TB, form string, r *Result) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := forms[form](&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, source := range sources() {
		source.Resolver = resolver(t)
		r := New(source)
		for form := range forms {
			t.Run(name+"."+form, func(t *testing.T) { golden.Check(t, name+"."+form+".golden", written(t, form, r)) })
		}
	}
}

// TestPrintable: no form has what a terminal would obey, whatever is in a run
// directory.
func TestPrintable(t *testing.T) {
	source := sources()["hostile"]
	source.Resolver = resolver(t)
	for form := range forms {
		for _, c := range string(written(t, form, New(source))) {
			if c != '\n' && !unicode.IsPrint(c) {
				t.Errorf("%s has the character %U", form, c)
			}
		}
	}
}

// TestDOTParses asks Graphviz.
func TestDOTParses(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("dot (Graphviz) is not installed")
	}
	for name, source := range sources() {
		source.Resolver = resolver(t)
		cmd := exec.Command(dot, "-Tplain")
		cmd.Stdin = bytes.NewReader(written(t, "dot", New(source)))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

// TestQuote reads back what was quoted, by DOT's rules.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", `"`, `\`, `a\"b`, `\N`, "two\nlines", `ends in \`, "<b>no markup</b>",
		"]; x -> y ["} {
		q := quote(s)
		inner := strings.TrimSuffix(strings.TrimPrefix(q, `"`), `"`)
		if len(inner) != len(q)-2 || strings.Contains(q, "\n") {
			t.Errorf("%q is quoted as %s", s, q)
		}
		if got := unquote(t, inner); got != s {
			t.Errorf("%q is quoted as %s, which reads %q", s, q, got)
		}
	}
}

// unquote undoes escapes; an unescaped quote would end the string early.
func unquote(t *testing.T, s string) string {
	t.Helper()
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] == '"':
			t.Errorf("%s ends early", s)
		case s[i] != '\\':
			b.WriteByte(s[i])
		case i+1 == len(s):
			t.Errorf("%s escapes the closing quote", s)
		default:
			i++
			b.WriteString(map[byte]string{'n': "\n", '\\': `\`, '"': `"`}[s[i]])
		}
	}
	return b.String()
}

// TestJSONRoundTrip: a script that knows the types gets back what was written.
func TestJSONRoundTrip(t *testing.T) {
	for name, source := range sources() {
		source.Resolver = resolver(t)
		want := New(source)
		var got Result
		if err := json.Unmarshal(written(t, "json", want), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(want, &got); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestLists: what is a list in JSON is never null.
func TestLists(t *testing.T) {
	empty := New(Source{Run: report.NewRun(&model.Index{}), Result: new(progress.Result), Resolver: resolver(t)})
	empty.Analysis.Seconds = map[string]float64{}
	empty.Cause = &Cause{}
	empty.LeastProgressed = &LeastProgressed{Ranks: []int{}, Locations: []Location{}}
	if text := string(written(t, "json", empty)); strings.Contains(text, "null") {
		t.Errorf("an empty result has null:\n%s", text)
	}
}

var sometime = time.Date(2026, 3, 12, 3, 15, 2, 0, time.UTC)

func set(ranks ...int) model.RankSet { return model.NewRankSet(ranks...) }

func span(first, last int) model.RankSet {
	var s model.RankSet
	s.AddRange(first, last)
	return s
}

// TestContained: a number inside a container is not advised to be looked for on the host.
func TestContained(t *testing.T) {
	l := Location{Ranks: "3", Rank: 3, Host: "n0017", PID: 12, Contained: true}
	if got := process(l); got != "process 12 inside its container on n0017" {
		t.Error(got)
	}
	r := &Result{LeastProgressed: &LeastProgressed{Locations: []Location{l}}}
	if n := nextStep(r); n.before()+n.Command != "on n0017: inside its container, gdb -p 12" {
		t.Errorf("%+v", n)
	}
	r.LostRanks = []int{3}
	if n := nextStep(r); n.Command != "journalctl -k" {
		t.Errorf("%+v", n)
	}
}
