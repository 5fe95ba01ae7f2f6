package main

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// panel is one diagram: seconds of each phase against a number, both axes
// logarithmic.
type panel struct {
	title, axis string
	points      []point
}

const (
	width, height             = 460, 340
	left, right, top, bottom  = 64, 96, 40, 48
	leastSeconds, mostSeconds = 1e-3, 1e2
	plotWidth, plotHeight     = width - left - right, height - top - bottom
)

// colours of the phases, to be told apart also without seeing red and green.
var colours = []string{"#0072b2", "#e69f00", "#009e73", "#cc79a7", "#000000"}

// picture draws the panels side by side.
func picture(panels []panel) string {
	out := &strings.Builder{}
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="11">`+"\n", width*len(panels), height)
	fmt.Fprintln(out, `<rect width="100%" height="100%" fill="white"/>`)
	for i, p := range panels {
		fmt.Fprintf(out, `<g transform="translate(%d,0)">`+"\n", i*width)
		p.draw(out)
		fmt.Fprintln(out, "</g>")
	}
	fmt.Fprintln(out, "</svg>")
	return out.String()
}

func (p panel) draw(out *strings.Builder) {
	text(out, left, top-18, "start", p.title)
	text(out, left+plotWidth/2, height-10, "middle", p.axis)
	text(out, 8, top-18, "start", "seconds")
	for s := leastSeconds; s <= mostSeconds*1.01; s *= 10 {
		fmt.Fprintf(out, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/>`+"\n", left, left+plotWidth, y(s), y(s))
		text(out, left-6, y(s)+4, "end", fmt.Sprintf("%g", s))
	}
	for _, q := range p.points {
		fmt.Fprintf(out, `<line x1="%.1f" x2="%.1f" y1="%d" y2="%d" stroke="#eee"/>`+"\n", p.x(q.x), p.x(q.x), top, top+plotHeight)
		text(out, p.x(q.x), top+plotHeight+16, "middle", fmt.Sprint(q.x))
	}
	for i, phase := range phases {
		p.line(out, phase, colours[i])
	}
}

// line draws one phase, with its name at the end.
func (p panel) line(out *strings.Builder, phase, colour string) {
	var corners []string
	var last float64
	for _, q := range p.points {
		last = y(q.seconds[phase])
		corners = append(corners, fmt.Sprintf("%.1f,%.1f", p.x(q.x), last))
		fmt.Fprintf(out, `<circle cx="%.1f" cy="%.1f" r="2.5" fill="%s"/>`+"\n", p.x(q.x), last, colour)
	}
	fmt.Fprintf(out, `<polyline points="%s" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", strings.Join(corners, " "), colour)
	fmt.Fprintf(out, `<text x="%d" y="%.1f" fill="%s">%s</text>`+"\n", left+plotWidth+8, last+4, colour, phase)
}

// x places a number between the least and the greatest.
func (p panel) x(n int) float64 {
	first, last := p.points[0].x, p.points[len(p.points)-1].x
	if first == last {
		return left + plotWidth/2
	}
	return left + plotWidth*math.Log(float64(n)/float64(first))/math.Log(float64(last)/float64(first))
}

// y places a time.
func y(seconds float64) float64 {
	at := math.Log(max(seconds, leastSeconds)/leastSeconds) / math.Log(mostSeconds/leastSeconds)
	return top + plotHeight*(1-min(at, 1))
}

func text(out *strings.Builder, x, y any, anchor, s string) {
	fmt.Fprintf(out, `<text x="%v" y="%v" text-anchor="%s">%s</text>`+"\n", x, y, anchor, html.EscapeString(s))
}
