package movement

import (
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"laggard/report/words"
)

// printer writes the text form.
type printer struct{ words.Printer }

// Limits of the text form; the JSON form has all.
const (
	maxViolations = 5
	maxOutliers   = 5
	maxInvariants = 3
	maxNovel      = 3
	maxUnreceived = 4
	maxExamples   = 4
)

// Text writes the result for a person: what is suspicious first, with
// the chain drawn step by step beside the frequent one that it is like (paper
// DMTracker, Figure 5).
func Text(w io.Writer, m *Result) error {
	p := &printer{}
	p.Line("%s", headline(m))
	p.Line("  %s", chainsText(m))
	if warning := m.warning(); warning != "" {
		p.Line("  %s", warning)
	}
	for _, n := range m.Notes {
		p.Line("  %s", n)
	}
	p.List(len(m.Unreceived), maxUnreceived, "calls whose messages were not received", func(i int) {
		p.Line("  not received: %s", unreceivedText(m.Unreceived[i]))
	})
	p.outliers(m)
	p.violations(m)
	p.novel(m)
	if !m.Found() && len(m.Novel) == 0 {
		p.invariants(m)
	}
	if len(m.Problems) > 0 {
		p.Line("")
		p.List(len(m.Problems), words.MaxLines, "problems",
			func(i int) { p.Line("damaged or missing: %s", m.Problems[i]) })
	}
	_, err := io.WriteString(w, p.String())
	return err
}

// warning says why what was found may mean little; "": it does not.
func (m *Result) warning() string {
	switch {
	case !m.Comparable():
		return "chains are compared by function, file and line: train with the same program, as it is now"
	case m.Training == 0 && m.Found():
		return "no good run to compare with (--train): this may be normal for the program"
	}
	return ""
}

// rareShare is up to which share of itself and the usual one a chain is called rare.
const rareShare = 0.05

// Rarity says how chains are beside the usual ones.
func (m *Result) Rarity(list ...Violation) string {
	for _, v := range list {
		usual := m.Invariants[v.Invariant].Count
		if float64(v.Chain.Count) > rareShare*float64(v.Chain.Count+usual) {
			return "rarer"
		}
	}
	return "rare"
}

func headline(m *Result) string {
	var parts []string
	if !m.Comparable() {
		parts = append(parts, fmt.Sprintf("the good runs tell little of this one: %s of its chains are in none of them",
			percentOf(m.novelChains(), m.Chains)))
	}
	if n := len(m.Outliers); n > 0 {
		set := make([]string, 0, n)
		for _, o := range m.Outliers[:min(n, 8)] {
			set = append(set, fmt.Sprint(o.Rank))
		}
		list := strings.Join(set, ",")
		if n > 8 {
			list += ",…"
		}
		parts = append(parts, fmt.Sprintf("data that begin at %s move differently from those of %s peers", words.Ranks(list),
			words.Verb(list, "its", "their")))
	}
	if n := len(m.Violations); n > 0 {
		rare := m.Rarity(m.Violations...)
		parts = append(parts, words.Count(n, rare+" chain closely resembles a common one",
			rare+" chains closely resemble common ones"))
	}
	if n := len(m.Novel); n > 0 && m.Comparable() {
		chains := fmt.Sprintf("of chains (%d of %d chains)", m.novelChains(), m.Chains)
		parts = append(parts, words.Count(n, "kind "+chains+" is in no good run", "kinds "+chains+" are in no good run"))
	}
	var lost uint64
	for _, u := range m.Unreceived {
		lost += u.Count
	}
	if lost > 0 {
		parts = append(parts, words.Count(int(lost), "message was", "messages were")+" not received")
	}
	if len(parts) == 0 {
		return fmt.Sprintf("No unusual data movement: %s, of %s", words.Count(int(m.Chains), "chain", "chains"),
			words.Count(m.Groups, "kind", "kinds"))
	}
	return words.Upper(strings.Join(parts, "; "))
}

