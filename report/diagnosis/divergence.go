package diagnosis

import (
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/divergence"
	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis/wording"
	"laggard/report/source"
	"laggard/report/words"
	"laggard/slicing"
	"laggard/symbol"
)

// Divergence is a communicator, window or file whose members did not begin the same
// collectives.
type Divergence struct {
	Communicator string `json:"communicator"`      // the communicator, window or file, hexadecimal
	Object       string `json:"object"`            // MPI_COMM_WORLD, communicator, window or file
	MadeBy       *Begun `json:"made_by,omitempty"` // the call that made it; absent: MPI itself, or unknown
	Kind         string `json:"kind"`              // how the first side left the others, see docs/manual/diagnosis.md#where-ranks-diverge
	Sequence     uint64 `json:"sequence"`          // number of the first collective that differs, from 1
	AlikeTo      uint64 `json:"alike_to"`          // number of the last collective up to which all agree
	Majority     bool   `json:"majority"`          // more members agree than differ
	Common       *Begun `json:"common"`            // the last collective that all made; null: unknown
	// collectives after that which agree but were made from different places
	Strayed *SiteDifferences `json:"strayed,omitempty"`
	// the ranks that left the common sequence, and last those that follow it
	Sides  []Side  `json:"sides"`
	Branch *Branch `json:"branch"` // the branch that decided; null: unknown
}

// Branch is a line of the program that decided which way ranks went.
type Branch struct {
	report.Site
	Text string `json:"text"` // source text of the line, "" not found
	// lines that decide the same, nearest first, such as outer conditions; last those that are the same on all ranks
	Or []Branch `json:"or,omitempty"`
}

// SiteDifferences are collectives that agree, which two sides made from different places of the
// program, right before the first that differs.
type SiteDifferences struct {
	Count  int      `json:"count"`  // number of these collectives
	Ranks  []string `json:"ranks"`  // ranks of each side, those that left first
	Places []Begun  `json:"places"` // the first of the collectives, for each side
}

// AddBranch names the branch that decided the first divergence, which may have been
// corrected when it was found.
func AddBranch(r *Result, s Source, b *slicing.Branch, finder source.Finder) {
	deciders := pythonDeciders{s, finder}
	deciders.correctKind()
	r.Divergences = s.divergences()
	if s.LeastProgressed != nil {
		s.setReason(r)
	}
	if len(r.Divergences) == 0 || s.Diverged[0].BetweenGroups {
		return
	}
	o := &s.Diverged[0].Odd[0]
	var sites []report.Site
	if !o.OtherWork {
		sites = deciders.likeliestFirst(o, deciders.pythonBranch(o, b != nil))
	}
	if b != nil && len(sites) == 0 {
		sites = s.branchSites(b)
	}
	r.Divergences[0].Branch = branchAt(sites, finder)
}

// branchSites are the places of a branch in machine code, and of those that decide the same; none in libraries.
func (s Source) branchSites(b *slicing.Branch) (sites []report.Site) {
	for _, jump := range append([]slicing.Jump{b.Jump}, b.Or...) {
		if stack := s.codeLevels(jump.Stack); slices.ContainsFunc(stack, func(l symbol.Location) bool { return !l.Library }) {
			sites = append(sites, report.NewSite(stack))
		}
	}
	return sites
}

// branchAt is the branch at the first of some places, with the others; nil: there are none.
func branchAt(sites []report.Site, finder source.Finder) *Branch {
	var all []Branch
	seen, texts := map[report.Site]bool{}, source.Texts{Finder: finder}
	for _, site := range sites {
		site.Line = texts.BranchLine(site.File, site.Line)
		if seen[site] {
			continue
		}
		seen[site] = true
		one := Branch{Site: site}
		if text := texts.Text(site.File); site.Line > 0 && site.Line <= len(text) {
			one.Text = words.Printable(strings.TrimSpace(text[site.Line-1]))
		}
		all = append(all, one)
	}
	if len(all) == 0 {
		return nil
	}
	all[0].Or = all[1:]
	return &all[0]
}

// codeLevels are the levels of a stack that are in machine code.
func (s Source) codeLevels(stack []model.Frame) []symbol.Location {
	return slices.DeleteFunc(s.Resolver.ResolveStack(stack, true), func(l symbol.Location) bool { return l.Language != "" })
}

func (b *Branch) String() string { return strings.TrimSuffix(b.Site.String()+": "+b.Text, ": ") }

