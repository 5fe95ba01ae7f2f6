package movement

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"laggard/report/chart"
	"laggard/report/page"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var style string

var staticPage = page.NewStatic("movement", body, chart.Style+style, pageWords)

// view is what the template is filled from.
type view struct {
	M                  *Result
	Headline, Followed string
	Warning            string       // why what was found may mean little
	Novel              []Novel      // the first kinds that no good run has
	Spread, Distances  *chart.Chart // nil: none; without panels: nothing to draw
	Key                []shareKey
}

type shareKey struct{ Class, Text string }

// maxNovelOnPage bounds the kinds of chains that no good run has: they may be all of another program's.
const maxNovelOnPage = 20

// HTML writes the result as one page that needs nothing but a browser:
// what is suspicious, the chains drawn step by step beside the usual ones, and
// the pictures of the paper, Figures 3 and 6.
func HTML(w io.Writer, m *Result) error {
	novel := m.onlyNovel()
	return staticPage.Write(w, headline(m)+" – "+m.Run.Dir, view{
		M: m, Headline: headline(m), Followed: chainsText(m), Warning: m.warning(),
		Novel:  novel[:min(len(novel), maxNovelOnPage)],
		Spread: spreadPicture(m), Distances: distancePicture(m), Key: shareKeys(m),
	})
}

var pageWords = template.FuncMap{
	"where": func(p *Place) string {
		at := placeOf(p)
		return at[strings.LastIndex(at, " ")+1:]
	},
	"share":      func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
	"count":      func(n uint64, one, many string) string { return words.Count(int(n), one, many) },
	"ranks":      words.Ranks,
	"unreceived": unreceivedText,
	"outlier":    outlierText,
	"examples":   examplesText,
	"context":    contextText,
	"last":       func(c Chain) *Place { return lastDest(c.Operations) },
	"compared":   comparedRows,
}

// comparedRow is a step of the usual chain and of the rare one, side by side.
type comparedRow struct {
	Class       string
	Usual, Rare bool
	Op          Operation
}

func comparedRows(inv Invariant, v Violation) []comparedRow {
	var out []comparedRow
	for _, s := range compareSteps(inv.Chain, v) {
		class := map[byte]string{'-': "lost", '+': "new", ' ': "both"}[s.mark]
		out = append(out, comparedRow{class, s.mark != '+', s.mark != '-', s.op})
	}
	return out
}

// Size of the pictures, in pixels.
const (
	pictureWidth  = 1000
	pictureHeight = 260
	pictureLeft   = 46
	pictureTop    = 10
	pictureBottom = 26
)

// maxColumns bounds the ranks that are drawn one by one; with more, each column
// stands for several, of which it shows the farthest from the mean.
const maxColumns = 480

// plot draws columns over the ranks.
type plot struct {
	chart.Panel
	title string
	ranks []int   // of the columns
	top   float64 // value at the upper edge
}

func newPlot(ranks []int, top float64, title string) *plot {
	p := &plot{title: title, ranks: ranks, top: top}
	p.Left, p.Top = pictureLeft, pictureTop
	p.Width, p.Height = pictureWidth-pictureLeft, pictureHeight-pictureTop
	return p
}

func (p *plot) y(v float64) float64 { return p.Bottom() - v/p.top*p.Height }

// columnSpan is where column i stands.
func (p *plot) columnSpan(i int) (x, width float64) {
	w := p.Width / float64(len(p.ranks))
	return p.Left + float64(i)*w, max(w-min(2, w/5), .5)
}

func (p *plot) addBar(i int, from, to float64, class, text string) {
	x, w := p.columnSpan(i)
	p.Bars = append(p.Bars, chart.Bar{
		X: x, Y: p.y(to), Width: w, Height: max(p.y(from)-p.y(to), 0),
		Class: class, Text: fmt.Sprintf("rank %d: %s", p.ranks[i], text),
	})
}

func (p *plot) addTick(v float64, text string) {
	p.Ticks = append(p.Ticks, chart.Tick{At: p.y(v), Text: text})
}

func (p *plot) addLevel(v float64, class string) {
	p.addTick(v, fmt.Sprintf("%.3f", v))
	p.Levels = append(p.Levels, chart.Level{At: p.y(v), Class: class})
}

