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
	if len(c.Differences) == 0 && c.CutOff {
		return "No difference found up to where BAD was cut off. Compared: " + c.Compared.String()
	}
	if len(c.Differences) == 0 {
		return "No difference found. Compared: " + c.Compared.String()
	}
	return fmt.Sprintf("%s, the likeliest cause first. Compared: %s", c.count(), c.Compared)
}

// count says how many differences there are.
func (c *Comparison) count() string {
	return words.Count(len(c.Differences), "difference", "differences")
}

// String says how much was compared.
func (c Compared) String() string {
	return fmt.Sprintf("%s of BAD with %s of GOOD: %s of MPI, %s", words.Count(c.BadRanks, "rank", "ranks"),
		words.Count(c.GoodRanks, "rank", "ranks"), words.Count(c.Places, "call site", "call sites"),
		words.Count(c.Passages, "passage", "passages"))
}

// doubt says why the good runs may be none to compare with; "": nothing is known against them.
func (c *Comparison) doubt() string {
	switch n := c.Compared; {
	case c.GoodCut && !c.CutOff:
		return "GOOD was cut off, and BAD was not: are the arguments in the right order?"
	case c.GoodCut:
		return "GOOD was cut off, too: what it had not come to counts as new in BAD"
	case 2*n.BadKnown < n.BadPlaces:
		return fmt.Sprintf("only %d of %s of BAD are in GOOD: are these runs of the same program?", n.BadKnown,
			words.Count(n.BadPlaces, "call site", "call sites"))
	}
	return ""
}

// WriteLines writes the differences, at most so many, and the notes.
func (c *Comparison) WriteLines(p *words.Printer, limit int) {
	if doubt := c.doubt(); doubt != "" {
		p.Line("  %s", doubt)
	}
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
