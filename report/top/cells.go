package top

import (
	"fmt"
	"strings"
)

// cell is how a rank, or a block of ranks, is drawn.
type cell struct {
	letter byte
	style  Style
}

// The cells. An alarm is drawn over what the rank does.
var (
	alarmCell = cell{'!', Alarm}
	cellOf    = map[Doing]cell{
		Computing: {'c', Computes}, Waiting: {'w', Waits}, IO: {'i', DoesIO}, Starved: {'s', Starves}, Absent: {'-', Missing},
	}
	// order of the kinds in the legend, and which of two equally frequent ones stands for a block.
	order = []Doing{Computing, Waiting, IO, Starved, Absent}
)

// labelWidth is what the rank in front of a row of cells takes.
const labelWidth = 8

// cellLines are all ranks as cells: a letter for each, or for a block of ranks if they do not fit, with a legend.
func (s *Snapshot) cellLines(width, rows int) []Line {
	size := s.numRanks()
	if size == 0 || width < labelWidth+8 || rows < 1 {
		return nil
	}
	columns := width - labelWidth
	if columns >= 32 {
		columns -= columns % 32 // ranks of a node are below each other
	}
	each := 1
	for (size+each-1)/each > rows*columns {
		each *= 2
	}
	cells := s.blocks(size, each)
	var out []Line
	for first := 0; first < len(cells); first += columns {
		line := plain(fitRight(fmt.Sprint(first*each), labelWidth-1)+" ", Plain)
		for _, c := range cells[first:min(first+columns, len(cells))] {
			if last := &line[len(line)-1]; last.Style == c.style {
				last.Text += string(c.letter)
			} else {
				line = append(line, Span{string(c.letter), c.style})
			}
		}
		out = append(out, line)
	}
	return append(out, legend(each, width))
}

// numRanks is the size of the job, as far as it is known.
func (s *Snapshot) numRanks() int {
	size := s.Ranks
	if n := len(s.Speeds); n > 0 {
		size = max(size, s.Speeds[n-1].Rank+1)
	}
	return size
}

// blocks are the cells for so many ranks each: what most of its ranks do, or an alarm if one of them is named.
func (s *Snapshot) blocks(size, each int) []cell {
	counts := make([]map[Doing]int, (size+each-1)/each)
	cells := make([]cell, len(counts))
	for i := range counts {
		counts[i] = map[Doing]int{Absent: min(each, size-i*each)}
	}
	for i := range s.Speeds {
		k := &s.Speeds[i]
		counts[k.Rank/each][Absent]--
		counts[k.Rank/each][k.Doing]++
	}
	for i, count := range counts {
		most := Absent
		for _, doing := range order {
			if count[doing] > count[most] || count[doing] == count[most] && count[doing] > 0 && most == Absent {
				most = doing
			}
		}
		cells[i] = cellOf[most]
	}
	for i := range s.Speeds {
		if s.Speeds[i].Named {
			cells[s.Speeds[i].Rank/each] = alarmCell
		}
	}
	return cells
}

// legend says what the letters mean.
func legend(each, width int) Line {
	line := plain(strings.Repeat(" ", labelWidth), Plain)
	if each > 1 {
		line = plain(fmt.Sprintf("each %d ranks: ", each), Plain)
	}
	names := map[Doing]string{Computing: "computes", Waiting: "waits", IO: "I/O", Starved: "no CPU", Absent: "no samples"}
	for _, doing := range order {
		c := cellOf[doing]
		line = append(line, Span{string(c.letter), c.style}, Span{" " + names[doing] + "  ", Plain})
	}
	line = append(line, Span{"!", Alarm}, Span{" slow", Plain})
	if len(line.String()) > width { // too narrow for words
		return plain(fit(line.String(), width), Plain)
	}
	return line
}
