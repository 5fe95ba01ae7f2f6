package chart

import (
	_ "embed"
	"html/template"
	"math"
	"strings"
	"sync"
)

// Style has the rules for the marks of a chart on a page; colours are those of
// the page.
//
//go:embed chart.css
var Style string

//go:embed chart.svg
var drawing string

var drawings = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("chart").Parse(drawing))
})

// Chart is a drawing. All places in it are in pixels, from its upper left corner.
type Chart struct {
	Title         string // what it shows, for who cannot see it
	Width, Height float64
	Panels        []Panel
}

// Panel is a pair of axes with what is drawn between them.
type Panel struct {
	Title         string // above it, "" none
	Left, Top     float64
	Width, Height float64
	Ticks         []Tick // on the vertical axis, each with a line across
	Labels        []Tick // below the horizontal axis
	Under         string // what the horizontal axis is, "" not said
	Bars          []Bar
	Dots          []Dot
	Lines         []Line
	Levels        []Level
}

// Tick is a place on an axis with its text.
type Tick struct {
	At   float64
	Text string
}

// Bar is a rectangle; its text is shown where one points at it.
type Bar struct {
	X, Y, Width, Height float64
	Class, Text         string
}

// Dot is a disk of radius R; its text is shown where one points at it.
type Dot struct {
	X, Y, R     float64
	Class, Text string
}

// Line joins points, each as "x,y" with blanks between them; its text stands
// behind the panel, at the height End.
type Line struct {
	Points string
	End    float64
	Class  string
	Text   string
}

// Level is a horizontal line across the panel, such as a threshold.
type Level struct {
	At          float64
	Class, Text string
}

// Right is where the panel ends.
func (p Panel) Right() float64 { return p.Left + p.Width }

// Bottom is where the horizontal axis lies.
func (p Panel) Bottom() float64 { return p.Top + p.Height }

// Middle is that of the horizontal axis.
func (p Panel) Middle() float64 { return p.Left + p.Width/2 }

// SVG is the chart for a page, which has Style among its rules.
func (c Chart) SVG() (template.HTML, error) {
	text, err := c.draw("page")
	return template.HTML(text), err
}

// File is the chart as a file of its own. Its classes are c0 to c4, in colours to
// be told apart also without seeing red and green.
func (c Chart) File() (string, error) { return c.draw("file") }

func (c Chart) draw(form string) (string, error) {
	var b strings.Builder
	err := drawings().ExecuteTemplate(&b, form, c)
	return b.String(), err
}

// Log is how far v lies between low (0) and high (1) on a logarithmic axis.
func Log(v, low, high float64) float64 { return math.Log(v/low) / math.Log(high/low) }