// labelledChart is the plot, with the ranks of some columns below it.
func (p *plot) labelledChart() *chart.Chart {
	for i := 0; i < len(p.ranks); i += max(1, (len(p.ranks)+15)/16) {
		x, w := p.columnSpan(i)
		p.Labels = append(p.Labels, chart.Tick{At: x + w/2, Text: fmt.Sprint(p.ranks[i])})
	}
	return &chart.Chart{
		Title: p.title, Width: pictureWidth, Height: pictureHeight + pictureBottom, Panels: []chart.Panel{p.Panel},
	}
}

// columnsOf chooses the ranks that are drawn, by index: all, or of each block
// the one with the greatest distance.
func columnsOf(m *Result) []int {
	n := len(m.Distances.Ranks)
	columns := min(n, maxColumns)
	out := make([]int, columns)
	for i := range out {
		from, to := i*n/columns, (i+1)*n/columns
		out[i] = from
		for k := from; k < to; k++ {
			if m.Distances.DistanceK[k] > m.Distances.DistanceK[out[i]] {
				out[i] = k
			}
		}
	}
	return out
}

func ranksOf(m *Result, columns []int) []int {
	out := make([]int, len(columns))
	for i, k := range columns {
		out[i] = m.Distances.Ranks[k]
	}
	return out
}

func spreadPicture(m *Result) *chart.Chart {
	if len(m.shares) == 0 || len(m.shares[0].share) != len(m.Distances.Ranks) {
		return nil
	}
	columns := columnsOf(m)
	p := newPlot(ranksOf(m, columns), 1, "Share of each kind of chain by rank")
	p.addTick(1, "100 %")
	p.addTick(0, "0")
	for i, k := range columns {
		at := 0.0
		for g, s := range m.shares {
			if s.share[k] > 0 {
				text := fmt.Sprintf("%.1f %% %s", 100*s.share[k], shareText(m, g))
				p.addBar(i, at, at+s.share[k], shareClass(g, len(m.shares)), text)
				at += s.share[k]
			}
		}
	}
	return p.labelledChart()
}

func distancePicture(m *Result) *chart.Chart {
	if len(m.Distances.Ranks) == 0 {
		return nil
	}
	limit, farthest := outlierFactor*m.Distances.Average, slices.Max(m.Distances.DistanceK)
	if farthest == 0 {
		return &chart.Chart{}
	}
	far := map[int]bool{}
	for _, o := range m.Outliers {
		far[o.Rank] = true
	}
	columns := columnsOf(m)
	p := newPlot(ranksOf(m, columns), max(limit, farthest, .01)*1.05, "Distance of each rank to its peers")
	p.addTick(0, "0")
	for i, k := range columns {
		class := "s0"
		if far[m.Distances.Ranks[k]] {
			class = "far"
		}
		p.addBar(i, 0, m.Distances.DistanceK[k], class, fmt.Sprintf("%.4f", m.Distances.DistanceK[k]))
	}
	p.addLevel(m.Distances.Average, "average")
	p.addLevel(limit, "limit")
	return p.labelledChart()
}

// outlierFactor is the paper's K, as package movement has it.
const outlierFactor = 5

func shareClass(g, n int) string {
	if g == n-1 {
		return "rest"
	}
	return fmt.Sprintf("s%d", g)
}

// shareText names a kind of chain in a few words: its operations.
func shareText(m *Result, g int) string {
	if g == len(m.shares)-1 {
		return "other chains"
	}
	var ops []string
	for _, o := range m.shares[g].chain.Operations {
		at := o.At
		if at == nil {
			at = o.Partner
		}
		if at != nil {
			name := cmp.Or(at.Function, at.Call)
			ops = append(ops, o.Kind+" "+name)
		}
	}
	return strings.Join(ops, " → ")
}

func shareKeys(m *Result) []shareKey {
	var out []shareKey
	for g, s := range m.shares {
		if s.mean > 0 {
			text := fmt.Sprintf("%.1f %% %s", 100*s.mean, shareText(m, g))
			out = append(out, shareKey{shareClass(g, len(m.shares)), text})
		}
	}
	return out
}
