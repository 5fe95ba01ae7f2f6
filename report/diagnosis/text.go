package diagnosis

import (
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"laggard/model"
	"laggard/report"
	"laggard/report/slice"
	"laggard/report/words"
)

// The first screen holds the answer: its lists are cut, and what does not fit follows under headings. Only the JSON
// form has all lists whole.
const (
	maxScreen     = 15 // lines of the first screen
	codeLines     = 5  // of them for what the code adds: the line that decided, and the next command
	screenPlaces  = 3
	screenFrames  = 3 // of one place; of several, the innermost frame of the first
	screenWaits   = 2
	maxSpawned    = 3
	maxSkips      = 2
	maxPlaces     = 4
	maxFrames     = 10
	maxSliceLines = 8
)

// Text writes the result for a person; see TextReport.
func Text(w io.Writer, r *Result) error {
	t := NewTextReport(w)
	for _, write := range []func(*Result) error{t.Diagnosis, t.Code, t.Speed, t.Details, t.Misuse, t.Comparison} {
		if err := write(r); err != nil {
			return err
		}
	}
	return nil
}

// TextReport writes a result for a person, part by part, as it comes to be known. Diagnosis comes first, then Code,
// Speed, Details, Misuse and Comparison. The first two are the first screen. It does not write the Analysis, so equal runs give equal text.
type TextReport struct {
	w          io.Writer
	printed    map[int]bool // edges, by index, that have been written
	used       int          // lines of the first screen
	rest       []string     // what did not fit there
	reason     string       // why the ranks are named, as it was written
	confidence float64      // in that
	kind       string       // of the first divergence, as it was written
	notes      int          // how many were written, or are in rest
}

// NewTextReport returns a report that nothing of is written yet.
func NewTextReport(w io.Writer) *TextReport { return &TextReport{w: w, printed: map[int]bool{}} }

// text returns what a function prints.
func (t *TextReport) text(print func(*printer)) string {
	p := printer{printed: t.printed}
	print(&p)
	return p.String()
}

// write writes what functions print, on the first screen or behind it.
func (t *TextReport) write(prints ...func(*printer)) error {
	for _, print := range prints {
		if err := t.writeText(t.text(print)); err != nil {
			return err
		}
	}
	return nil
}

// writeIfFits writes what functions print on the first screen, each if it fits there; else it is kept for Details.
func (t *TextReport) writeIfFits(prints ...func(*printer)) error {
	for _, print := range prints {
		text := t.text(print)
		if t.used+strings.Count(text, "\n") > maxScreen-codeLines {
			t.rest = append(t.rest, text)
		} else if err := t.writeText(text); err != nil {
			return err
		}
	}
	return nil
}

func (t *TextReport) writeText(text string) error {
	t.used += strings.Count(text, "\n")
	_, err := io.WriteString(t.w, text)
	return err
}

// Diagnosis writes what is known before any optional analysis: which rank, why, where, since when, and who waits for it.
func (t *TextReport) Diagnosis(r *Result) error {
	l := r.LeastProgressed
	if len(r.Divergences) > 0 {
		t.kind = r.Divergences[0].Kind
	}
	t.notes = len(r.Notes)
	err := t.write(func(p *printer) { p.headline(r) }, func(p *printer) { p.section(threadLines(r), "communicators") })
	if l != nil {
		t.reason, t.confidence = l.Reason, l.Confidence
		err = errors.Join(err, t.write(
			func(p *printer) { p.firstPlaces(l) },
			func(p *printer) { p.firstWaits(r) },
		))
	}
	var optional []func(*printer)
	for i := len(r.Spawned); i < len(r.Notes); i++ { // those before are below the headline
		optional = append(optional, func(p *printer) { p.notes(r.Notes[i:][:1]) })
	}
	return errors.Join(err, t.writeIfFits(append(optional,
		func(p *printer) { p.damagedData(r) },
		func(p *printer) { p.section(returnedErrorLines(r), "errors") },
		func(p *printer) { p.section(unfreedLines(r), "leaks") },
		func(p *printer) { p.exceptions(r) },
		func(p *printer) { p.losses(r) },
		func(p *printer) { p.cycles(r) },
		func(p *printer) { p.firstDivergence(r) },
		func(p *printer) { p.libraryStacks(r) },
		func(p *printer) { p.differences(r) },
		func(p *printer) { p.section(unsentLines(r), "messages") },
		func(p *printer) { p.section(takenLines(r), "messages") },
		func(p *printer) { p.section(anySourceLines(r), "messages") },
	)...))
}

