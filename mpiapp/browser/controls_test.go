//go:build browser

package browser

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"laggard/report/reporttest"
)

func whole(t *testing.T) *tab { return open(t, file(t, reporttest.Whole()), 1280, 900) }

// TestFirstScreen: without scrolling, the reader knows which rank, where, since
// when, who waits through what, how sure, what is missing and what to do.
func TestFirstScreen(t *testing.T) {
	p := whole(t)
	p.has("h1", "Rank 0 is least progressed, of 64 ranks")
	p.has("header", "MPI_Recv", "close_for_write (pio.c:41)", "no progress since 2026-03-12 03:15:02 UTC",
		"ranks 1-39 wait for rank 0, collective", "rank 1 is in MPI_Barrier 12 on MPI_COMM_WORLD",
		"0.97, by evidence", "pdi differs",
		"Lost: rank 62: no record", "damaged data of rank 17", "on n0412", "gdb -p 20817")
	if bottom := value[float64](p, `document.querySelector("header").getBoundingClientRect().bottom`); bottom > 900 {
		t.Errorf("the answer ends at %v, below the first screen", bottom)
	}
	p.has("#graph", "no record", "collective", "undefined", "inferred", "p2p, weak")
	p.has("#record", "node-n0413.lgd: rank 17", "no record")
}

// TestKinds: each kind of edge is drawn in its own way, and the legend has all.
func TestKinds(t *testing.T) {
	p := whole(t)
	style := func(kind, property string) string {
		return value[string](p, `getComputedStyle(document.querySelector("#graph .wait path.edge.`+kind+`")).`+property)
	}
	seen := map[string]bool{}
	for _, kind := range []string{"collective", "p2p:not(.weak)", "p2p.weak", "inferred", "undefined"} {
		seen[style(kind, "strokeDasharray")+" "+style(kind, "strokeWidth")] = true
	}
	if len(seen) != 5 {
		t.Errorf("five kinds of edge are drawn in %d ways: %v", len(seen), seen)
	}
	if p.count("#graph .wait path.undefined[marker-end]") != 0 ||
		p.count("#graph .wait path.collective[marker-end]") != 1 {
		t.Error("an arrow head belongs on every edge but an undefined one")
	}
	p.has("#graph .legend", "collective", "point-to-point", "inferred", "undefined", "weak", "least progressed")
	if p.count("#graph .node.least") != 1 {
		t.Error("the least progressed group is not marked")
	}
}

// TestGroupByMouse goes to a group by its box, by its row, and by a link.
func TestGroupByMouse(t *testing.T) {
	p := whole(t)
	p.has("#group", "Rank 0", "least progressed", "Awaited by", "close_for_write pio.c:41")
	p.click(`.node[data-group="2"]`)
	p.has("#group", "16 ranks", "40-55", "exchange (halo.c:120)", "Waits for", "each other",
		"rank 55 is in MPI_Waitall", "p2p, weak")
	p.click("#graph tbody tr:nth-child(5) button")
	p.has("#group", "Rank 62", "no record", "lost: rank 62")
	p.click("#graph tbody tr:nth-child(2) button")
	p.has("#group", "damaged: rank 17")
	p.click("#group dd button.link")
	if got := p.text("#groupname"); strings.HasPrefix(got, "39 ranks") {
		t.Errorf("a link in the group does not lead on: %s", got)
	}
	p.click("#tree li li li button")
	p.has("#group", "Rank 0")
}

// TestGroupByKeys goes through the groups without a mouse.
func TestGroupByKeys(t *testing.T) {
	p := whole(t)
	p.press("j")
	p.has("#groupname", "39 ranks")
	p.has("#said", "ranks 1-39: MPI_Barrier checkpoint (pio.c:93)")
	p.press("k")
	p.press("k")
	p.has("#groupname", "Rank 63")
	p.press("l")
	p.has("#groupname", "Rank 0")
	p.do(chromedp.Focus(`.node[data-group="3"]`, chromedp.ByQuery))
	p.press(kb.Enter)
	p.has("#groupname", "6 ranks")
	if p.count(`.node[data-group="3"][aria-pressed="true"]`) != 1 {
		t.Error("the box of the group is not shown as chosen")
	}
}

