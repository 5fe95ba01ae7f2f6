//go:build browser

package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"laggard/internal/checktest"
	"laggard/report/reporttest"
)

func openWholeReport(t *testing.T) *tab {
	return openTab(t, writeResultPage(t, reporttest.Complete()), 1280, 900)
}

// TestFirstScreen: without scrolling, the reader knows which rank, where, since
// when, who waits through what, how sure, what is missing and what to do.
func TestFirstScreen(t *testing.T) {
	p := openWholeReport(t)
	p.wantText("h1", "Rank 0 is least progressed, of 64 ranks")
	p.wantText("header", "MPI_Recv", "close_for_write (pio.c:41)", "no progress since 2026-03-12 03:15:02 UTC",
		"ranks 1-39 wait for rank 0, collective", "rank 1 is in MPI_Barrier 12 on MPI_COMM_WORLD",
		"0.97, by evidence", "pdi differs",
		"Lost: rank 62: left no record: it was not recorded, or ended before MPI_Init", "damaged data of rank 17", "on n0412",
		"gdb -p 20817")
	if bottom := evalJS[float64](p, `document.querySelector("header").getBoundingClientRect().bottom`); bottom > 900 {
		t.Errorf("the answer ends at %v, below the first screen", bottom)
	}
	p.wantText("#graph", "no record", "collective", "undefined", "inferred", "p2p, weak")
	p.wantText("#record", "node-n0413.lgd: rank 17", "no record")
}

// TestKinds: each kind of edge is drawn in its own way, and the legend has all.
func TestKinds(t *testing.T) {
	p := openWholeReport(t)
	style := func(kind, property string) string {
		return evalJS[string](p, `getComputedStyle(document.querySelector("#graph .wait path.edge.`+kind+`")).`+property)
	}
	seen := map[string]bool{}
	for _, kind := range []string{"collective", "p2p:not(.weak)", "p2p.weak", "inferred", "undefined"} {
		seen[style(kind, "strokeDasharray")+" "+style(kind, "strokeWidth")] = true
	}
	checktest.Equal(t, 5, len(seen), "ways to draw five kinds of edge", seen)
	if p.countElements("#graph .wait path.undefined[marker-end]") != 0 ||
		p.countElements("#graph .wait path.collective[marker-end]") != 1 {
		t.Error("an arrow head belongs on every edge but an undefined one")
	}
	p.wantText("#graph .legend", "collective", "point-to-point", "inferred", "undefined", "weak", "least progressed")
	if p.countElements("#graph .node.least") != 1 {
		t.Error("the least progressed group is not marked")
	}
}

// TestGroupByMouse goes to a group by its box, by its row, and by a link.
func TestGroupByMouse(t *testing.T) {
	p := openWholeReport(t)
	p.wantText("#group", "Rank 0", "least progressed", "Awaited by", "close_for_write pio.c:41")
	p.click(`.node[data-group="2"]`)
	p.wantText("#group", "16 ranks", "40-55", "exchange (halo.c:120)", "Waits for", "each other",
		"rank 55 is in MPI_Waitall", "p2p, weak")
	p.click("#graph tbody tr:nth-child(5) button")
	p.wantText("#group", "Rank 62", "no record", "lost: rank 62")
	p.click("#graph tbody tr:nth-child(2) button")
	p.wantText("#group", "damaged: rank 17")
	p.click("#group dd button.link")
	if got := p.innerText("#groupname"); strings.HasPrefix(got, "39 ranks") {
		t.Errorf("a link in the group does not lead on: %s", got)
	}
	p.click("#tree li li li button")
	p.wantText("#group", "Rank 0")
}

// TestGroupByKeys goes through the groups without a mouse.
func TestGroupByKeys(t *testing.T) {
	p := openWholeReport(t)
	p.pressKeys("j")
	p.wantText("#groupname", "39 ranks")
	p.wantText("#said", "ranks 1-39: MPI_Barrier checkpoint (pio.c:93)")
	p.pressKeys("k")
	p.pressKeys("k")
	p.wantText("#groupname", "Rank 63")
	p.pressKeys("l")
	p.wantText("#groupname", "Rank 0")
	p.runActions(chromedp.Focus(`.node[data-group="3"]`, chromedp.ByQuery))
	p.pressKeys(kb.Enter)
	p.wantText("#groupname", "6 ranks")
	if p.countElements(`.node[data-group="3"][aria-pressed="true"]`) != 1 {
		t.Error("the box of the group is not shown as chosen")
	}
}