// Code writes what the code of the program adds, what the ranks did wrong in its terms and the line that decided, and
// the command to type next.
func (t *TextReport) Code(r *Result) error {
	return t.write(func(p *printer) { t.explanation(p, r) }, func(p *printer) { p.skips(r) }, func(p *printer) { p.passedCalls(r) },
		func(p *printer) { p.nextCommand(r) })
}

// Details writes what did not fit on the first screen, known issues of the MPI library, the slice, all groups and all
// other waits.
func (t *TextReport) Details(r *Result) error {
	rest := func(p *printer) {
		for _, text := range t.rest {
			p.WriteString(text)
		}
	}
	return t.write(rest,
		func(p *printer) { p.allPlaces(r.LeastProgressed) },
		func(p *printer) { p.knownIssues(r) },
		func(p *printer) { p.sliceLines(r) },
		func(p *printer) { p.laterNotes(r.Notes[min(t.notes, len(r.Notes)):]) },
		func(p *printer) { p.namedComms(r) },
		func(p *printer) { p.groups(r) },
		func(p *printer) { p.otherWaits(r) },
		func(p *printer) { p.progressOrder(r) },
	)
}

// Misuse writes the wrong use of MPI that explains the hang.
func (t *TextReport) Misuse(r *Result) error {
	return t.write(func(p *printer) { p.explainingFinding(r) })
}

// explanation says in terms of the code what the diagnosis said in terms of calls, and which line decided.
func (t *TextReport) explanation(p *printer, r *Result) {
	l := r.LeastProgressed
	explained := true
	switch {
	case l != nil && l.Reason != t.reason:
		sure := ""
		if l.Confidence != t.confidence {
			sure = fmt.Sprintf(" (confidence %.2f)", l.Confidence)
		}
		p.Line("")
		p.Line("Explanation: %s%s", words.Cut(untoldParts(l.Reason, t.reason)), sure)
	case len(r.Divergences) > 0 && r.Divergences[0].Kind != t.kind:
		p.Line("")
		p.Line("Explanation:")
		p.divergedSides(&r.Divergences[0])
	default:
		explained = false
	}
	if len(r.Divergences) == 0 || r.Divergences[0].Branch == nil {
		return
	}
	if !explained {
		p.Line("")
	}
	p.branch(r, r.Divergences[0].Branch)
}

// untoldParts are the parts of a reason, between semicolons, that are not in the one that was written, if there are such; else all.
func untoldParts(reason, written string) string {
	told := strings.Split(written, "; ")
	parts := slices.DeleteFunc(strings.Split(reason, "; "), func(part string) bool { return slices.Contains(told, part) })
	if len(parts) == 0 {
		return reason
	}
	return strings.Join(parts, "; ")
}

// branch writes the branch that decided.
func (p *printer) branch(r *Result, b *Branch) {
	p.Line("  decided at %s%s", b, r.valuesAt(b))
	for i := range b.Or {
		p.Line("       or at %s%s", &b.Or[i], r.valuesAt(&b.Or[i]))
	}
}

// valuesAt says what the names in the line of a branch stood for when it decided, as far as a named rank still had them when it was
// observed, as it stands behind the line; "": not known. Those of a rank that did nothing wrong would mislead.
func (r *Result) valuesAt(b *Branch) string {
	for i := range r.Slices {
		rank := r.Slices[i].Criterion.Rank
		isPast := len(r.Divergences) > 0 && r.Divergences[0].isPast(rank)
		if l := r.LeastProgressed; l != nil && !slices.Contains(l.Ranks, rank) || isPast {
			continue
		}
		for _, l := range r.Slices[i].Lines {
			if l.File != b.File || l.Line.Line != b.Line {
				continue
			}
			switch held, whole := l.Deciding(b.Text); {
			case held == "":
			case whole:
				return fmt.Sprintf("%s in rank %d", held, rank)
			default:
				return fmt.Sprintf("%s in rank %d; other values are not known", held, rank)
			}
		}
	}
	return ""
}

type printer struct {
	words.Printer
	printed map[int]bool // edges, by index, that have been written
}

