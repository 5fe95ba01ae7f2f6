package diagnosis

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"laggard/analysis/progress"
	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/report"
	"laggard/symbol"
)

// halo is the program beside the goldens; its source is demo.c of the run halo16 among the test data of the commands.
var halo = &model.Module{BuildID: "44214967f6d239614009543203218949159b1a9a", Path: "/opt/demo/halo"}

// inSettle is a program counter in a function that was inlined twice.
var inSettle = []model.Frame{{Module: halo, Offset: 0x12f5}}

// inExchange is a return address behind MPI_Waitall.
var inExchange = []model.Frame{{Module: halo, Offset: 0x144c}}

// testResolver finds nothing but the program in testdata, on every machine.
func testResolver(t testing.TB) *symbol.Resolver {
	r := symbol.New(symbol.Config{RunDir: "testdata", DebugDirs: []string{}})
	t.Cleanup(r.Close)
	return r
}

var forms = map[string]func(io.Writer, *Result) error{
	"text": Text, "dot": DOT,
	"json": func(w io.Writer, r *Result) error { return report.JSON(w, r) },
}

func writeForm(t testing.TB, form string, r *Result) []byte {
	t.Helper()
	var b bytes.Buffer
	musttest.Succeed(t, forms[form](&b, r))
	return b.Bytes()
}

func TestGolden(t *testing.T) {
	for name, source := range testSources() {
		source.Resolver = testResolver(t)
		r := New(source)
		for form := range forms {
			t.Run(name+"."+form, func(t *testing.T) { golden.Check(t, name+"."+form+".golden", writeForm(t, form, r)) })
		}
	}
}

// TestPrintable: no form has what a terminal would obey, whatever is in a run
// directory.
func TestPrintable(t *testing.T) {
	source := testSources()["hostile"]
	source.Resolver = testResolver(t)
	for form := range forms {
		for _, c := range string(writeForm(t, form, New(source))) {
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
	for _, source := range testSources() {
		source.Resolver = testResolver(t)
		cmd := exec.Command(dot, "-Tplain")
		cmd.Stdin = bytes.NewReader(writeForm(t, "dot", New(source)))
		musttest.Run(t, cmd)
	}
}

// TestQuote reads back what was quoted, by DOT's rules.
func TestQuote(t *testing.T) {
	for _, s := range []string{"", `"`, `\`, `a\"b`, `\N`, "two\nlines", `ends in \`, "<b>no markup</b>",
		"]; x -> y ["} {
		q := quoteDOT(s)
		inner := strings.TrimSuffix(strings.TrimPrefix(q, `"`), `"`)
		if len(inner) != len(q)-2 || strings.Contains(q, "\n") {
			t.Errorf("%q is quoted as %s", s, q)
		}
		checktest.Equal(t, s, unquoteDOT(t, inner), "quoted as", q)
	}
}

// unquoteDOT undoes escapes; an unescaped quote would end the string early.
func unquoteDOT(t *testing.T, s string) string {
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
	for name, source := range testSources() {
		source.Resolver = testResolver(t)
		want := New(source)
		var got Result
		musttest.Succeed(t, json.Unmarshal(writeForm(t, "json", want), &got))
		checktest.Equal(t, want, &got, name)
	}
}

// TestLists: what is a list in JSON is never null.
func TestLists(t *testing.T) {
	empty := New(Source{Run: report.NewRun(&runfiles.Index{}), Result: new(progress.Result), Resolver: testResolver(t)})
	empty.Analysis.Seconds = map[string]float64{}
	empty.Cause = &Cause{}
	empty.LeastProgressed = &LeastProgressed{Ranks: []int{}, Locations: []Location{}}
	if text := string(writeForm(t, "json", empty)); strings.Contains(text, "null") {
		t.Errorf("an empty result has null:\n%s", text)
	}
}

var sometime = time.Date(2026, 3, 12, 3, 15, 2, 0, time.UTC)

func set(ranks ...int) model.RankSet { return model.NewRankSet(ranks...) }

func rankRange(first, last int) model.RankSet {
	var s model.RankSet
	s.AddRange(first, last)
	return s
}

// TestContained: a number inside a container is not advised to be looked for on the host.
func TestContained(t *testing.T) {
	l := Location{Ranks: "3", Rank: 3, Host: "n0017", PID: 12, Contained: true, Alive: true}
	if got := processText(l); got != "process 12 inside its container on n0017" {
		t.Error(got)
	}
	r := &Result{LeastProgressed: &LeastProgressed{Locations: []Location{l}}}
	if n := nextStep(r); n.beforeCommand()+n.Command != "on n0017: inside its container, gdb -p 12" {
		t.Errorf("%+v", n)
	}
	r.Ending, r.Run.Command = true, []string{"mpirun", "./app"} // nobody could type it in time
	if n := nextStep(r); n.Command != "laggard run --record usage -- mpirun ./app" || n.When != "" {
		t.Errorf("%+v", n)
	}
	r.LostRanks, r.LeastProgressed.Locations[0].Alive = []int{3}, false
	if n := nextStep(r); n.Command != "journalctl -k" {
		t.Errorf("%+v", n)
	}
}

// TestFirstScreen: the command to type next is within the first fifteen lines, with all that comes before it.
func TestFirstScreen(t *testing.T) {
	for name, source := range testSources() {
		source.Resolver = testResolver(t)
		r := New(source)
		if len(r.Divergences) > 0 {
			t.Errorf("%s: has no branch that decided, which takes lines, too", name)
		}
		lines := strings.Split(string(writeForm(t, "text", r)), "\n")
		next := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, "Next") })
		if want := nextStep(r).Command != ""; want != (next >= 0) || next >= maxScreen {
			t.Errorf("%s: the next command is in line %d", name, next+1)
		}
	}
}

// TestFirstScreenOfDivergence: so is the line that decided, where ranks diverge.
func TestFirstScreenOfDivergence(t *testing.T) {
	source := manyLeastSource()
	source.Resolver = testResolver(t)
	r := New(source)
	r.Divergences = []Divergence{{Kind: "skipped", Branch: &Branch{Site: report.Site{Function: "step", File: "halo.c", Line: 17}}}}
	var b bytes.Buffer
	text := NewTextReport(&b)
	musttest.Succeed(t, text.Diagnosis(r))
	r.LeastProgressed.Reason = "rank 0 skipped MPI_Barrier"
	musttest.Succeed(t, errors.Join(text.Code(r), text.Details(r)))
	lines := strings.Split(b.String(), "\n")
	decided := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "decided at step (halo.c:17)") })
	if decided < 0 || decided >= maxScreen {
		t.Errorf("the line that decided is in line %d of\n%s", decided+1, b.String())
	}
}
