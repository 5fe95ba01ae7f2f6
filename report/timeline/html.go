package timeline

import (
	_ "embed"
	"fmt"
	"html"
	"html/template"
	"io"
	"path"
	"strings"
	"time"

	"laggard/report"
	"laggard/report/page"
	"laggard/report/words"
)

//go:embed page.html
var body string

//go:embed page.css
var Style string

var pageBody = template.Must(template.New("timeline").Parse(body))

// classes are those of the page's colours, which people who do not see red and green can tell apart.
var classes = map[Doing]string{Computing: "computes", Waiting: "waits", IO: "files", Starved: "starves", Absent: "stopped"}

// Key says what a colour of the drawing means.
type Key struct{ Class, Name string }

// Legend is what the colours mean.
func Legend() (out []Key) {
	for _, d := range doings {
		out = append(out, Key{classes[d.doing], d.name})
	}
	return out
}

type rowView struct{ Ranks, Nodes, Computing, Waiting, IO, Starved, Absent, Place string }

type pageView struct {
	T                       *Timeline
	Title, From, To, Column string
	Legend                  []Key
	Drawing                 template.HTML
	Rows                    []rowView
}

// HTML writes the timeline as one page.
func HTML(w io.Writer, t *Timeline) error {
	v := pageView{
		T: t, Title: "What " + words.Ranks(t.Sampled) + " did over time", From: t.Begin.Format(moment),
		To: t.Time(len(t.Rate)).Format(moment), Column: (time.Duration(t.Seconds) * time.Second).String(), Legend: Legend(),
		Drawing: t.Drawing(),
	}
	for i := range t.Rows {
		v.Rows = append(v.Rows, t.newRowView(&t.Rows[i]))
	}
	text, err := page.Fill(pageBody, v)
	if err != nil {
		return fmt.Errorf("report: timeline: %w", err)
	}
	return page.Write(w, page.Content{Title: v.Title + " – " + t.Run.Dir, Style: Style, Body: text})
}

func (t *Timeline) newRowView(r *Row) rowView {
	percent := func(list []float64) string { return fmt.Sprintf("%.0f %%", 100*r.mean(list)) }
	v := rowView{Ranks: r.Ranks, Nodes: words.Count(len(r.Hosts), "node", "nodes"), Computing: percent(r.Computing),
		Waiting: percent(r.Waiting), IO: percent(r.IO), Starved: percent(r.Starved), Absent: percent(r.Absent)}
	if len(r.Hosts) == 1 {
		v.Nodes = r.Hosts[0]
	}
	counts, most := map[int]int{}, -1
	for _, p := range r.Place {
		if counts[p]++; p >= 0 && (most < 0 || counts[p] > counts[most]) {
			most = p
		}
	}
	if most >= 0 {
		v.Place = placeText(t.Places[most])
	}
	return v
}

func placeText(s report.Site) string {
	if s.File == "" {
		return s.Function
	}
	return fmt.Sprintf("%s %s:%d", s.Function, path.Base(s.File), s.Line)
}

// Sizes of the drawing, in pixels of its own.
const (
	left, width  = 120.0, 1100.0
	rowHeight    = 14.0
	speedHeight  = 60.0
	axisHeight   = 22.0
	right        = 20.0
	timesBelow   = 6
	longestLabel = 18 // letters
)

// Drawing shows the speed and the rows over time, as SVG. What a row does is one path for each kind, so a page with a hundred rows
// stays small. It needs Style.
func (t *Timeline) Drawing() template.HTML {
	columns := len(t.Rate)
	x := func(column float64) float64 { return left + width*column/float64(max(columns, 1)) }
	var b strings.Builder
	height := speedHeight + 10 + rowHeight*float64(len(t.Rows)) + axisHeight
	fmt.Fprintf(&b, `<svg class="over" viewBox="0 0 %g %.0f" role="img" aria-label="What the ranks did over time">`, left+width+right, height)
	t.drawSpeed(&b, x)
	for i := range t.Rows {
		t.drawRow(&b, &t.Rows[i], speedHeight+10+rowHeight*float64(i), x)
	}
	bottom := height - axisHeight
	for i := range timesBelow {
		column := columns * i / (timesBelow - 1)
		anchor := map[int]string{0: "start", timesBelow - 1: "end"}[i]
		if anchor == "" {
			anchor = "middle"
		}
		fmt.Fprintf(&b, `<text class="axis" x="%.1f" y="%.1f" text-anchor="%s">%s</text>`, x(float64(column)), bottom+15, anchor,
			t.Time(column).Format("15:04:05"))
	}
	for _, e := range t.Events {
		column := e.Begin.Sub(t.Begin).Seconds() / float64(t.Seconds)
		if column >= 0 && column <= float64(columns) {
			fmt.Fprintf(&b, `<path class="mark" d="M%.1f 0V%.1f"><title>%s</title></path>`, x(column), bottom, html.EscapeString(e.Text))
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// drawSpeed draws the iterations per second.
func (t *Timeline) drawSpeed(b *strings.Builder, x func(float64) float64) {
	most := 0.0
	for _, r := range t.Rate {
		most = max(most, r)
	}
	if most == 0 {
		return
	}
	fmt.Fprintf(b, `<text x="0" y="12">iterations/s</text><text class="axis" x="0" y="26">at most %.3g</text><path class="edge" d="M%g %gH%g"/>`,
		most, left, speedHeight, left+width)
	b.WriteString(`<path class="speed" d="`)
	known := false
	for i, r := range t.Rate {
		if r == 0 {
			known = false
			continue
		}
		command := byte('L')
		if !known {
			command = 'M'
		}
		known = true
		fmt.Fprintf(b, "%c%.1f %.1f", command, x(float64(i)+0.5), speedHeight-(speedHeight-6)*r/most)
	}
	b.WriteString(`"/>`)
}

// drawRow draws what a row did, a path for each kind.
func (t *Timeline) drawRow(b *strings.Builder, r *Row, y float64, x func(float64) float64) {
	fmt.Fprintf(b, `<text x="0" y="%.1f">%s<title>%s</title></text>`, y+rowHeight-3, html.EscapeString(cutLabel(r.Ranks, longestLabel)),
		html.EscapeString(words.Ranks(r.Ranks)))
	paths := map[Doing]*strings.Builder{}
	for _, s := range r.spells(func(_, _ int) bool { return true }) {
		if paths[s.Doing] == nil {
			paths[s.Doing] = &strings.Builder{}
		}
		from, to := x(float64(s.First)), x(float64(s.Next))
		fmt.Fprintf(paths[s.Doing], "M%.1f %.0fh%.1fv%gh-%.1fz", from, y, to-from, rowHeight-2, to-from)
	}
	for _, d := range doings {
		if p := paths[d.doing]; p != nil {
			fmt.Fprintf(b, `<path class="%s" d="%s"><title>%s: %s</title></path>`, classes[d.doing], p.String(),
				html.EscapeString(words.Ranks(r.Ranks)), d.name)
		}
	}
}