func (p *printer) headline(r *Result) {
	l := r.LeastProgressed
	if l == nil {
		p.Line("%s.", Headline(r))
	} else {
		p.Line("%s (confidence %.2f, by %s)", Headline(r), l.Confidence, l.Method)
		if l.Reason != "" && !saidByHeadline(r) {
			p.Line("  because: %s", words.Cut(l.Reason))
		}
	}
	p.List(len(r.Spawned), maxSpawned, "worlds", func(i int) { p.Line("  %s", r.Spawned[i].note()) })
}

// saidByHeadline reports whether the headline about ranks that ended by themselves has all of the reason.
func saidByHeadline(r *Result) bool {
	end, reason := endOf(r), r.LeastProgressed.Reason
	if end == nil {
		return false
	}
	if uncaughtText(r, r.LeastProgressed.Set) != "" {
		reason = strings.Replace(reason, r.exceptionReason(), "", 1)
	}
	return reason == words.Ranks(end.Ranks)+": "+end.Reason+r.argumentReason(end.Ranks)
}

func (p *printer) notes(notes []string) {
	for _, n := range notes {
		p.Line("Note: %s", n)
	}
}

// laterNotes writes what the optional analyses had to remark.
func (p *printer) laterNotes(notes []string) {
	if len(notes) > 0 {
		p.Line("")
		p.notes(notes)
	}
}

// firstPlaces writes where the named ranks are: the first place with its process and its innermost frames.
func (p *printer) firstPlaces(l *LeastProgressed) {
	list := distinctLocations(l)
	if len(list) == 0 {
		return
	}
	p.Line("")
	p.place(list[0])
	frames := ownFrames(list[0])
	if len(list) > 1 {
		frames = frames[:min(len(frames), 1)]
	}
	for _, f := range frames[:min(len(frames), screenFrames)] {
		p.Line("      %s", f.String())
	}
	for _, at := range list[1:min(len(list), screenPlaces)] {
		p.Line("  %s %s", words.Ranks(at.Ranks), activityText(at))
	}
	if more := len(list) - screenPlaces; more > 0 {
		p.Line("  and %s, below", words.Count(more, "more place", "more places"))
	}
}

// ownFrames are the frames of a stack from the place of the program outwards, without those of libraries that it called.
func ownFrames(at Location) []report.Frame {
	i := slices.IndexFunc(at.Stack, func(f report.Frame) bool {
		return f.Function == at.Site.Function && f.File == at.Site.File && f.Line == at.Site.Line
	})
	return at.Stack[max(i, 0):]
}

func (p *printer) place(at Location) {
	p.Line("  %s %s", words.Ranks(at.Ranks), activityText(at))
	if text := processText(at); text != "" {
		p.Line("      %s", text)
	}
}

// allPlaces writes each place once with its stack, if firstPlaces left something out.
func (p *printer) allPlaces(l *LeastProgressed) {
	if l == nil {
		return
	}
	list := distinctLocations(l)
	whole := !slices.ContainsFunc(list, func(at Location) bool {
		return len(at.Stack) > screenFrames || len(at.Beside) > 0 || len(ownFrames(at)) < len(at.Stack) || hasSymbolNotes(at.Stack)
	})
	if len(list) == 0 || len(list) == 1 && whole {
		return
	}
	p.Line("")
	p.Line("Stacks:")
	p.List(len(list), maxPlaces, "places", func(i int) {
		at := list[i]
		p.Line("  %s %s", words.Ranks(at.Ranks), activityText(at))
		p.stack(at.Stack)
		for _, thread := range at.Beside {
			p.Line("    another thread, of %s", words.Ranks(thread.Ranks))
			p.stack(thread.Stack)
		}
	})
}

// hasSymbolNotes reports whether something is to be said of how the frames were resolved.
func hasSymbolNotes(frames []report.Frame) bool {
	return slices.ContainsFunc(frames, func(f report.Frame) bool { return f.Note != "" })
}

func (p *printer) stack(frames []report.Frame) {
	p.List(len(frames), maxFrames, "frames", func(i int) { p.Line("      %s", frames[i].String()) })
	var notes []string
	for _, f := range frames[:min(len(frames), maxFrames)] {
		if f.Note != "" && !slices.Contains(notes, f.Note) {
			notes = append(notes, f.Note)
			p.Line("      (symbols: %s)", words.Cut(f.Note))
		}
	}
}

