package timeline

import (
	"fmt"
	"io"
	"strings"
	"time"

	"laggard/report/words"
)

// textRows is how many rows the text form has at most.
const textRows = 24

// labelWidth is what the ranks before a row take.
const labelWidth = 16

// Text writes the timeline for a terminal of 80 columns: a letter for each column. There should be no more than TextColumns.
func Text(w io.Writer, t *Timeline) error {
	var p words.Printer
	end := t.Time(len(t.Rate))
	p.Line("%s: from %s to %s UTC, a column is %s", words.Upper(words.Ranks(t.Sampled)), t.Begin.Format(moment), end.Format(moment),
		time.Duration(t.Seconds)*time.Second)
	p.Line("")
	p.Line("%-*s %s", labelWidth, "iterations/s", rateLine(t.Rate))
	for i := range t.Rows[:min(len(t.Rows), textRows)] {
		r := &t.Rows[i]
		var line strings.Builder
		for column := range r.Ran {
			line.WriteByte(byte(r.Doing(column)))
		}
		p.Line("%-*s %s", labelWidth, cutLabel(r.Ranks, labelWidth), strings.TrimRight(line.String(), " "))
	}
	if n := len(t.Rows) - textRows; n > 0 {
		p.Line("… and %s in the page (--html) and in the JSON form", words.Count(n, "row more,", "rows more,"))
	}
	legend := make([]string, len(doings))
	for i, d := range doings {
		legend[i] = string(rune(d.doing)) + " " + d.name
	}
	p.Line("%-*s %s", labelWidth, "", strings.Join(legend, "  "))
	if len(t.Events) > 0 {
		p.Line("")
	}
	for _, e := range t.Events {
		p.Line("%s UTC %s", e.Begin.Format("15:04:05"), e.Text)
	}
	for _, note := range t.Notes {
		p.Line("note: %s", note)
	}
	p.List(len(t.Problems), words.MaxLines, "problems", func(i int) { p.Line("problem: %s", t.Problems[i]) })
	_, err := io.WriteString(w, p.String())
	return err
}

// moment is how a time is written whose day may not be that of others.
const moment = "2006-01-02 15:04:05"

// cutLabel shortens the name of a row to some letters.
func cutLabel(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return s[:most-1] + "…"
}

// levels are the steps of a rate, from none to the highest.
var levels = []rune(" ▁▂▃▄▅▆▇█")

// rateLine draws rates as a line of text, and the highest one.
func rateLine(rates []float64) string {
	most := 0.0
	for _, r := range rates {
		most = max(most, r)
	}
	if most == 0 {
		return "unknown: no loop was found"
	}
	line := make([]rune, len(rates))
	for i, r := range rates {
		line[i] = levels[int(r/most*float64(len(levels)-1)+0.5)]
	}
	return fmt.Sprintf("%s at most %.3g", strings.TrimRight(string(line), " "), most)
}