// TestSlices: next adds the slice of the next group, back takes it away, by
// button and by key, and the group goes along.
func TestSlices(t *testing.T) {
	p := whole(t)
	p.has("#step", "1 of 3 slices, 6 lines")
	p.has("#source", "MPI_Recv(&f->total, 1", "written = 0")
	if p.count("tr.data") != 3 || p.count("tr.control") != 1 || p.count("tr.call") != 1 ||
		p.count("tr.communication") != 1 {
		t.Error("the lines of the first slice are not marked by kind")
	}
	p.click("#next")
	p.has("#step", "2 of 3 slices, 8 lines")
	p.has("#groupname", "39 ranks")
	if p.count("tr.control") != 2 || p.count("tr.newest") != 2 {
		t.Error("the second slice is not added, or its lines are not shown as new")
	}
	p.press("n")
	p.has("#step", "3 of 3 slices, 9 lines")
	p.has("#stepnotes", "the slice of ranks 40-55 is not complete", "the budget of 10 s ended it")
	p.has("#source", "/home/ana/melt/halo.c", "118", "no text")
	if !value[bool](p, `document.querySelector("#next").disabled`) {
		t.Error("there is a next slice behind the last")
	}
	p.press("n")
	p.has("#step", "3 of 3")
	p.press("b")
	p.click("#back")
	p.has("#step", "1 of 3 slices, 6 lines")
	p.has("#groupname", "Rank 0")
	p.click("#back")
	p.has("#step", "0 of 3 slices, 0 lines")
	if p.count("tr.data") != 0 || !value[bool](p, `document.querySelector("#back").disabled`) {
		t.Error("a slice is left")
	}
	if p.count("#source tr.frame") == 0 {
		t.Error("the lines of the stack are not marked")
	}
}

// TestFrame: a line of the stack leads to its source.
func TestFrame(t *testing.T) {
	p := whole(t)
	p.click("#group .stack li:nth-child(2) button")
	p.do(chromedp.WaitVisible("tr.found", chromedp.ByQuery))
	p.has("tr.found", "88", "close_for_write(f);")
}

// TestFilters mean what those of the command line mean.
func TestFilters(t *testing.T) {
	p := whole(t)
	p.fill("#ranks", "1,40-41")
	p.has("#filtered", "2 of 6 groups")
	if p.count("#graph .node") != 2 || p.count("#graph tbody tr") != 2 {
		t.Error("not the groups of the filter are shown")
	}
	p.has("#tree", "checkpoint", "exchange")
	p.hasNot("#tree", "close_for_write", "poll")
	p.hasNot("#order", "56-61")
	p.has("h1", "Rank 0 is least progressed")
	p.has("#group", "outside the filter")
	for text, want := range map[string]string{"64": "there is no rank 64, the run has ranks 0-63",
		"3-1": "ends before it starts", "x": "is no rank"} {
		p.fill("#ranks", text)
		p.has("#filtered", want)
	}
	p.press(kb.Escape)
	p.press("x")
	if p.count("#graph .node") != 6 || p.text("#filtered") != "" {
		t.Error("the filter is not cleared")
	}
	p.fill("#function", "exchange")
	p.has("#filtered", "2 of 6 groups")
	p.click("#clear")
	p.do(chromedp.SetValue("#comm", "5f3a", chromedp.ByQuery),
		chromedp.Evaluate(`document.querySelector("#comm").dispatchEvent(new Event("change"))`, nil))
	p.has("#filtered", "2 of 6 groups")
	p.fill("#function", "nowhere")
	p.has("#filtered", "0 of 6 groups")
	p.has("#tree", "No stack passes the filter")
	p.click("#clear")
	p.press("/")
	if value[string](p, "document.activeElement.id") != "ranks" {
		t.Error("/ does not go to the filter")
	}
}

