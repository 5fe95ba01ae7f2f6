package main

import (
	"fmt"
	"strings"

	"laggard/report/chart"
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

// renderPanels draws the panels side by side.
func renderPanels(panels []panel) (string, error) {
	c := chart.Chart{Title: "seconds of a diagnosis", Width: float64(width * len(panels)), Height: height}
	for i, p := range panels {
		c.Panels = append(c.Panels, p.chartPanel(float64(i*width)))
	}
	return c.File()
}

// chartPanel draws a panel whose picture begins at from.
func (p panel) chartPanel(from float64) chart.Panel {
	out := chart.Panel{
		Title: p.title + ": seconds", Under: p.axis,
		Left: from + left, Top: top, Width: plotWidth, Height: plotHeight,
	}
	for s := leastSeconds; s <= mostSeconds*1.01; s *= 10 {
		out.Ticks = append(out.Ticks, chart.Tick{At: yPosition(s), Text: fmt.Sprintf("%g", s)})
	}
	for _, q := range p.points {
		out.Labels = append(out.Labels, chart.Tick{At: from + p.xPosition(q.x), Text: fmt.Sprint(q.x)})
	}
	for i, phase := range phases {
		class, corners, last := fmt.Sprintf("c%d", i), []string(nil), 0.0
		for _, q := range p.points {
			x := from + p.xPosition(q.x)
			last = yPosition(q.seconds[phase])
			corners = append(corners, fmt.Sprintf("%.1f,%.1f", x, last))
			out.Dots = append(out.Dots, chart.Dot{
				X: x, Y: last, R: 2.5, Class: class, Text: fmt.Sprintf("%s: %.3f", phase, q.seconds[phase]),
			})
		}
		out.Lines = append(out.Lines, chart.Line{Points: strings.Join(corners, " "), End: last, Class: class,
			Text: phase})
	}
	return out
}

// xPosition places a number between the least and the greatest.
func (p panel) xPosition(n int) float64 {
	first, last := p.points[0].x, p.points[len(p.points)-1].x
	if first == last {
		return left + plotWidth/2
	}
	return left + plotWidth*chart.Log(float64(n), float64(first), float64(last))
}

// yPosition places a time.
func yPosition(seconds float64) float64 {
	return top + plotHeight*(1-min(chart.Log(max(seconds, leastSeconds), leastSeconds, mostSeconds), 1))
}
