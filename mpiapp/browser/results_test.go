//go:build browser

package browser

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/report/diagnosis"
	"laggard/report/reporttest"
)

// TestHostile: texts that try to be markup or script are shown as they are.
func TestHostile(t *testing.T) {
	p := openTab(t, writeResultPage(t, reporttest.Hostile()), 1280, 900)
	if title := evalJS[string](p, "document.title"); strings.HasPrefix(title, "owned") {
		t.Fatal("a text of the run directory was run")
	}
	if p.countElements("#page img, #page script, #page iframe") != 0 {
		t.Error("a text became an element")
	}
	p.wantText("header", "<img src=x onerror=")
	p.wantText("#source", "</script><script>")
	for _, key := range []string{"j", "n", "b", "l", "?"} {
		p.pressKeys(key)
	}
}

// TestLarge: 32,768 ranks are shown and filtered while one waits.
func TestLarge(t *testing.T) {
	p := openTab(t, writeResultPage(t, reporttest.Large(32768)), 1280, 900)
	p.wantText("h1", "Rank 10922 is least progressed, of 32768 ranks")
	p.wantText("#undrawn", "10 more groups are listed below and not drawn")
	p.click("#allgroups")
	checktest.Equal(t, 40, p.countElements("#graph tbody tr"), "groups are listed")
	p.click("#alllevels")
	checktest.Equal(t, 40, p.countElements("#order li"), "levels are listed")
	if h := evalJS[float64](p, `document.querySelector("#grid canvas").getBoundingClientRect().height`); h > 600 {
		t.Errorf("the cells are %v high", h)
	}
	p.fillField("#ranks", "10922")
	p.wantText("#filtered", "1 of 40 groups")
	p.click("#clear")
	p.click("#group .facts button.link")
	p.click("#group .set + button")
	p.wantText("#group .set", "32766")
}

// TestScattered: more groups than a page can hold are cut, and that is said.
func TestScattered(t *testing.T) {
	p := openTab(t, writeResultPage(t, reporttest.Scattered(8192)), 1280, 900)
	p.wantText("#undrawn", "970 more groups are listed below and not drawn", "7192 more are in the JSON form")
	p.click("#alllines")
	p.click("#alltree")
	for range 4 {
		p.pressKeys("n")
	}
	p.wantText("#step", "5 of 20 slices")
}

// TestEmpty: a run of which nothing is known says so.
func TestEmpty(t *testing.T) {
	p := openTab(t, writeResultPage(t, &diagnosis.Result{}), 1280, 900)
	p.wantText("h1", "No rank of this run called MPI_Init, or none was recorded")
	p.wantText("header", "laggard doctor PROGRAM")
	p.pressKeys("?")
	p.wantText("#help", "next group")
}

// TestView serves a recorded run; loading again reads it again.
func TestView(t *testing.T) {
	if chromiumPath() == "" {
		t.Skip("no Chromium here (Debian: chromium)")
	}
	dir := t.TempDir()
	program, run := filepath.Join(dir, "laggard"), filepath.Join(dir, "run")
	musttest.Run(t, exec.Command("go", "build", "-o", program, "laggard/mpiapp"))
	musttest.Succeed(t, os.CopyFS(run, os.DirFS("../testdata/runs/halo16")))
	address := startView(t, program, run)
	p := openTab(t, address, 1280, 900)
	p.wantText("h1", "Rank 11 is least progressed, of 16 ranks")
	p.wantText("#source", "MPI_Waitall(4, pending, MPI_STATUSES_IGNORE);", "exchange_borders(line);")
	p.saveScreenshot("halo16-view")
	nodes := musttest.Get(filepath.Glob(filepath.Join(run, "*.lgd")))(t)
	musttest.Equal(t, 1, len(nodes), nodes)
	musttest.Succeed(t, os.Truncate(nodes[0], 200_000))
	p.runActions(chromedp.Reload(), chromedp.WaitReady("#record", chromedp.ByQuery))
	p.wantText("header", "damaged")
}

// startView starts laggard view and returns the address that it prints.
func startView(t *testing.T, program, run string) string {
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, program, "view", run)
	out := musttest.Get(cmd.StdoutPipe())(t)
	musttest.Succeed(t, cmd.Start())
	t.Cleanup(func() {
		cancel()
		cmd.Wait()
	})
	line := musttest.Get(bufio.NewReader(out).ReadString('\n'))(t)
	return strings.TrimSpace(line)
}