// TestCells: the grid tells a rank by mouse and by key, and picks its group.
func TestCells(t *testing.T) {
	p := whole(t)
	p.do(chromedp.ScrollIntoView("#grid canvas", chromedp.ByQuery))
	at := value[[]float64](p, `(() => { const b = document.querySelector("#grid canvas").getBoundingClientRect(); return [b.left, b.top]; })()`)
	p.do(chromedp.MouseEvent("mouseMoved", at[0]+17*30+5, at[1]+5))
	p.has("#cell", "Rank 17: MPI_Barrier in checkpoint (pio.c:93) (damaged)")
	p.do(chromedp.MouseClickXY(at[0]+5*30+5, at[1]+5))
	p.has("#groupname", "39 ranks")
	p.do(chromedp.Focus("#grid canvas", chromedp.ByQuery))
	p.press(kb.ArrowLeft)
	p.has("#cell", "Rank 4:")
	p.press(kb.ArrowDown)
	p.has("#cell", "Rank 44:")
	p.has("#groupname", "16 ranks")
	p.press(kb.ArrowUp)
	p.press(kb.ArrowUp)
	p.press(kb.ArrowRight)
	p.has("#cell", "Rank 1:")
	p.has("#colors", "rank 0", "ranks 1-39", "lost, damaged")
}

// TestHelp: ? shows the keys, and a number goes to a section.
func TestHelp(t *testing.T) {
	p := whole(t)
	p.press("?")
	p.has("#help", "next group", "add the next group's slice", "filter by ranks")
	p.press("j")
	p.has("#groupname", "Rank 0")
	p.press(kb.Escape)
	p.click("#keys")
	p.click("#help button")
	if value[bool](p, `document.querySelector("#help").open`) {
		t.Error("the help stays")
	}
	p.press("4")
	if got := value[string](p, "document.activeElement.id"); got != "title-grid" {
		t.Errorf("4 goes to %s", got)
	}
	p.click(`nav a[href="#order"]`)
	if got := value[string](p, "location.hash"); got != "#order" {
		t.Errorf("a link of the bar goes to %s", got)
	}
}

// TestCopy copies the next command.
func TestCopy(t *testing.T) {
	p := whole(t)
	p.press("c")
	p.do(chromedp.WaitVisible("#copy", chromedp.ByQuery),
		chromedp.Poll(`document.querySelector("#copy").textContent === "copied"`, nil))
	p.has("#said", "copied: gdb -p 20817")
}

// TestAlgorithms stand side by side.
func TestAlgorithms(t *testing.T) {
	p := whole(t)
	p.has("#algorithms", "They name different ranks", "loop-aware", "pdi", "0,63", "0.60, by pdi")
	if p.count("#algorithms svg .node.least") != 3 {
		t.Error("each graph marks the ranks that its algorithm names")
	}
	q := open(t, file(t, reporttest.Deadlock()), 1280, 900)
	if q.count("#algorithms") != 0 || q.count("#record") != 0 || q.count("#source") != 0 {
		t.Error("a section has nothing to show")
	}
	q.has("header", "Cycle: 1 -> 2 -> 3", "deadlock: ranks 0-7 wait for each other")
}

// TestNames: whatever can be used has a name for those who cannot see it.
func TestNames(t *testing.T) {
	p := whole(t)
	nameless := value[[]string](p, `[...document.querySelectorAll("button, input, select, a, canvas, [role=button], svg[role], dialog, nav, section")]
	  .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.labels?.length || e.getAttribute("aria-labelledby")))
	  .map((e) => e.outerHTML.slice(0, 80))`)
	for _, e := range nameless {
		t.Errorf("it has no name: %s", e)
	}
	if value[string](p, "document.documentElement.lang") != "en" {
		t.Error("the page does not say its language")
	}
}

// TestTextOf: the page says which files it has text of.
func TestTextOf(t *testing.T) {
	p := whole(t)
	p.click("#textof summary")
	p.has("#textof", "The page has source text of ", " lines")
	if p.count("#textof li") == 0 {
		t.Error("no file is named")
	}
}
