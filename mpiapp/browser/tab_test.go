//go:build browser

package browser

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	cdplog "github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"laggard/internal/musttest"
	"laggard/report/diagnosis"
)

var shots = flag.String("shots", "", "leave pictures in this `directory`")

// tab is a page in the browser. Everything that goes wrong in it fails the test.
type tab struct {
	*testing.T
	ctx context.Context
}

// chromiumPath is the browser, "" if there is none.
func chromiumPath() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// browser starts one browser for all tests; each has a tab of its own.
var browser = sync.OnceValues(func() (context.Context, error) {
	options := []chromedp.ExecAllocatorOption{
		chromedp.ExecPath(chromiumPath()), chromedp.Headless, chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.NoFirstRun,
		chromedp.Flag("disable-quic", true), chromedp.Flag("disable-background-networking", true),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("disable-sync", true),
		chromedp.WSURLReadTimeout(2 * time.Minute),
	}
	allocator, free := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator, chromedp.WithErrorf(unknownEvents))
	stop = func() {
		chromedp.Cancel(ctx)
		cancel()
		free()
	}
	return ctx, chromedp.Run(ctx)
})

// unknownEvents leaves out what a browser newer than its driver tells of.
func unknownEvents(format string, args ...any) {
	if !strings.HasPrefix(format, "unhandled ") {
		log.Printf(format, args...)
	}
}

// stop ends the browser, if one was started.
var stop = func() {}

func TestMain(m *testing.M) {
	code := m.Run()
	stop()
	os.Exit(code)
}

// openTab shows an address in a window of that size.
func openTab(t *testing.T, address string, width, height int64, before ...chromedp.Action) *tab {
	t.Helper()
	if chromiumPath() == "" {
		t.Skip("no Chromium here (Debian: chromium)")
	}
	all := musttest.Get(browser())(t)
	ctx, cancel := chromedp.NewContext(all)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 5*time.Minute)
	t.Cleanup(cancel)
	p := &tab{t, ctx}
	failOnErrors(p, address)
	p.runActions(network.Enable(), cdplog.Enable(), emulation.SetDeviceMetricsOverride(width, height, 1, false))
	p.runActions(before...)
	p.runActions(chromedp.Navigate(address), chromedp.WaitReady("#page header", chromedp.ByQuery))
	return p
}

// failOnErrors fails the test for each error, warning and request but the one for the
// page.
func failOnErrors(p *tab, address string) {
	var lock sync.Mutex
	var wrong []string
	chromedp.ListenTarget(p.ctx, func(event any) {
		lock.Lock()
		defer lock.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			wrong = append(wrong, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			wrong = append(wrong, fmt.Sprintf("console.%s", e.Type))
		case *cdplog.EventEntryAdded:
			wrong = append(wrong, fmt.Sprintf("%s: %s", e.Entry.Level, e.Entry.Text))
		case *network.EventRequestWillBeSent:
			if u := e.Request.URL; strings.SplitN(u, "#", 2)[0] != address && !strings.HasPrefix(u, "data:,") {
				wrong = append(wrong, "a request for "+u)
			}
		}
	})
	p.Cleanup(func() {
		lock.Lock()
		defer lock.Unlock()
		for _, w := range wrong {
			p.Error(w)
		}
	})
}

func (p *tab) runActions(actions ...chromedp.Action) {
	p.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.Fatal(err)
	}
}

// writeResultPage writes the page of a result, and returns its address.
func writeResultPage(t *testing.T, r *diagnosis.Result) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	f := musttest.Get(os.Create(name))(t)
	musttest.Succeed(t, diagnosis.HTML(f, r))
	musttest.Succeed(t, f.Close())
	return "file://" + name
}

// innerText is what the reader sees of an element.
func (p *tab) innerText(selector string) string {
	p.Helper()
	var s string
	p.runActions(chromedp.Evaluate(fmt.Sprintf("document.querySelector(%q).innerText", selector), &s))
	return s
}

func (p *tab) wantText(selector string, texts ...string) {
	p.Helper()
	got := p.innerText(selector)
	for _, want := range texts {
		if !strings.Contains(got, want) {
			p.Errorf("%s does not have %q:\n%s", selector, want, got)
		}
	}
}

func (p *tab) wantNoText(selector string, texts ...string) {
	p.Helper()
	got := p.innerText(selector)
	for _, bad := range texts {
		if strings.Contains(got, bad) {
			p.Errorf("%s has %q:\n%s", selector, bad, got)
		}
	}
}

// countElements is how many elements there are.
func (p *tab) countElements(selector string) int {
	p.Helper()
	var n int
	p.runActions(chromedp.Evaluate(fmt.Sprintf("document.querySelectorAll(%q).length", selector), &n))
	return n
}

// evalJS evaluates an expression.
func evalJS[T any](p *tab, expression string) T {
	p.Helper()
	var v T
	p.runActions(chromedp.Evaluate(expression, &v))
	return v
}

func (p *tab) click(selector string) {
	p.Helper()
	p.runActions(chromedp.ScrollIntoView(selector, chromedp.ByQuery), chromedp.Click(selector, chromedp.ByQuery))
}

func (p *tab) pressKeys(keys string) {
	p.Helper()
	p.runActions(chromedp.KeyEvent(keys))
}

// fillField types a text into a field, in the place of what is there.
func (p *tab) fillField(selector, text string) {
	p.Helper()
	p.runActions(chromedp.Focus(selector, chromedp.ByQuery), chromedp.Evaluate("document.activeElement.select()", nil))
	p.pressKeys("\b" + text)
}

// saveScreenshot leaves a picture of the whole page, if pictures are wanted.
func (p *tab) saveScreenshot(name string) {
	p.Helper()
	if *shots == "" {
		return
	}
	var png []byte
	p.runActions(chromedp.FullScreenshot(&png, 100))
	if err := os.WriteFile(filepath.Join(*shots, name+".png"), png, 0o644); err != nil {
		p.Fatal(err)
	}
}
