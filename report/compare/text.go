package compare

import (
	"fmt"
	"io"

	"laggard/report/words"
)

// MaxDifferences is how many differences the text form shows, unless all are asked for.
const MaxDifferences = 10

// Text writes the result for a person; all: every difference.
func Text(w io.Writer, r *Result, all bool) error {
	p := &words.Printer{}
	p.Line("%s", r.Headline())
	limit := MaxDifferences
	if all {
		limit = len(r.Differences)
	}
	r.WriteLines(p, limit)
	if len(r.Problems) > 0 {
		p.Line("")
		p.List(len(r.Problems), words.MaxLines, "problems", func(i int) { p.Line("damaged or missing: %s", r.Problems[i]) })
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// Headline says how many differences there are, and what was compared.
func (c *Comparison) Headline() string {
	what := fmt.Sprintf("%s of BAD with %s of GOOD: %s of MPI, %s", words.Count(c.Compared.BadRanks, "rank", "ranks"),
		words.Count(c.Compared.GoodRanks, "rank", "ranks"), words.Count(c.Compared.Places, "call site", "call sites"),
		words.Count(c.Compared.Passages, "passage", "passages"))
	if len(c.Differences) == 0 {
		return "No difference found. Compared: " + what
	}
	return fmt.Sprintf("%s, the likeliest cause first. Compared: %s", words.Count(len(c.Differences), "difference", "differences"), what)
}

// WriteLines writes the differences, at most so many, and the notes.
func (c *Comparison) WriteLines(p *words.Printer, limit int) {
	for i, d := range c.Differences[:min(limit, len(c.Differences))] {
		p.Line("%3d. %s", i+1, d.Text)
	}
	if n := len(c.Differences) - limit; n > 0 {
		p.Line("     … and %d more, with --all", n)
	}
	for _, n := range c.Notes {
		p.Line("  %s", n)
	}
}