// TestSlices: next adds the slice of the next group, back takes it away, by
// button and by key, and the group goes along.
func TestSlices(t *testing.T) {
	p := openWholeReport(t)
	p.wantText("#step", "1 of 3 slices, 6 lines")
	p.wantText("#source", "MPI_Recv(&f->total, 1", "written = 0")
	if p.countElements("tr.data") != 3 || p.countElements("tr.control") != 1 || p.countElements("tr.call") != 1 ||
		p.countElements("tr.communication") != 1 {
		t.Error("the lines of the first slice are not marked by kind")
	}
	p.click("#next")
	p.wantText("#step", "2 of 3 slices, 8 lines")
	p.wantText("#groupname", "39 ranks")
	if p.countElements("tr.control") != 2 || p.countElements("tr.newest") != 2 {
		t.Error("the second slice is not added, or its lines are not shown as new")
	}
	p.pressKeys("n")
	p.wantText("#step", "3 of 3 slices, 9 lines")
	p.wantText("#stepnotes", "the slice of ranks 40-55 is not complete", "the budget of 10 s ended it")
	p.wantText("#source", "/home/ana/melt/halo.c", "118", "no text")
	if !evalJS[bool](p, `document.querySelector("#next").disabled`) {
		t.Error("there is a next slice behind the last")
	}
	p.pressKeys("n")
	p.wantText("#step", "3 of 3")
	p.pressKeys("b")
	p.click("#back")
	p.wantText("#step", "1 of 3 slices, 6 lines")
	p.wantText("#groupname", "Rank 0")
	p.click("#back")
	p.wantText("#step", "0 of 3 slices, 0 lines")
	if p.countElements("tr.data") != 0 || !evalJS[bool](p, `document.querySelector("#back").disabled`) {
		t.Error("a slice is left")
	}
	if p.countElements("#source tr.frame") == 0 {
		t.Error("the lines of the stack are not marked")
	}
}

// TestFrame: a line of the stack leads to its source.
func TestFrame(t *testing.T) {
	p := openWholeReport(t)
	p.click("#group .stack li:nth-child(2) button")
	p.runActions(chromedp.WaitVisible("tr.found", chromedp.ByQuery))
	p.wantText("tr.found", "88", "close_for_write(f);")
}

