//go:build browser

package browser

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"laggard/report/diagnosis"
	"laggard/report/reporttest"
)

// sampleResults are what the page is looked at with.
func sampleResults() map[string]func() *diagnosis.Result {
	return map[string]func() *diagnosis.Result{
		"whole": reporttest.Complete, "deadlock": reporttest.Deadlock, "hostile": reporttest.Hostile,
		"parted": reporttest.Diverged,
		"large":  func() *diagnosis.Result { return reporttest.Large(32768) },
	}
}

func colourScheme(name string) chromedp.Action {
	return emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme",
		Value: name}})
}

// tooWide names the innermost elements that stick out of the window.
const tooWide = `[...document.querySelectorAll("#page *")]
  .filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && ![...e.children].some((c) => c.getBoundingClientRect().right > innerWidth + 1))
  .map((e) => e.tagName + "." + e.className + "#" + e.id + " in " + e.closest("section, header, .bar, dialog").id).slice(0, 5).join("; ")`

// TestFits: no part of the page is wider than the window, on a desk or in a
// hand, light, dark or printed.
func TestFits(t *testing.T) {
	looks := map[string]struct {
		width, height int64
		media         chromedp.Action
	}{
		"desk":   {1280, 900, colourScheme("light")},
		"dark":   {1280, 900, colourScheme("dark")},
		"narrow": {390, 844, colourScheme("light")},
		"print":  {794, 1123, emulation.SetEmulatedMedia().WithMedia("print")},
	}
	for name, result := range sampleResults() {
		for look, l := range looks {
			t.Run(name+"/"+look, func(t *testing.T) {
				p := openTab(t, writeResultPage(t, result()), l.width, l.height, l.media)
				if w := evalJS[int64](p, "document.documentElement.scrollWidth"); w > l.width {
					p.Errorf("the page is %d wide, the window %d; too wide: %s", w, l.width, evalJS[string](p, tooWide))
				}
				p.saveScreenshot(fmt.Sprintf("%s-%s", name, look))
			})
		}
	}
}
