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

// results are what the page is looked at with.
func results() map[string]func() *diagnosis.Result {
	return map[string]func() *diagnosis.Result{
		"whole": reporttest.Whole, "deadlock": reporttest.Deadlock, "hostile": reporttest.Hostile,
		"parted": reporttest.Parted,
		"large":  func() *diagnosis.Result { return reporttest.Large(32768) },
	}
}

func scheme(name string) chromedp.Action {
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
		"desk":   {1280, 900, scheme("light")},
		"dark":   {1280, 900, scheme("dark")},
		"narrow": {390, 844, scheme("light")},
		"print":  {794, 1123, emulation.SetEmulatedMedia().WithMedia("print")},
	}
	for name, result := range results() {
		for look, l := range looks {
			t.Run(name+"/"+look, func(t *testing.T) {
				p := open(t, file(t, result()), l.width, l.height, l.media)
				if w := value[int64](p, "document.documentElement.scrollWidth"); w > l.width {
					p.Errorf("the page is %d wide, the window %d; too wide: %s", w, l.width, value[string](p, tooWide))
				}
				p.shot(fmt.Sprintf("%s-%s", name, look))
			})
		}
	}
}