// TestFilters mean what those of the command line mean.
func TestFilters(t *testing.T) {
	p := openWholeReport(t)
	p.fillField("#ranks", "1,40-41")
	p.wantText("#filtered", "2 of 6 groups")
	if p.countElements("#graph .node") != 2 || p.countElements("#graph tbody tr") != 2 {
		t.Error("not the groups of the filter are shown")
	}
	p.wantText("#tree", "checkpoint", "exchange")
	p.wantNoText("#tree", "close_for_write", "poll")
	p.wantNoText("#order", "56-61")
	p.wantText("h1", "Rank 0 is least progressed")
	p.wantText("#group", "outside the filter")
	for text, want := range map[string]string{"64": "there is no rank 64, the run has ranks 0-63",
		"3-1": "ends before it starts", "x": "is not a rank"} {
		p.fillField("#ranks", text)
		p.wantText("#filtered", want)
	}
	p.pressKeys(kb.Escape)
	p.pressKeys("x")
	if p.countElements("#graph .node") != 6 || p.innerText("#filtered") != "" {
		t.Error("the filter is not cleared")
	}
	p.fillField("#function", "exchange")
	p.wantText("#filtered", "2 of 6 groups")
	p.click("#clear")
	p.runActions(chromedp.SetValue("#comm", "5f3a", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("#comm").dispatchEvent(new Event("change"))`, nil))
	p.wantText("#filtered", "2 of 6 groups")
	p.fillField("#function", "nowhere")
	p.wantText("#filtered", "0 of 6 groups")
	p.wantText("#tree", "No stack passes the filter")
	p.click("#clear")
	p.pressKeys("/")
	if evalJS[string](p, "document.activeElement.id") != "ranks" {
		t.Error("/ does not go to the filter")
	}
}

// TestCells: the grid tells a rank by mouse and by key, and picks its group.
func TestCells(t *testing.T) {
	p := openWholeReport(t)
	p.runActions(chromedp.ScrollIntoView("#grid canvas", chromedp.ByQuery))
	at := evalJS[[]float64](p, `(() => { const b = document.querySelector("#grid canvas").getBoundingClientRect(); return [b.left, b.top]; })()`)
	p.runActions(chromedp.MouseEvent("mouseMoved", at[0]+17*30+5, at[1]+5))
	p.wantText("#cell", "Rank 17: MPI_Barrier in checkpoint (pio.c:93) (damaged)")
	p.runActions(chromedp.MouseClickXY(at[0]+5*30+5, at[1]+5))
	p.wantText("#groupname", "39 ranks")
	p.runActions(chromedp.Focus("#grid canvas", chromedp.ByQuery))
	p.pressKeys(kb.ArrowLeft)
	p.wantText("#cell", "Rank 4:")
	p.pressKeys(kb.ArrowDown)
	p.wantText("#cell", "Rank 44:")
	p.wantText("#groupname", "16 ranks")
	p.pressKeys(kb.ArrowUp)
	p.pressKeys(kb.ArrowUp)
	p.pressKeys(kb.ArrowRight)
	p.wantText("#cell", "Rank 1:")
	p.wantText("#colors", "rank 0", "ranks 1-39", "lost, damaged")
}

// TestTimeline: a row tells what its ranks did in a column, by mouse and by key.
func TestTimeline(t *testing.T) {
	p := openWholeReport(t)
	p.runActions(chromedp.ScrollIntoView("#timeline canvas[tabindex]", chromedp.ByQuery))
	p.runActions(chromedp.Focus("#timeline div:last-of-type canvas[aria-label='ranks 1-63 over time']", chromedp.ByQuery))
	p.pressKeys(kb.End)
	p.wantText("#timeline .column", "ranks 1-63", "waiting in MPI 100%", "MPI_Barrier at checkpoint (pio.c:93)", "waits for rank 0")
	p.pressKeys(kb.Home)
	p.wantText("#timeline .column", "computing 50%, waiting in MPI 50%")
	const drawn = `(() => { const c = document.querySelector("#timeline canvas[tabindex]");
		return c.getContext("2d").getImageData(c.width / 4, c.height - 2, 1, 1).data[3] })()`
	if alpha := evalJS[int64](p, drawn); alpha != 255 {
		t.Errorf("nothing is drawn where rank 0 computes: alpha %d", alpha)
	}
}

// TestHelp: ? shows the keys, and a number goes to a section.
func TestHelp(t *testing.T) {
	p := openWholeReport(t)
	p.pressKeys("?")
	p.wantText("#help", "next group", "add the next group's slice", "filter by ranks")
	p.pressKeys("j")
	p.wantText("#groupname", "Rank 0")
	p.pressKeys(kb.Escape)
	p.click("#keys")
	p.click("#help button")
	if evalJS[bool](p, `document.querySelector("#help").open`) {
		t.Error("the help stays")
	}
	p.pressKeys("4")
	checktest.Equal(t, "title-grid", evalJS[string](p, "document.activeElement.id"), "4 goes to")
	p.click(`nav a[href="#order"]`)
	checktest.Equal(t, "#order", evalJS[string](p, "location.hash"), "a link of the bar goes to")
}

// TestCopy copies the next command.
func TestCopy(t *testing.T) {
	p := openWholeReport(t)
	p.pressKeys("c")
	p.runActions(chromedp.WaitVisible("#copy", chromedp.ByQuery),
		chromedp.Poll(`document.querySelector("#copy").textContent === "copied"`, nil))
	p.wantText("#said", "copied: gdb -p 20817")
}

// TestAlgorithms stand side by side.
func TestAlgorithms(t *testing.T) {
	p := openWholeReport(t)
	p.wantText("#algorithms", "They name different ranks", "loop-aware", "pdi", "0,63", "0.60, by pdi")
	if p.countElements("#algorithms svg .node.least") != 3 {
		t.Error("each graph marks the ranks that its algorithm names")
	}
	q := openTab(t, writeResultPage(t, reporttest.Deadlock()), 1280, 900)
	if q.countElements("#algorithms") != 0 || q.countElements("#record") != 0 || q.countElements("#source") != 0 {
		t.Error("a section has nothing to show")
	}
	q.wantText("header", "Cycle: 1 -> 2 -> 3", "deadlock: ranks 0-7 wait for each other")
}

// TestNames: whatever can be used has a name for those who cannot see it.
func TestNames(t *testing.T) {
	p := openWholeReport(t)
	nameless := evalJS[[]string](p, `[...document.querySelectorAll("button, input, select, a, canvas, [role=button], svg[role], dialog, nav, section")]
	  .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length || e.getAttribute("aria-labelledby")))
	  .map((e) => e.outerHTML.slice(0, 80))`)
	for _, e := range nameless {
		t.Errorf("it has no name: %s", e)
	}
	if evalJS[string](p, "document.documentElement.lang") != "en" {
		t.Error("the page does not say its language")
	}
}

// TestTextOf: the page says which files it has text of.
func TestTextOf(t *testing.T) {
	p := openWholeReport(t)
	p.click("#textof summary")
	p.wantText("#textof", "The page has source text of ", " lines")
	if p.countElements("#textof li") == 0 {
		t.Error("no file is named")
	}
}
