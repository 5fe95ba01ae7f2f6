package top

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Style says how a part of a line stands out. Where there is no colour, letters say the same.
type Style int

// The styles.
const (
	Plain    Style = iota
	Title          // the first line, heads of columns
	Chosen         // the selected row
	Alarm          // ranks that a slowdown lies at, and the sentence that says so
	Computes       // the cell of a rank that computes
	Waits
	DoesIO
	Starves
	Missing // without samples
)

// Span is a part of a line in one style.
type Span struct {
	Text  string
	Style Style
}

// Line is a line of the screen.
type Line []Span

// String is the line without styles.
func (l Line) String() string {
	var b strings.Builder
	for _, s := range l {
		b.WriteString(s.Text)
	}
	return strings.TrimRight(b.String(), " ")
}

// plain is a line in one style.
func plain(text string, style Style) Line { return Line{{text, style}} }

// fit makes a text exactly so many columns wide; the end of one that is too long is left out.
func fit(text string, width int) string {
	columns := uniseg.StringWidth(text)
	if columns <= width {
		return text + strings.Repeat(" ", width-columns)
	}
	var b strings.Builder
	columns = 0
	for g := uniseg.NewGraphemes(text); g.Next() && columns+g.Width() < width; {
		b.WriteString(g.Str())
		columns += g.Width()
	}
	b.WriteString("…")
	return b.String() + strings.Repeat(" ", max(0, width-columns-1))
}

// fitRight is fit with the blanks in front.
func fitRight(text string, width int) string {
	return strings.Repeat(" ", max(0, width-uniseg.StringWidth(text))) + fit(text, min(width, uniseg.StringWidth(text)))
}

// wrapText breaks a text into at most so many lines; the last one is cut.
func wrapText(text string, width, lines int) []string {
	var out []string
	for text != "" && len(out) < lines {
		line := text
		if uniseg.StringWidth(text) > width && len(out) < lines-1 {
			line = firstWords(text, width)
		}
		out = append(out, strings.TrimRight(fit(line, width), " "))
		text = strings.TrimLeft(text[len(line):], " ")
	}
	return out
}

// firstWords is the begin of a text that fits a line: up to a blank, if there is one.
func firstWords(text string, width int) string {
	columns, end, bytes := 0, 0, 0
	for g := uniseg.NewGraphemes(text); g.Next() && columns+g.Width() <= width; {
		if g.Str() == " " {
			end = bytes
		}
		columns += g.Width()
		bytes += len(g.Str())
	}
	if end == 0 {
		return text[:bytes]
	}
	return text[:end]
}
