//go:build browser

package browser

import (
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/musttest"
)

// TestComparePage: the page of two runs needs no script, fits the window in the light, in the dark and in a hand, and has
// bars in proportion to the numbers beside them.
func TestComparePage(t *testing.T) {
	page := musttest.Get(filepath.Abs("../../report/compare/testdata/all.html"))(t)
	musttest.Get(os.Stat(page))(t)
	for look, c := range map[string]struct {
		width  int64
		scheme string
	}{"desk": {1280, "light"}, "dark": {1280, "dark"}, "narrow": {390, "light"}} {
		t.Run(look, func(t *testing.T) {
			p := openTab(t, "file://"+page, c.width, 900, colourScheme(c.scheme))
			p.wantText("h1", "17 differences")
			p.wantText("#classes", "rank 2", "ranks 0-1,3")
			p.wantText("#shares", "61 %", "20 %", "waiting in the call", "computing after the call")
			if w := evalJS[int64](p, "document.documentElement.scrollWidth"); w > c.width {
				t.Errorf("the page is %d wide, the window %d; too wide: %s", w, c.width, evalJS[string](p, tooWide))
			}
			const share = `(() => { const [bad, good] = [...document.querySelectorAll("#shares figure:first-of-type rect")]
				.map((r) => r.getBoundingClientRect().width); return good / bad })()`
			if ratio := evalJS[float64](p, share); ratio < 0.3 || ratio > 0.35 {
				t.Errorf("20 %% is drawn as %v of 61 %%", ratio)
			}
			p.saveScreenshot("compare-" + look)
		})
	}
}
