package diagnosis

import (
	"laggard/analysis/usage/finding"
	"laggard/model"
	"laggard/report/usage"
)

// Explain adds the finding of wrong use that explains the hang, if there is one. The
// findings are those of laggard usage of the same run; source puts names to them. hanging are the ranks that hang, see
// Hanging.
func Explain(r *Result, hanging model.RankSet, found []finding.Finding, source usage.Source) {
	f := finding.Explaining(found, hanging)
	if f == nil {
		return
	}
	source.Findings = []finding.Finding{*f}
	if named := usage.New(source).Findings; len(named) > 0 { // else it is to be ignored
		r.Explained = &named[0]
	}
}

// Hanging are the ranks of the groups of a result that is not filtered yet, if the job hangs.
func Hanging(r *Result) model.RankSet {
	var out model.RankSet
	for _, g := range r.Groups {
		if ranks, err := model.ParseRankSet(g.Ranks); err == nil && r.Hang {
			out = out.Union(ranks)
		}
	}
	return out
}

// explainingFinding shows the finding.
func (p *printer) explainingFinding(r *Result) {
	lines := explainedLines(r)
	if len(lines) == 0 {
		return
	}
	p.Line("")
	p.Line("Wrong use of MPI explains this hang: %s", lines[0])
	for _, l := range lines[1:] {
		p.Line("  %s", l)
	}
}

func explainedLines(r *Result) []string {
	if r.Explained == nil {
		return nil
	}
	return r.Explained.Lines()
}
