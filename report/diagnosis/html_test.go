package diagnosis_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"laggard/internal/checktest"
	"laggard/internal/golden"
	"laggard/internal/musttest"
	"laggard/report/diagnosis"
	"laggard/report/reporttest"
)

func renderHTML(t testing.TB, r *diagnosis.Result) string {
	t.Helper()
	var b bytes.Buffer
	musttest.Succeed(t, diagnosis.HTML(&b, r))
	return b.String()
}

// TestPageIsSmall: 32,768 ranks fit in 2 MB, whatever they do.
func TestPageIsSmall(t *testing.T) {
	for name, r := range map[string]*diagnosis.Result{"large": reporttest.Large(32768),
		"scattered": reporttest.Scattered(32768)} {
		if n := len(renderHTML(t, r)); n >= 2_000_000 {
			t.Errorf("%s: the page has %d bytes", name, n)
		} else {
			t.Log(name, n)
		}
	}
}

var (
	policy = regexp.MustCompile(`http-equiv="Content-Security-Policy" content="([^"]*)"`)
	style  = regexp.MustCompile(`(?s)<style>(.*?)</style>`)
	script = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	parts  = regexp.MustCompile(`(?s)<script type="application/json" id="data">(.*?)</script>`)
)

// TestPolicy: the page allows its own style and script, by hash, and nothing
// else.
func TestPolicy(t *testing.T) {
	page := renderHTML(t, reporttest.Complete())
	hash := func(r *regexp.Regexp) string {
		all := r.FindAllStringSubmatch(page, -1)
		musttest.Equal(t, 1, len(all), "times", r)
		sum := sha256.Sum256([]byte(all[0][1]))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	want := "default-src 'none'; style-src " + hash(style) + "; script-src " + hash(script) +
		"; img-src data:; base-uri 'none'; form-action 'none'"
	checktest.Equal(t, want, policy.FindStringSubmatch(page)[1], "the policy is")
}

// TestPageStandsAlone: nothing in the page names another file or place.
func TestPageStandsAlone(t *testing.T) {
	page := renderHTML(t, reporttest.Complete())
	for _, bad := range []string{"http://", "https://", "//cdn", " src=", "@import", "url(", "innerHTML", "outerHTML",
		"insertAdjacentHTML", "document.write", "eval(", "new Function", "fetch(", "XMLHttpRequest", "WebSocket",
		"sourceMappingURL"} {
		for _, at := range regexp.MustCompile(regexp.QuoteMeta(bad)).FindAllStringIndex(page, -1) {
			around := page[max(0, at[0]-40):min(len(page), at[1]+40)]
			if !strings.Contains(around, "http://www.w3.org/2000/svg") && !strings.Contains(around, "url(#head-") {
				t.Errorf("the page has %q: …%s…", bad, around)
			}
		}
	}
}

// TestHostilePage: what comes from a run directory stays text. It does not end
// the script it stands in, and has no characters that a reader would obey.
func TestHostilePage(t *testing.T) {
	page := renderHTML(t, reporttest.Hostile())
	checktest.Equal(t, 2, strings.Count(page, "<script"), "scripts begin")
	if strings.Contains(page, "<img") {
		t.Error("a text became an image")
	}
	var data any
	musttest.Succeed(t, json.Unmarshal([]byte(parts.FindStringSubmatch(page)[1]), &data))
	eachText(data, func(s string) {
		for _, c := range s {
			if !unicode.IsPrint(c) {
				t.Errorf("%q has the character %U", s, c)
			}
		}
	})
}

func eachText(v any, do func(string)) {
	switch v := v.(type) {
	case string:
		do(v)
	case []any:
		for _, x := range v {
			eachText(x, do)
		}
	case map[string]any:
		for _, x := range v {
			eachText(x, do)
		}
	}
}

// TestPageIsTheSame: the same result gives the same bytes.
func TestPageIsTheSame(t *testing.T) {
	first := renderHTML(t, reporttest.Complete())
	again := reporttest.Complete()
	again.Analysis.Ranks, again.Analysis.Seconds = 7, map[string]float64{"load": 1}
	if renderHTML(t, again) != first {
		t.Error("two analyses of one run give two pages")
	}
}

// TestWholeGolden shows the data of a page that has everything.
func TestWholeGolden(t *testing.T) {
	var got bytes.Buffer
	if err := json.Indent(&got, []byte(parts.FindStringSubmatch(renderHTML(t, reporttest.Complete()))[1]), "",
		"  "); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "whole.page.golden", append(got.Bytes(), '\n'))
}