func chainsText(m *Result) string {
	s := fmt.Sprintf("%d chains of %d kinds begin at %s", m.Chains, m.Groups, words.Ranks(m.Ranks))
	if m.Ranks == "" {
		s = "no chains"
	}
	if m.Links.Sends > 0 {
		s += fmt.Sprintf("; of %d sends, %s were matched with their receives", m.Links.Sends,
			percentOf(m.Links.LinkedSends, m.Links.Sends))
	}
	if m.Training > 0 {
		s += "; compared with " + words.Count(m.Training, "good run", "good runs")
	}
	if m.Pruned > 0 {
		s += fmt.Sprintf(", which also contain %d of the suspicious chains", m.Pruned)
	}
	return s
}

func unreceivedText(u Unreceived) string {
	return fmt.Sprintf("%s from rank %d to rank %d with tag %d, by %s", words.Count(int(u.Count), "message", "messages"), u.From,
		u.To, u.Tag, placeOf(u.At))
}

func percentOf(n, of uint64) string {
	if of == 0 {
		return "none"
	}
	percent := 100 * float64(n) / float64(of)
	if 0 < n && n < of { // a few are not none, and not all but a few
		percent = min(max(percent, 0.1), 99.9)
	}
	return fmt.Sprintf("%.1f %%", percent)
}

func (p *printer) outliers(m *Result) {
	for i, o := range m.Outliers {
		if i == maxOutliers {
			p.Line("\n… and %d more ranks, in the JSON form", len(m.Outliers)-i)
			return
		}
		p.Line("\nData that begin at rank %d: distance %.2f to its peers, %.1f times the average (%.2f)", o.Rank, o.DistanceK, o.Ratio,
			m.Distances.Average)
		p.Line("  above all this chain: %s", outlierText(o))
		p.chain(o.TopGroup)
	}
}

// outlierText says how much of the chain of an outlier there is, and where it leads to.
func outlierText(o Outlier) string {
	s := fmt.Sprintf("%.1f %% of its chains, %.1f %% of rank %d's", 100*o.Share, 100*o.PeerShare, o.Neighbour)
	if o.Ends != "" && o.Ends != fmt.Sprint(o.Rank) {
		s += "; it ends at " + words.Ranks(o.Ends)
	}
	return s
}

func (p *printer) violations(m *Result) {
	for i, v := range m.Violations {
		if i == maxViolations {
			p.Line("\n… and %d more kinds of chains, in the JSON form", len(m.Violations)-i)
			return
		}
		inv := m.Invariants[v.Invariant]
		p.Line("\nA %s chain, %s, of data that begin at %s; the usual one was seen %s", m.Rarity(v),
			words.Count(int(v.Chain.Count), "time", "times"), words.Ranks(v.Ranks), words.Count(int(inv.Count), "time", "times"))
		p.Line("  abnormality %.2f (similarity %.2f, rareness %.2f)%s", v.Abnormality, v.Similarity, v.Rareness,
			contextText(v))
		if v.MissingAt != "" {
			p.Line("  the missing part would have been at %s", words.Ranks(v.MissingAt))
		}
		p.Line("  - only in the usual chain   + only in the %s chain", m.Rarity(v))
		for _, s := range compareSteps(inv.Chain, v) {
			p.chainStep(s.mark, s.op)
		}
		p.destBuffer(lastDest(v.Chain.Operations))
		if len(v.Examples) > 0 {
			p.Line("    e.g. at %s", examplesText(v.Examples))
		}
	}
}

// examplesText says where and when some instances were, each moment of a rank once.
func examplesText(list []Example) string {
	var out []string
	for _, e := range list {
		text := fmt.Sprintf("rank %d, %s", e.Rank, time.Unix(0, e.UnixNS).UTC().Format("15:04:05.000"))
		if !slices.Contains(out, text) && len(out) < maxExamples {
			out = append(out, text)
		}
	}
	return strings.Join(out, "; ") + " UTC"
}

