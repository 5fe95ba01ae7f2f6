package diagnosis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// maxBuffers bounds how many buffers a sentence speaks of.
const maxBuffers = 2

// Buffer is one with which something is wrong: of the MPI call in which ranks died, or of an operation that was pending then.
type Buffer struct {
	Call     string `json:"call"`     // the MPI function that was given it
	Argument string `json:"argument"` // the name of its parameter
	// the call began an operation that was pending; otherwise the ranks died in it
	Pending bool        `json:"pending"`
	Site    report.Site `json:"site"` // of a call that began an operation; empty: it is not known
	// what is wrong: null, unmapped, read-only, freed, returned (it was on the stack of a function that has returned) or short
	Flaw    string `json:"flaw"`
	Written bool   `json:"written"` // the call writes it
	// bytes from its address on that the call uses; 0 unknown: the call has overwritten the arguments that say it
	Needed int64 `json:"needed"`
	Room   int64 `json:"room"` // how many are there, of a short one; else 0
	// what tells the room: variable, malloc, or mapping
	Source   string `json:"source,omitempty"`
	Variable string `json:"variable,omitempty"` // the name of the variable, if it has one
	Certain  bool   `json:"certain"`            // otherwise it is likely
	Text     string `json:"text"`               // all this in words
}

// The flaws of a buffer.
const (
	flawNull     = "null"
	flawUnmapped = "unmapped"
	flawReadOnly = "read-only"
	flawFreed    = "freed"
	flawReturned = "returned"
	flawShort    = "short"
)

// The sources of the room of a buffer.
const (
	roomOfVariable = "variable"
	roomOfMalloc   = "malloc"
	roomOfMapping  = "mapping"
)

// newBuffers are those buffers with which something is wrong, the certain ones first, and those of the call itself before pending ones.
func (s Source) newBuffers(buffers []facts.Buffer) (out []Buffer) {
	for i := range buffers {
		if b := s.newBuffer(&buffers[i]); b.Flaw != "" {
			out = append(out, b)
		}
	}
	order := func(b Buffer) int {
		n := 0
		if b.Pending {
			n = 2
		}
		if !b.Certain {
			n++
		}
		return n
	}
	slices.SortStableFunc(out, func(a, b Buffer) int { return cmp.Compare(order(a), order(b)) })
	return out
}

// newBuffer says what is wrong with a buffer; Flaw "": nothing that is known.
func (s Source) newBuffer(b *facts.Buffer) Buffer {
	out := Buffer{Call: words.Printable(b.Call), Pending: b.Pending, Written: b.Written, Needed: b.High}
	f := mpi.FindFunction(b.Call)
	if f == nil || b.Position >= len(f.Params) || b.High <= 0 {
		return out
	}
	out.Argument = f.Params[b.Position].Name
	if b.Pending {
		out.Site = report.NewSite(s.Resolver.ResolveProgramStack(b.Stack, false))
	}
	room, name := s.variableRoom(b)
	out.Variable = words.Printable(name)
	switch {
	case b.Memory == model.MemoryNull:
		out.Flaw, out.Certain = flawNull, true
	case b.Memory == model.MemoryNone:
		out.Flaw, out.Certain = flawUnmapped, true
	case b.Memory == model.MemoryGone:
		out.Flaw, out.Certain = flawReturned, true
	case b.Written && b.ReadOnly:
		out.Flaw, out.Certain = flawReadOnly, true
	case b.Memory == model.MemoryFreed:
		out.Flaw = flawFreed
	case room >= 0 && room < b.High:
		out.Flaw, out.Room, out.Source, out.Certain = flawShort, room, roomOfVariable, true
	case b.Room < 0 || b.Room >= b.High:
	case b.Memory == model.MemoryBlock:
		out.Flaw, out.Room, out.Source = flawShort, b.Room, roomOfMalloc
	case b.Memory == model.MemoryMapping || b.Memory == model.MemoryStack:
		out.Flaw, out.Room, out.Source, out.Certain = flawShort, b.Room, roomOfMapping, true
	}
	if b.Unsure {
		out.doubt()
	}
	out.Text = out.describe(f, b)
	return out
}

// doubt takes back what follows from arguments that the call may have overwritten: how many bytes it uses. If it did, it wrote beyond
// a buffer.
func (b *Buffer) doubt() {
	if b.Flaw == flawShort && !b.Written {
		b.Flaw = ""
	}
	b.Needed, b.Certain = 0, false
}

// describe says what is wrong.
func (b *Buffer) describe(f *mpi.Function, x *facts.Buffer) string {
	what := b.subject(f)
	switch b.Flaw {
	case flawNull:
		if b.Needed == 0 {
			return what + " is a null pointer"
		}
		return fmt.Sprintf("%s is a null pointer, and %s", what, b.use(f))
	case flawUnmapped:
		return fmt.Sprintf("%s is at %#x, where no memory is", what, x.Address)
	case flawReturned:
		return what + " was a local variable of a function that has returned"
	case flawReadOnly:
		return fmt.Sprintf("%s is in memory that cannot be written%s", what, b.inVariable())
	case flawFreed:
		return what + " has probably been freed, by what malloc notes of it"
	case flawShort:
		return b.describeRoom(f, what) + reachOf(f, x)
	}
	return ""
}