// Side is the members of a communicator that began the same collective.
type Side struct {
	Ranks string `json:"ranks"`          // the ranks of this side
	Kind  string `json:"kind,omitempty"` // how they left the others; absent: they did not
	// Begun is the first call that differs; without a function: none.
	Begun
	// the collectives that the side skipped or added; otherwise the one that differs
	Calls []Begun `json:"calls"`
	Fewer bool    `json:"fewer"` // calls are those the side left out
	Now   *Begun  `json:"now"`   // the latest collective they began; null: unknown
}

// Begun is a collective that was begun.
type Begun struct {
	Sequence uint64 `json:"sequence"` // its number on the communicator, from 1; 0: none
	MPI      string `json:"mpi"`      // the MPI function; "" none was called
	report.Site
	Root     *int           `json:"root,omitempty"`      // rank of the root, in the communicator
	RootRank *int           `json:"root_rank,omitempty"` // its rank of MPI_COMM_WORLD; absent: unknown, or the same on MPI_COMM_WORLD
	Op       string         `json:"op,omitempty"`        // operation of a reduction
	Bytes    *int64         `json:"bytes,omitempty"`     // size of one block
	Stack    []report.Frame `json:"stack"`               // the call stack, innermost frame first
	// others are more functions of MPI that the same call of the program began.
	others []string
}

func (s Source) divergences() []Divergence {
	var out []Divergence
	for i := range s.Diverged {
		out = append(out, s.divergence(&s.Diverged[i]))
	}
	return out
}

func (s Source) divergence(d *divergence.Divergence) Divergence {
	first := &d.Odd[0]
	out := Divergence{
		Communicator: fmt.Sprintf("%x", d.Comm), Object: objectOf(d.Kind), Kind: string(first.Kind),
		Sequence: first.Number, AlikeTo: first.After,
		Majority: d.Majority, Common: s.newBegun(first.Before()),
	}
	if steps := d.SiteDifferences(); len(steps) > 0 {
		one := steps[len(steps)-1]
		out.Common = s.newBegun(one.Before)
		out.Strayed = &SiteDifferences{len(steps), []string{first.Ranks.String(), d.Agree.String()},
			[]Begun{*s.newBegun(one.Own), *s.newBegun(one.Theirs)}}
	}
	if i := slices.IndexFunc(s.Makers, func(m progress.Maker) bool { return m.On.ID == d.On.ID }); i >= 0 {
		made := divergence.CallIn(s.Makers[i].State)
		out.MadeBy = s.newBegun(&made)
	}
	for i := range d.Odd {
		o := &d.Odd[i]
		side := s.newSide(o.Ranks, o.Own(), o.Calls, o.Now())
		side.Kind, side.Fewer = string(o.Kind), o.Fewer
		out.Sides = append(out.Sides, side)
	}
	if d.Agree.Len() > 0 {
		var theirs *divergence.Call
		if len(first.Theirs) > 0 {
			theirs = &first.Theirs[0]
		}
		out.Sides = append(out.Sides, s.newSide(d.Agree, theirs, first.Theirs, d.Common.Now()))
	}
	return out
}

func (s Source) newSide(ranks model.RankSet, own *divergence.Call, calls []divergence.Call, now *divergence.Call) Side {
	side := Side{Ranks: ranks.String(), Calls: s.begunCalls(calls), Now: s.newBegun(now)}
	side.Stack = []report.Frame{}
	if own != nil {
		side.Begun = *s.newBegun(own)
	}
	return side
}

func objectOf(kind model.CommKind) string {
	if kind == model.World {
		return "MPI_COMM_WORLD"
	}
	return wording.CommKind(kind)
}

// splitSides returns the sides that left the others, and the others; nil: there are none.
func (d *Divergence) splitSides() (odd []Side, others *Side) {
	n := len(d.Sides)
	if n > 0 && d.Sides[n-1].Kind == "" {
		return d.Sides[:n-1], &d.Sides[n-1]
	}
	return d.Sides, nil
}

// othersPlaceText says, behind a sentence about the first divergence that ends with what the others called, where they did, and where the
// odd ranks made a call that they are not in any more.
func (r *Result) othersPlaceText() string {
	if len(r.Divergences) == 0 {
		return ""
	}
	odd, others := r.Divergences[0].splitSides()
	switch divergence.Kind(r.Divergences[0].Kind) {
	case divergence.Skipped, divergence.ErrorPath, divergence.Mismatch:
		if len(odd) == 1 && others != nil && others.Function != "" && others.Line > 0 {
			return ", in " + others.Site.String() + r.leftPlaceText(&odd[0])
		}
	}
	return ""
}

