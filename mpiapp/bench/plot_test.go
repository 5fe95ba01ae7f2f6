package main

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestPicture: the picture is well formed, has a line for every phase and stays
// inside its frame.
func TestPicture(t *testing.T) {
	at := func(x int, s float64) point {
		return point{x: x, seconds: map[string]float64{"load": s, "build_pdg": s / 2, "find_lp": 0, "output": 1e6,
			"whole": 2 * s}}
	}
	svg := musttest.Get(renderPanels([]panel{{"a <b>", "ranks", []point{at(1024, 0.1), at(4096, 0.4)}},
		{"one", "ranks", []point{at(8, 1)}}}))(t)
	d := xml.NewDecoder(strings.NewReader(svg))
	lines := 0
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		musttest.Succeed(t, err)
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "polyline" {
			lines++
		}
	}
	checktest.Equal(t, 2*len(phases), lines, "lines")
	if p := (panel{points: []point{{x: 10}, {x: 1000}}}); p.xPosition(10) != left || p.xPosition(1000) != left+plotWidth ||
		p.xPosition(100) != left+plotWidth/2 {
		t.Errorf("x: %v %v %v", p.xPosition(10), p.xPosition(100), p.xPosition(1000))
	}
	if yPosition(1e9) != top || yPosition(0) != top+plotHeight {
		t.Errorf("y: %v %v", yPosition(1e9), yPosition(0))
	}
}
