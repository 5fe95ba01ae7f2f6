package chart

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestForms: both forms are well formed whatever the texts are, and have every mark.
func TestForms(t *testing.T) {
	c := Chart{Title: `<b> "of" all`, Width: 100, Height: 50, Panels: []Panel{{
		Title: "</svg>", Left: 10, Top: 5, Width: 80, Height: 40, Under: "x & y",
		Ticks: []Tick{{5, "1"}}, Labels: []Tick{{20, "a"}},
		Bars:   []Bar{{1, 2, 3, 4, "c0", "<script>"}},
		Dots:   []Dot{{1, 2, 3, "c1", "dot"}},
		Lines:  []Line{{"1,2 3,4", 4, "c2", "line"}},
		Levels: []Level{{6, "limit", "level"}, {7, "limit", ""}},
	}}}
	page := musttest.Get(c.SVG())(t)
	file := musttest.Get(c.File())(t)
	for form, svg := range map[string]string{"page": string(page), "file": file} {
		marks := map[string]int{}
		for d := xml.NewDecoder(strings.NewReader(svg)); ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			musttest.Succeed(t, err, form, svg)
			if e, ok := token.(xml.StartElement); ok {
				marks[e.Name.Local]++
			}
		}
		want := map[string]int{"svg": 1, "rect": 1, "circle": 1, "polyline": 1, "line": 3, "text": 6, "title": 2,
			"script": 0}
		for name, n := range want {
			checktest.Equal(t, n, marks[name], form, "<"+name+">", svg)
		}
	}
}
