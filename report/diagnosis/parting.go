package diagnosis

import (
	"fmt"
	"path"
	"strings"

	"laggard/analysis/divergence"
	"laggard/model"
	"laggard/report"
	"laggard/report/source"
	"laggard/report/words"
	"laggard/slicing"
	"laggard/symbol"
)

// Divergence is a communicator, window or file whose members did not begin the same
// collectives.
type Divergence struct {
	Communicator string `json:"communicator"` // hexadecimal
	Object       string `json:"object"`       // MPI_COMM_WORLD, communicator, window or file
	// Kind is how the first of Odd left the others; see docs/diagnosis.md.
	Kind     string `json:"kind"`
	Number   uint64 `json:"number"`   // of the first collective that differs
	AlikeTo  uint64 `json:"alike_to"` // the last number up to which all agree
	Majority bool   `json:"majority"` // more members agree than not
	Agree    Side   `json:"agree"`    // those that follow the common sequence
	Odd      []Side `json:"odd"`      // those that left it
	// Last is what they did last in common; null: it is not known.
	Last *Begun `json:"last_common"`
	// Branch decided that the ways part; null: it is not known.
	Branch *Branch `json:"branch"`
}

// Branch is a line of the program that decided which way ranks went.
type Branch struct {
	report.Site
	Text string `json:"text"` // of the line, "" not found
}

// AddBranch names the branch that decided the first divergence.
func AddBranch(r *Result, b *slicing.Branch, resolver *symbol.Resolver, finder source.Finder) {
	if b == nil || len(r.Divergences) == 0 {
		return
	}
	out := Branch{Site: report.NewSite(resolver.Stack(b.Stack, true))}
	if lines := finder.Text(out.File); out.Line > 0 && out.Line <= len(lines) {
		out.Text = words.Printable(strings.TrimSpace(lines[out.Line-1]))
	}
	r.Divergences[0].Branch = &out
}

// Side is some members of a communicator that began the same.
type Side struct {
	Ranks string `json:"ranks"`
	Kind  string `json:"kind,omitempty"` // how they left the others
	// Calls are the ones that differ: those of the common sequence that were
	// skipped, or the own ones. Of those that agree it is the first that differs.
	Calls []Begun `json:"calls"`
	Now   *Begun  `json:"now"` // the latest collective that they began; null unknown
}

// Begun is a collective that was begun.
type Begun struct {
	Number uint64 `json:"number"`
	MPI    string `json:"mpi"`
	report.Site
	Root  *int           `json:"root,omitempty"`
	Op    string         `json:"op,omitempty"`
	Bytes *int64         `json:"bytes,omitempty"` // of one block
	Stack []report.Frame `json:"stack"`
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
		Number: first.Number, AlikeTo: first.After,
		Majority: d.Majority, Last: s.begun(first.Before()),
		Agree: Side{Ranks: d.Agree.String(), Calls: s.calls(first.Theirs), Now: s.begun(d.Common.Now())},
	}
	for i := range d.Odd {
		o := &d.Odd[i]
		out.Odd = append(out.Odd, Side{
			Ranks: o.Ranks.String(), Kind: string(o.Kind), Calls: s.calls(o.Calls), Now: s.begun(o.Now()),
		})
	}
	return out
}

func objectOf(kind model.CommKind) string {
	switch kind {
	case model.World:
		return "MPI_COMM_WORLD"
	case model.Window:
		return "window"
	case model.File:
		return "file"
	}
	return "communicator"
}

// on names the communicator, window or file.
func (d *Divergence) on() string {
	if d.Object == objectOf(model.World) {
		return d.Object
	}
	return d.Object + " " + d.Communicator
}

func (s Source) calls(calls []divergence.Call) []Begun {
	out := []Begun{}
	for i := range calls {
		out = append(out, *s.begun(&calls[i]))
	}
	return out
}

