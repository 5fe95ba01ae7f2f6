package timeline

import (
	"fmt"
	"io"
	"strings"
	"time"

	"laggard/report/words"
)

// What the text form takes: an 80-column terminal, of which the labels and the numbers leave this for time.
const (
	labelWidth = 15
	stripWidth = 38
	maxTextRow = 24
)

// bars are the parts of a column of text, from nothing to all.
var bars = []rune(" ▁▂▃▄▅▆▇█")

// Text writes the result for a terminal: of each row how much it computed over time.
func Text(w io.Writer, r *Result) error {
	var p words.Printer
	end := r.time(r.Columns)
	p.Line("%s: %s, %s to %s UTC", words.Printable(r.Run.Dir), words.Size(r.Ranks), clock(r.Begin), clock(end))
	each := (r.Columns + stripWidth - 1) / stripWidth
	p.Line("A column is %s; its height is the part of the time that a rank computed,", length(int64(each)*r.Seconds))
	p.Line("o: most of it I/O, x: most without samples (stopped), blank: not running")
	p.Line("noCPU: ready to run without a processor, a part of the others")
	p.Line("")
	p.Line("%-*s %-*s  comp wait I/O stop noCPU", labelWidth, "", stripWidth, ruler(r, each))
	for _, loop := range r.Loops[:min(1, len(r.Loops))] {
		if line, most := rateLine(loop.Rate, each); most > 0 {
			p.Line("%-*s %-*s  up to %.3g/s", labelWidth, "iterations", stripWidth, line, most)
		}
	}
	p.List(len(r.Rows), maxTextRow, "rows", func(i int) {
		row := &r.Rows[i]
		p.Line("%-*s %-*s  %s", labelWidth, row.label(), stripWidth, row.strip(each), row.numbers())
	})
	if len(r.Events) > 0 {
		p.Line("")
	}
	p.List(len(r.Events), words.MaxLines, "events", func(i int) { p.Line("%s", r.Events[i].Text) })
	for _, note := range r.Notes {
		p.Line("note: %s", note)
	}
	p.List(len(r.Problems), words.MaxLines, "problems", func(i int) { p.Line("problem: %s", r.Problems[i]) })
	_, err := io.WriteString(w, p.String())
	return err
}

// label names the ranks of a row on little room.
func (r *Row) label() string {
	if len(r.Ranks) <= labelWidth-len("ranks ") {
		return words.Verb(r.Ranks, "rank ", "ranks ") + r.Ranks
	}
	first, _, _ := strings.Cut(r.Ranks, "-")
	first, _, _ = strings.Cut(first, ",")
	return fmt.Sprintf("%d ranks, %s…", r.Count, first)
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") }

// length writes seconds in their largest unit.
func length(seconds int64) string {
	switch {
	case seconds%3600 == 0:
		return fmt.Sprintf("%d h", seconds/3600)
	case seconds%60 == 0:
		return fmt.Sprintf("%d min", seconds/60)
	}
	return fmt.Sprintf("%d s", seconds)
}

// ruler marks the beginning and the end of the strips.
func ruler(r *Result, each int) string {
	columns := (r.Columns + each - 1) / each
	from, to := r.Begin.Format("15:04:05"), r.time(r.Columns).Format("15:04:05")
	if columns < len(from)+len(to)+1 {
		return from
	}
	return from + strings.Repeat(" ", columns-len(from)-len(to)) + to
}

// rateLine draws a rate, and says what its highest column is.
func rateLine(rate []float64, each int) (line string, most float64) {
	var means []float64
	for i := 0; i < len(rate); i += each {
		sum, n := 0.0, 0
		for _, v := range rate[i:min(i+each, len(rate))] {
			if v > 0 {
				sum, n = sum+v, n+1
			}
		}
		means = append(means, sum/float64(max(1, n)))
		most = max(most, means[len(means)-1])
	}
	for _, v := range means {
		line += string(bars[int(8*v/max(most, 1e-9)+0.5)])
	}
	return line, most
}

// strip draws what a row did, each character for so many columns.
func (r *Row) strip(each int) string {
	var b strings.Builder
	for i := 0; i < len(r.Alive); i += each {
		end := min(i+each, len(r.Alive))
		switch n := end - i; {
		case sum(r.Alive[i:end]) == 0:
			b.WriteByte(' ')
		case sum(r.Absent[i:end]) > 50*n:
			b.WriteByte('x')
		case sum(r.IO[i:end]) > 50*n:
			b.WriteByte('o')
		default:
			part := sum(r.Computing[i:end]) / n
			b.WriteRune(bars[max(1, min(8, (part*8+50)/100))])
		}
	}
	return b.String()
}

// numbers are the shares of all the time that the row ran.
func (r *Row) numbers() string {
	all := max(1, sum(r.Alive))
	share := func(list []int) int {
		total := 0
		for i, v := range list {
			total += v * r.Alive[i]
		}
		return (total + all/2) / all
	}
	return fmt.Sprintf("%3d%% %3d%% %2d%% %3d%% %4d%%",
		share(r.Computing), share(r.Waiting), share(r.IO), share(r.Absent), share(r.Starved))
}

func sum(list []int) int {
	total := 0
	for _, v := range list {
		total += v
	}
	return total
}