func contextText(v Violation) string {
	switch {
	case v.Edge == v.Instances:
		return "; only before the first or after the last usual chain"
	case v.Stale > 0:
		return fmt.Sprintf("; %d of %d read data again that the missing part usually rewrites",
			v.Stale, v.Instances)
	case v.Completions > 0:
		return fmt.Sprintf("; the missing part was found nearby in %d of %d, by itself", v.Completions, v.Instances)
	case v.ContextMatches > 0:
		return fmt.Sprintf("; the missing part was found nearby in %d of %d", v.ContextMatches, v.Instances)
	}
	return ""
}

func (p *printer) novel(m *Result) {
	for i, n := range m.onlyNovel() {
		if i == maxNovel {
			p.Line("\n… and %d more kinds of chains that no good run has, in the JSON form", len(m.onlyNovel())-i)
			return
		}
		p.Line("\nA chain that no good run has, %s, of data that begin at %s%s", words.Count(int(n.Count), "time", "times"),
			words.Ranks(n.Ranks), n.FirstText())
		p.chain(n.Chain)
	}
}

// FirstText says at which of several ranks the chain was seen first.
func (n Novel) FirstText() string {
	if n.Ranks == fmt.Sprint(n.First.Rank) {
		return ""
	}
	return fmt.Sprintf(", first at rank %d", n.First.Rank)
}

func (p *printer) invariants(m *Result) {
	for i, inv := range m.Invariants {
		if i == maxInvariants {
			p.Line("\n… and %d more frequent chains, in the JSON form", len(m.Invariants)-i)
			return
		}
		p.Line("\nA frequent chain, %s (%.0f %%)", words.Count(int(inv.Count), "time", "times"), 100*inv.Share)
		p.chain(inv.Chain)
	}
}

// comparedStep is a step of two chains that are compared: in both (' '), only in
// the usual one ('-'), or only in the rare one ('+').
type comparedStep struct {
	mark byte
	op   Operation
}

func compareSteps(inv Chain, v Violation) []comparedStep {
	var out []comparedStep
	add := func(mark byte, ops []Operation) {
		for _, o := range ops {
			out = append(out, comparedStep{mark, o})
		}
	}
	c, u, n := v.Matched[0], v.Matched[1], v.Matched[2]
	add('-', inv.Operations[:u])
	add('+', v.Chain.Operations[:c])
	add(' ', v.Chain.Operations[c:c+n])
	add('-', inv.Operations[u+n:])
	add('+', v.Chain.Operations[c+n:])
	return out
}

func (p *printer) chain(c Chain) {
	for _, o := range c.Operations {
		p.chainStep(' ', o)
	}
	p.destBuffer(lastDest(c.Operations))
}

func lastDest(ops []Operation) *Place {
	if len(ops) == 0 {
		return nil
	}
	return ops[len(ops)-1].Dest
}

func (p *printer) destBuffer(at *Place) { p.Line("      [%s]", bufferText(at)) }

// chainStep draws the buffer that is read and what is done with it.
func (p *printer) chainStep(mark byte, o Operation) {
	p.Line("    %c [%s]", mark, bufferText(o.Source))
	p.Line("    %c   ↓ %s", mark, operationText(o))
}

func operationText(o Operation) string {
	switch {
	case o.Partner != nil && o.At != nil:
		return fmt.Sprintf("%s → %s", placeOf(o.At), placeOf(o.Partner))
	case o.Partner != nil:
		return "(from another rank) → " + placeOf(o.Partner)
	case o.Kind == "network":
		return placeOf(o.At) + " → (to another rank)"
	case o.Kind == "pack":
		return fmt.Sprintf("%s, in %.0f pieces or more", placeOf(o.At), o.Weight)
	}
	return placeOf(o.At)
}

func bufferText(p *Place) string {
	if p == nil {
		return "memory not from an allocator"
	}
	return "buffer of " + placeOf(p)
}

// placeOf says the call and where it is.
func placeOf(p *Place) string {
	if p == nil {
		return "?"
	}
	where := path.Base(p.Module) + "+" + p.Offset
	if p.File != "" {
		where = fmt.Sprintf("%s:%d", path.Base(p.File), p.Line)
	}
	if p.Function == "" {
		return p.Call + " in " + where
	}
	return fmt.Sprintf("%s in %s (%s)", p.Call, p.Function, where)
}
