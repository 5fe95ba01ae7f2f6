package movement

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"laggard/report/page"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var style string

var pageBody = template.Must(template.New("movement").Funcs(pageWords).Parse(body))

// view is what the template is filled from.
type view struct {
	M                  *Result
	Headline, Followed string
	Spread, Distances  template.HTML // pictures; "" none
	Key                []shareKey
}

type shareKey struct{ Class, Text string }

// HTML writes the result as one page that needs nothing but a browser:
// what is suspicious, the chains drawn step by step beside the usual ones, and
// the pictures of the paper, Figures 3 and 6.
func HTML(w io.Writer, m *Result) error {
	body, err := page.Fill(pageBody, view{
		M: m, Headline: headline(m), Followed: followed(m),
		Spread: spreadPicture(m), Distances: distancePicture(m), Key: shareKeys(m),
	})
	if err != nil {
		return fmt.Errorf("report: movement: %w", err)
	}
	return page.Write(w, page.Content{Title: headline(m) + " – " + m.Run.Dir, Style: style, Body: body})
}

var pageWords = template.FuncMap{
	"where": func(p *Place) string {
		at := placeOf(p)
		return at[strings.LastIndex(at, " ")+1:]
	},
	"share":    func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) },
	"count":    func(n uint64, one, many string) string { return words.Count(int(n), one, many) },
	"context":  contextText,
	"last":     func(c Chain) *Place { return lastDest(c.Operations) },
	"compared": comparedRows,
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

// Size of the pictures, in units of their own.
const (
	pictureWidth  = 1000
	pictureHeight = 260
	pictureLeft   = 46
	pictureBottom = 26
)

// maxColumns bounds the ranks that are drawn one by one; with more, each column
// stands for several, of which it shows the farthest from the mean.
const maxColumns = 480

// plot draws columns over the ranks.
type plot struct {
	strings.Builder
	columns int
	top     float64 // value at the upper edge
}

func newPlot(columns int, top float64, title string) *plot {
	p := &plot{columns: columns, top: top}
	fmt.Fprintf(p, `<svg class="figure" viewBox="0 0 %d %d" role="img" aria-label="%s">`, pictureWidth, pictureHeight+pictureBottom, template.HTMLEscapeString(title))
	return p
}

func (p *plot) y(v float64) float64 { return pictureHeight - v/p.top*(pictureHeight-10) }

func (p *plot) span(i int) (x, width float64) {
	w := float64(pictureWidth-pictureLeft) / float64(p.columns)
	return pictureLeft + float64(i)*w, max(w-min(2, w/5), .5)
}

func (p *plot) bar(i int, from, to float64, class, title string) {
	x, w := p.span(i)
	fmt.Fprintf(p, `<rect x="%.2f" y="%.2f" width="%.2f" height="%.2f" class="%s"><title>%s</title></rect>`,
		x, p.y(to), w, max(p.y(from)-p.y(to), 0), class, template.HTMLEscapeString(title))
}

func (p *plot) level(v float64, class, label string) {
	fmt.Fprintf(p, `<line x1="%d" x2="%d" y1="%.2f" y2="%.2f" class="%s"/><text x="0" y="%.2f">%s</text>`,
		pictureLeft, pictureWidth, p.y(v), p.y(v), class, p.y(v)+4, template.HTMLEscapeString(label))
}

// ranks labels some columns with their ranks.
func (p *plot) ranks(name func(i int) string) {
	step := max(1, (p.columns+15)/16)
	for i := 0; i < p.columns; i += step {
		x, w := p.span(i)
		fmt.Fprintf(p, `<text x="%.2f" y="%d" text-anchor="middle">%s</text>`, x+w/2, pictureHeight+18, template.HTMLEscapeString(name(i)))
	}
}

func (p *plot) done() template.HTML {
	p.WriteString("</svg>")
	return template.HTML(p.String())
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

func spreadPicture(m *Result) template.HTML {
	if len(m.shares) == 0 || len(m.shares[0].share) != len(m.Distances.Ranks) {
		return ""
	}
	columns := columnsOf(m)
	p := newPlot(len(columns), 1, "Share of each kind of chain by rank")
	p.level(1, "axis", "100 %")
	p.level(0, "axis", "0")
	for i, k := range columns {
		at := 0.0
		for g, s := range m.shares {
			if s.share[k] > 0 {
				p.bar(i, at, at+s.share[k], shareClass(g, len(m.shares)), fmt.Sprintf("rank %d: %.1f %% %s", m.Distances.Ranks[k], 100*s.share[k], shareText(m, g)))
				at += s.share[k]
			}
		}
	}
	p.ranks(func(i int) string { return fmt.Sprint(m.Distances.Ranks[columns[i]]) })
	return p.done()
}

func distancePicture(m *Result) template.HTML {
	if len(m.Distances.Ranks) == 0 {
		return ""
	}
	limit := outlierFactor * m.Distances.Average
	top := max(limit, .01)
	for _, d := range m.Distances.DistanceK {
		top = max(top, d)
	}
	if slices.Max(m.Distances.DistanceK) == 0 {
		return "<p>None: all ranks are alike.</p>"
	}
	far := map[int]bool{}
	for _, o := range m.Outliers {
		far[o.Rank] = true
	}
	columns := columnsOf(m)
	p := newPlot(len(columns), top*1.05, "Distance of each rank to its peers")
	p.level(0, "axis", "0")
	for i, k := range columns {
		class := "s0"
		if far[m.Distances.Ranks[k]] {
			class = "far"
		}
		p.bar(i, 0, m.Distances.DistanceK[k], class, fmt.Sprintf("rank %d: %.4f", m.Distances.Ranks[k], m.Distances.DistanceK[k]))
	}
	p.level(m.Distances.Average, "average", fmt.Sprintf("%.3f", m.Distances.Average))
	p.level(limit, "limit", fmt.Sprintf("%.3f", limit))
	p.ranks(func(i int) string { return fmt.Sprint(m.Distances.Ranks[columns[i]]) })
	return p.done()
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
			name := at.Function
			if name == "" {
				name = at.Call
			}
			ops = append(ops, o.Kind+" "+name)
		}
	}
	return strings.Join(ops, " → ")
}

func shareKeys(m *Result) []shareKey {
	var out []shareKey
	for g, s := range m.shares {
		if s.mean > 0 {
			out = append(out, shareKey{shareClass(g, len(m.shares)), fmt.Sprintf("%.1f %% %s", 100*s.mean, shareText(m, g))})
		}
	}
	return out
}