func (s Source) begun(c *divergence.Call) *Begun {
	if c == nil {
		return nil
	}
	out := &Begun{Number: c.Number, MPI: words.Printable(c.Function()), Op: c.Op, Stack: []report.Frame{}}
	if c.State != nil {
		stack := symbol.Trim(s.Resolver.Stack(c.State.Stack, false))
		out.Site, out.Stack = report.NewSite(stack), report.Frames(stack)
	}
	if c.Root != model.None {
		out.Root = &c.Root
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

// partings shows the first divergence: both sides, and what they did last in
// common.
func (p *printer) partings(r *Result) {
	if len(r.Divergences) == 0 {
		return
	}
	d := r.Divergences[0]
	p.Line("")
	p.Line("Where they part: collective %d on %s", d.Number, d.on())
	if d.Last != nil {
		p.Line("      all ranks: %s, the last that they share", d.Last.text())
	}
	p.List(len(d.Odd), maxSides, "groups of ranks", func(i int) {
		side := d.Odd[i]
		p.Line("  %s %s", words.Ranks(side.Ranks), side.how())
		p.List(len(side.Calls), maxCalls, "calls", func(k int) { p.call(&side.Calls[k]) })
		if side.wentOn() {
			p.Line("      and is now at %s", side.Now.text())
		}
	})
	if d.Agree.Ranks != "" && len(d.Agree.Calls) > 0 && d.Kind != string(divergence.Skipped) {
		p.Line("  %s:", words.Ranks(d.Agree.Ranks))
		p.call(&d.Agree.Calls[0])
	}
	if d.Branch != nil {
		p.Line("  decided at %s", strings.TrimSuffix(d.Branch.String()+": "+d.Branch.Text, ": "))
	}
	if n := len(r.Divergences) - 1; n > 0 {
		p.Line("  %s, too", words.Count(n, "other communicator has members that differ",
			"other communicators have members that differ"))
	}
}

// wentOn tells whether the latest call of a side is another one than those shown.
func (s Side) wentOn() bool {
	switch {
	case s.Now == nil || s.Kind == string(divergence.Departed):
		return false
	case len(s.Calls) == 0 || s.Kind == string(divergence.Skipped):
		return true
	}
	return s.Now.Number > s.Calls[0].Number
}

func (p *printer) call(b *Begun) {
	p.Line("      %s", b.text())
	if len(b.Stack) > 1 {
		var by []string
		for _, f := range b.Stack[1:min(len(b.Stack), 4)] {
			by = append(by, f.String())
		}
		p.Line("        called from %s", strings.Join(by, ", "))
	}
}

// how says in a few words how a side left the others.
func (s Side) how() string {
	switch divergence.Kind(s.Kind) {
	case divergence.Skipped:
		return "skipped"
	case divergence.Extra:
		return "made more"
	case divergence.Order:
		return "made in another order"
	case divergence.Departed:
		return "went elsewhere"
	case divergence.Arguments, divergence.Different:
		return "called instead"
	}
	return "left the common sequence before the calls that were kept"
}

// text names a collective: function, arguments and place.
func (b *Begun) text() string {
	text := b.MPI
	if b.Root != nil {
		text += fmt.Sprintf(", root %d", *b.Root)
	}
	if b.Op != "" {
		text += ", " + b.Op
	}
	if b.Bytes != nil {
		text += ", " + words.Count(int(*b.Bytes), "byte", "bytes")
	}
	switch {
	case b.File != "":
		return fmt.Sprintf("%s in %s (%s:%d)", text, b.Function, path.Base(b.File), b.Line)
	case b.Function != "":
		return text + " in " + b.Function
	}
	return text
}

// partings are the divergences for the page, as many as it shows.
func (b *pageBuilder) partings(r *Result) []pageParting {
	var out []pageParting
	for _, d := range r.Divergences[:min(len(r.Divergences), maxPagePartings)] {
		p := pageParting{Where: fmt.Sprintf("Collective %d on %s", d.Number, d.on())}
		if d.Last != nil {
			p.Last = d.Last.text()
		}
		for _, side := range d.Odd[:min(len(d.Odd), maxPagePartings)] {
			p.Sides = append(p.Sides, pageSide{side.Ranks, side.how(), callTexts(side.Calls)})
		}
		p.Sides = append(p.Sides, pageSide{d.Agree.Ranks, "the others", callTexts(d.Agree.Calls)})
		if d.Branch != nil {
			p.Branch, p.Text = d.Branch.String(), d.Branch.Text
		}
		out = append(out, p)
	}
	return out
}

func callTexts(calls []Begun) []string {
	out := []string{}
	for i := range calls {
		out = append(out, calls[i].text())
	}
	return out
}
