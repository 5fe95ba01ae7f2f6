package top

import (
	"fmt"
	"strings"

	"laggard/report/words"
)

// Draw returns the lines of a screen: at most v.Height, none wider than v.Width.
func (s *Snapshot) Draw(v View, d *Detail) []Line {
	lines := append([]Line{s.titleLine(v)}, s.speedLines(v)...)
	most := min(4, max(1, v.Height/10))
	if v.Detail {
		most = 1
	}
	for _, text := range wrapText(s.headline(), v.Width, most) {
		style := Plain
		if s.Slow && s.Explanation == "" {
			style = Alarm
		}
		lines = append(lines, plain(text, style))
	}
	foot := v.footLines()
	room := v.Height - len(lines) - len(foot) - 1
	lines = append(lines, nil)
	switch {
	case v.Help:
		for _, text := range helpTexts {
			lines = append(lines, plain(fit(text, v.Width), Plain))
		}
	case v.Detail:
		lines = append(lines, s.detailLines(v, d, room)...)
	default:
		cells := s.cellLines(v.Width, max(1, v.Height/4))
		lines = append(append(lines, cells...), nil)
		lines = append(lines, s.tableLines(v, room-len(cells)-1)...)
	}
	if end := max(0, v.Height-len(foot)); len(lines) > end {
		lines = lines[:end]
	}
	for len(foot) > 0 && len(lines) < v.Height-len(foot) {
		lines = append(lines, nil)
	}
	return append(lines, foot...)
}

// Text is the screen without a terminal: lines without styles.
func (s *Snapshot) Text(v View) string {
	var b strings.Builder
	for _, line := range s.Draw(v, nil) {
		b.WriteString(line.String() + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

// titleLine says which job it is, and for how long it has been sampled.
func (s *Snapshot) titleLine(v View) Line {
	parts := []string{"laggard top: " + words.Size(s.numRanks())}
	if s.Run.Job != "" {
		parts = append(parts, s.Run.Job)
	}
	if len(s.Run.Command) > 0 {
		parts = append(parts, words.ShellCommand(s.Run.Command...))
	} else {
		parts = append(parts, words.Printable(s.Run.Dir))
	}
	clock := ""
	if !s.End.IsZero() && v.Width >= 60 {
		clock = fmt.Sprintf("  %s, %s UTC", duration(s.End.Sub(s.Begin)), s.End.UTC().Format("15:04:05"))
	}
	return plain(fit(strings.Join(parts, ", "), max(0, v.Width-len(clock)))+clock, Title)
}

// speedLines say how fast the job is and what its ranks do.
func (s *Snapshot) speedLines(v View) []Line {
	if len(s.Speeds) == 0 {
		return nil
	}
	text := rate(s.Rate.Now) + " iterations/s"
	if before := rate(s.Rate.Before); s.Rate.Before > 0 && before != rate(s.Rate.Now) {
		text += " (before " + before + ")"
	}
	return []Line{plain(fit(text+"  "+s.Now.text(), v.Width), Plain)}
}