// subject names the buffer, and of a pending operation the call that began it.
func (b *Buffer) subject(f *mpi.Function) string {
	name := "the buffer"
	switch {
	case f.ParamIndex("recvbuf") >= 0 && f.ParamIndex("sendbuf") >= 0:
		name = "the buffer " + b.Argument
	case f.Class.ReceivesMessage() && b.Written:
		name = "the receive buffer"
	case f.Class.SendsMessage():
		name = "the send buffer"
	}
	if !b.Pending {
		return name
	}
	return fmt.Sprintf("%s of %s%s, which is pending,", name, b.Call, b.Site.InParentheses())
}

// use says how many bytes the call uses.
func (b *Buffer) use(f *mpi.Function) string {
	verb := "reads"
	switch {
	case b.Written && f.Class.ReceivesMessage():
		verb = "receives up to"
	case b.Written:
		verb = "writes"
	case f.Class.SendsMessage():
		verb = "sends"
	}
	who := "the call"
	if b.Needed == 0 {
		return "the call probably wrote beyond it, over its own arguments"
	}
	if b.Pending {
		who = "it"
	}
	return fmt.Sprintf("%s %s %d bytes", who, verb, b.Needed)
}

func (b *Buffer) describeRoom(f *mpi.Function, what string) string {
	switch b.Source {
	case roomOfVariable:
		kind := cmp.Or(b.inVariable(), " (a local variable)")
		return fmt.Sprintf("%s has room for %d bytes%s, and %s", what, b.Room, kind, b.use(f))
	case roomOfMalloc:
		return fmt.Sprintf("%s probably has room for at most %d bytes (a block of malloc), and %s", what, b.Room, b.use(f))
	}
	return fmt.Sprintf("%s has at most %d bytes up to the end of the memory there, and %s", what, b.Room, b.use(f))
}

// inVariable names the variable that the buffer is in.
func (b *Buffer) inVariable() string {
	if b.Variable == "" {
		return ""
	}
	return fmt.Sprintf(" (variable %s)", b.Variable)
}

// reachOf says which displacement reaches so far.
func reachOf(f *mpi.Function, x *facts.Buffer) string {
	for i := x.Position + 1; x.Element >= 0 && i < len(f.Params) && i <= x.Position+2; i++ {
		if p := &f.Params[i]; slices.Contains([]string{"displs", "sdispls", "rdispls"}, p.Name) {
			return fmt.Sprintf(", with %s[%d]", p.Name, x.Element)
		}
	}
	return ""
}

// variableRoom is how many bytes the variable has from the address of the buffer on, with its name; -1: it is in none that is known.
func (s Source) variableRoom(b *facts.Buffer) (room int64, name string) {
	if len(b.Variable) == 0 || b.Variable[0].Module == nil {
		return -1, ""
	}
	at := b.Variable[0]
	code, err := s.Resolver.CodeOf(at.Module)
	if err != nil {
		return -1, ""
	}
	if b.Memory == model.MemoryStack {
		return localRoom(code.Variables(at.Offset-1), b.InFrame), ""
	}
	lo, hi, ok := code.ObjectRange(at.Offset)
	if !ok || at.Offset >= hi {
		return -1, ""
	}
	return int64(hi - at.Offset), symbol.VariableName(code.ObjectName(lo))
}

// localRoom is how many bytes the local variables around an offset from the canonical frame address have from there on: compilers put
// several in one place, so it is the one with most; -1: there is none.
func localRoom(v *symbol.Variables, offset int64) int64 {
	room := int64(-1)
	if v == nil {
		return room
	}
	for _, local := range v.Stack {
		if local.Offset <= offset && offset < local.Offset+local.Size {
			room = max(room, local.Offset+local.Size-offset)
		}
	}
	return room
}

// bufferText says what is wrong with the buffers that MPI may have used when the ranks died, as part of a sentence; "": nothing that is
// known.
func bufferText(buffers []Buffer, withinMPI bool) string {
	if !withinMPI {
		return ""
	}
	var texts []string
	for _, b := range buffers[:min(len(buffers), maxBuffers)] {
		texts = append(texts, b.Text)
	}
	return joinTexts(texts...)
}

// argumentReason says what is wrong with the arguments of ranks that died, as far as the reason does not; "": nothing that is known.
func (r *Result) argumentReason(set string) string {
	for _, l := range r.Losses {
		if l.Ranks != set {
			continue
		}
		text, before := l.Argument, ""
		if l.Erred {
			text = bufferText(l.Buffers, true)
		}
		if l.Erred && l.FreedBy != "" {
			before = ", by " + l.FreedBy
		}
		if text != "" {
			text = "; " + text
		}
		return before + text
	}
	return ""
}

// bufferLines say what is wrong with the buffers of losses, as far as the losses do not.
func bufferLines(r *Result) (lines []string) {
	for _, l := range r.Losses {
		for _, b := range l.Buffers {
			if !strings.Contains(l.Argument+l.Error, b.Text) {
				lines = append(lines, fmt.Sprintf("Buffers: %s: %s", words.Ranks(l.Ranks), b.Text))
			}
		}
	}
	return lines
}

// joinTexts joins what is known in parts of a sentence.
func joinTexts(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "; ")
}