// leftPlaceText says where a side made its first call that differs, if it has gone on since; else "".
func (r *Result) leftPlaceText(s *Side) string {
	ranks, err := model.ParseRankSet(s.Ranks)
	mismatch := divergence.Kind(s.Kind) == divergence.Mismatch
	if err != nil || ranks.Len() == 0 || !mismatch || s.Function == "" || s.Line == 0 || r.LeastProgressed.siteOf(ranks.Min()) == s.Site {
		return ""
	}
	return fmt.Sprintf(", and %s its own in %s", ranks.Phrase(), s.Site.String())
}

// objectText names the communicator, window or file.
func (d *Divergence) objectText() string {
	if d.Object == objectOf(model.World) {
		return d.Object
	}
	return d.Object + " " + d.Communicator
}

// objectAndOrigin is on, and the call that made it.
func (d *Divergence) objectAndOrigin() string {
	if d.MadeBy == nil {
		return d.objectText()
	}
	return d.objectText() + ", made by " + d.MadeBy.text()
}

func (s Source) begunCalls(calls []divergence.Call) []Begun {
	out := []Begun{}
	for i := range calls {
		out = append(out, *s.newBegun(&calls[i]))
	}
	return out
}

func (s Source) newBegun(c *divergence.Call) *Begun {
	if c == nil {
		return nil
	}
	out := &Begun{Sequence: c.Number, MPI: words.Printable(c.Function()), Op: c.Op, Stack: []report.Frame{}}
	if c.State != nil {
		stack := s.Resolver.ResolveProgramStack(c.State.Stack, false)
		out.Site, out.Stack = report.NewSite(stack), report.Frames(stack)
	}
	if c.Root != model.None {
		out.Root = &c.Root
		if c.RootRank >= 0 {
			out.RootRank = &c.RootRank
		}
	}
	if c.Bytes >= 0 {
		out.Bytes = &c.Bytes
	}
	return out
}

// maxSides and maxCalls bound what the first screen shows of a divergence.
const (
	maxSides = 4
	maxCalls = 3
)

// firstDivergence shows the first divergence: both sides, and what they did last in
// common.
func (p *printer) firstDivergence(r *Result) {
	if len(r.Divergences) == 0 {
		return
	}
	d := r.Divergences[0]
	p.Line("")
	p.Line("First divergence: collective %d on %s", d.Sequence, d.objectAndOrigin())
	if d.Common != nil {
		p.Line("      all ranks: %s, the last common call", d.Common.text())
	}
	if d.Strayed != nil {
		p.Line("      then %s that match, but from different places: %s", words.Count(d.Strayed.Count, "collective",
			"collectives"), strings.Join(d.Strayed.placeTexts(), "; "))
	}
	p.divergedSides(&d)
	if n := len(r.Divergences) - 1; n > 0 {
		p.Line("  %s, too", words.Count(n, "other communicator also diverges",
			"other communicators also diverge"))
	}
}

// divergedSides shows what each side did at the first place that differs.
func (p *printer) divergedSides(d *Divergence) {
	odd, others := d.splitSides()
	p.List(len(odd), maxSides, "groups of ranks", func(i int) {
		side := odd[i]
		p.Line("  %s %s", words.Ranks(side.Ranks), side.kindText())
		calls := mergePythonCalls(side.Calls)
		p.List(len(calls), maxCalls, "calls", func(k int) { p.collectiveCall(&calls[k]) })
		if side.wentOn() {
			p.Line("      and began later: %s", side.Now.text())
		}
	})
	if others != nil && others.MPI != "" && !odd[0].Fewer {
		p.Line("  %s:", words.Ranks(others.Ranks))
		p.collectiveCall(&others.Begun)
	}
}

// isPast reports whether a rank has begun later collectives than the one that differs: what decided may have been decided anew since.
func (d *Divergence) isPast(rank int) bool {
	return slices.ContainsFunc(d.Sides, func(s Side) bool {
		ranks, _ := model.ParseRankSet(s.Ranks)
		return ranks.Contains(rank) && s.Now != nil && s.Begun.Sequence > 0 && s.Now.Sequence > s.Begun.Sequence
	})
}

