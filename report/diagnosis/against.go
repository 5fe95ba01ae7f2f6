package diagnosis

import (
	"laggard/analysis/compare"
	"laggard/analysis/progress"
	comparereport "laggard/report/compare"
	"laggard/report/words"
)

// AddComparison adds the comparison with good runs. If it failed, a note says why; nil without an error: there is none.
func AddComparison(r *Result, found *compare.Result, failed error) {
	if failed != nil {
		r.Notes = append(r.Notes, words.Printable("the comparison with the good run failed: "+failed.Error()))
		return
	}
	if found == nil {
		return
	}
	named := comparereport.New(found)
	l := r.LeastProgressed
	r.Against = &Against{
		Good: named.Good, Comparison: named.Comparison,
		FirstEvidence: len(named.Differences) > 0 && l != nil &&
			(l.Method != progress.MethodEvidence || progress.IsUndecided(l.Confidence)),
	}
}

// Comparison writes how the run differs from good ones.
func (t *TextReport) Comparison(r *Result) error {
	return t.write(func(p *printer) { p.comparison(r.Against) })
}

func (p *printer) comparison(a *Against) {
	if a == nil {
		return
	}
	p.Line("")
	p.Line("Against the good run (GOOD): %s", a.Headline())
	if a.FirstEvidence {
		p.Line("  The ranks themselves do not tell which is at fault; the first difference is the first evidence.")
	}
	a.WriteLines(&p.Printer, comparereport.MaxDifferences)
}