// firstWaits says for whom the least progressed ranks wait, if for others, and who waits for them, directly, and
// through what; in a deadlock they wait for each other.
func (p *printer) firstWaits(r *Result) {
	var own, direct []int
	for i, e := range r.Edges {
		switch from, to := r.Groups[e.From].Least, r.Groups[e.To].Least; {
		case e.Kind == "undefined":
		case to:
			direct = append(direct, i)
		case from && e.Kind != "inferred":
			own = append(own, i)
		}
	}
	list := append(own[:min(len(own), 1)], direct[:min(len(direct), screenWaits)]...)
	if len(list) == 0 {
		return
	}
	p.Line("")
	for _, i := range list {
		p.waitLine(r, i)
	}
}

func (p *printer) waitLine(r *Result, i int) {
	p.printed[i] = true
	p.Line("  %s", edgeText(r, r.Edges[i]))
}

func (p *printer) cycles(r *Result) { p.section(cycleLines(r), "cycles") }

func (p *printer) section(lines []string, what string) {
	if len(lines) > 0 {
		p.Line("")
	}
	p.List(len(lines), words.MaxLines, what, func(i int) { p.Line("%s", lines[i]) })
}

func (p *printer) losses(r *Result) { p.section(lossLines(r), "losses") }

func (p *printer) damagedData(r *Result) {
	if len(r.DamagedRanks) == 0 && len(r.Problems) == 0 {
		return
	}
	p.Line("")
	whose := ""
	if len(r.DamagedRanks) > 0 {
		whose = " of " + words.Ranks(model.NewRankSet(r.DamagedRanks...).String())
	}
	p.Line("Missing or damaged data%s; the rest was used:", whose)
	p.List(len(r.Problems), words.MaxLines, "problems", func(i int) { p.Line("  %s", words.Cut(r.Problems[i])) })
}

// sliceLines shows the first lines of the first slice.
func (p *printer) sliceLines(r *Result) {
	if len(r.Slices) == 0 || len(r.Slices[0].Lines) == 0 {
		return
	}
	s := r.Slices[0]
	p.Line("")
	of := fmt.Sprintf("of %d lines", len(s.Lines))
	if s.Truncated {
		of = fmt.Sprintf("of %d lines found before the search was cut short", len(s.Lines))
	}
	shown, held := s.Lines[:min(len(s.Lines), maxSliceLines)], ""
	if slice.Valued(shown) {
		held = fmt.Sprintf("; <- values in rank %d", s.Criterion.Rank)
	}
	p.Line("Source lines that may have led there, most likely first, %s (laggard slice shows all%s):", of, held)
	for _, l := range shown {
		text := fmt.Sprintf("      %s:%d  %s  %s%s", path.Base(l.File), l.Line.Line, l.Function, s.Text(l), l.Now())
		p.Line("%s", strings.TrimRight(text, " "))
	}
}

// nextCommand names the command to type next.
func (p *printer) nextCommand(r *Result) {
	if n := nextStep(r); n.Command != "" {
		p.Line("")
		p.Line("Next%s: %s%s%s", n.When, n.beforeCommand(), n.Command, n.Also)
	}
}

// groups writes all groups, unless all ranks finished, as the headline says.
func (p *printer) groups(r *Result) {
	if r.allFinished() {
		return
	}
	p.Line("")
	if r.LeastProgressed == nil {
		p.Line("Groups:")
	} else {
		p.Line("Groups (* least progressed):")
	}
	for _, g := range r.Groups {
		mark := " "
		if g.Least {
			mark = "*"
		}
		p.Line(" %s%3d  %s: %s", mark, g.ID, words.Ranks(g.Ranks), stateText(g.State))
	}
}

// otherWaits writes the edges that were not part of the answer.
func (p *printer) otherWaits(r *Result) {
	if len(p.printed) == len(r.Edges) {
		return
	}
	p.Line("")
	if len(p.printed) == 0 {
		p.Line("Waits:")
	} else {
		p.Line("Other waits:")
	}
	for i := range r.Edges {
		if !p.printed[i] {
			p.waitLine(r, i)
		}
	}
}

func (p *printer) progressOrder(r *Result) {
	if len(r.ProgressOrder) < 2 {
		return
	}
	parts := make([]string, len(r.ProgressOrder))
	for i, ids := range r.ProgressOrder {
		sets := make([]string, len(ids))
		for k, id := range ids {
			sets[k] = words.Set(r.Groups[id].Ranks)
		}
		parts[i] = strings.Join(sets, " = ")
	}
	p.Line("")
	p.Line("Progress, least first: %s", strings.Join(parts, " < "))
}