// wentOn reports whether the latest collective of a side, which it may have left long ago, is another one than those shown.
func (s Side) wentOn() bool {
	switch {
	case s.Now == nil || s.Kind == string(divergence.ErrorPath):
		return false
	case len(s.Calls) == 0:
		return true
	case slices.ContainsFunc(s.Calls, func(c Begun) bool { return c.text() == s.Now.text() }):
		return false // a later one from the same place: to name it again says nothing
	}
	return s.Fewer || s.Now.Sequence > s.Calls[0].Sequence
}

func (p *printer) collectiveCall(b *Begun) {
	p.Line("      %s", b.text())
	var by []string
	for _, f := range callerFrames(b.Stack) {
		by = append(by, f.String())
	}
	if len(by) > 0 {
		p.Line("        called from %s", strings.Join(by[:min(len(by), 3)], ", "))
	}
}

// callerFrames are the frames behind the place of a call; of one in a Python program those of that, which a
// library in another language may have called.
func callerFrames(stack []report.Frame) []report.Frame {
	if len(stack) == 0 {
		return nil
	}
	stack = stack[report.Place(stack):]
	if stack[0].Language != symbol.Python {
		return stack[1:]
	}
	return slices.DeleteFunc(slices.Clone(stack[1:]), func(f report.Frame) bool { return f.Language != symbol.Python })
}

// placeTexts tells where each side made the first of them.
func (s *SiteDifferences) placeTexts() (out []string) {
	for i := range s.Places {
		out = append(out, words.Ranks(s.Ranks[i])+": "+s.Places[i].text())
	}
	return out
}

// kindText says in a few words how a side left the others.
func (s Side) kindText() string {
	switch divergence.Kind(s.Kind) {
	case divergence.Skipped:
		return "skipped"
	case divergence.Extra:
		return "made more"
	case divergence.Order:
		return "made in another order"
	case divergence.LoopCount:
		if s.Fewer {
			return "executed fewer iterations of a loop, without"
		}
		return "executed more iterations of a loop, with"
	case divergence.ErrorPath:
		return "left without"
	case divergence.Arguments, divergence.Mismatch:
		return "called instead"
	}
	return "diverged before the earliest calls that were kept"
}

// text names a collective: function, arguments and place.
func (b *Begun) text() string {
	text := strings.Join(slices.Compact(append([]string{b.MPI}, b.others...)), " and ")
	if b.Root != nil {
		rank := -1
		if b.RootRank != nil {
			rank = *b.RootRank
		}
		text += ", " + wording.Root(*b.Root, rank)
	}
	if b.Op != "" {
		text += ", " + b.Op
	}
	if b.Bytes != nil {
		text += ", " + words.Count(int(*b.Bytes), "byte", "bytes")
	}
	if b.Function == "" {
		return text
	}
	return text + " in " + b.Site.String()
}

// pageDivergences are the divergences for the page, as many as it shows.
func (b *pageBuilder) pageDivergences(r *Result) []pageDivergence {
	var out []pageDivergence
	for _, d := range r.Divergences[:min(len(r.Divergences), maxPageDivergences)] {
		p := pageDivergence{Where: pageText(fmt.Sprintf("Collective %d on %s", d.Sequence, d.objectAndOrigin()))}
		if d.Common != nil {
			p.Last = pageText(d.Common.text())
		}
		if d.Strayed != nil {
			for _, place := range d.Strayed.placeTexts() {
				p.Then = append(p.Then, pageText(place))
			}
		}
		odd, others := d.splitSides()
		for _, side := range odd[:min(len(odd), maxPageDivergences)] {
			p.Sides = append(p.Sides, pageSide{side.Ranks, side.kindText(), callTexts(side.Calls)})
		}
		if others != nil {
			p.Sides = append(p.Sides, pageSide{others.Ranks, "the others", callTexts(others.Calls)})
		}
		if d.Branch != nil {
			for _, one := range append([]Branch{*d.Branch}, d.Branch.Or...) {
				p.Branches = append(p.Branches, pageBranch{pageText(one.Site.String()), pageText(one.Text)})
			}
		}
		out = append(out, p)
	}
	return out
}

func callTexts(calls []Begun) []string {
	out := []string{}
	calls = mergePythonCalls(calls)
	for i := range calls {
		out = append(out, pageText(calls[i].text()))
	}
	return out
}
