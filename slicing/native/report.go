package native

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"laggard/slicing"
	"laggard/slicing/cpu"
	"laggard/symbol"
)

// spot is where an instruction is in the source: the level to show, and the
// calls that were inlined around it.
type spot struct {
	levels []symbol.Call
	quiet  bool
}

// report enters the line of an instruction into the slice and returns the item
// with its distance as it is there: one more than that of the line that needs
// it, if it is another one.
func (r *run) report(it item) item {
	s := r.spot(it.a.f, it.nodeKey)
	own, ok := s.line()
	if !ok {
		return it
	}
	r.count(own, it)
	if own != it.from && it.from.line > 0 {
		it.distance++
	}
	it.from = own
	for i, l := range s.levels {
		kind, far := it.kind, it.distance
		if i > 0 {
			kind, far = slicing.Call, far+i
		}
		r.enter(l, kind, far)
	}
	return it
}

// near is the item as report would return it.
func (r *run) near(it item) item {
	own, ok := r.spot(it.a.f, it.nodeKey).line()
	if !ok {
		return it
	}
	if own != it.from && it.from.line > 0 {
		it.distance++
	}
	it.from = own
	return it
}

// line is where an instruction is in the source, if it says something there.
func (s spot) line() (lineKey, bool) {
	if s.quiet || len(s.levels) == 0 {
		return lineKey{}, false
	}
	return lineKey{s.levels[0].File, s.levels[0].Line}, true
}

// link is a dependence between two lines.
type link struct{ from, to lineKey } // from needs to

// link notes that the line of an instruction is needed by another one, whether the instruction was
// come to before or not.
func (r *run) link(it item) {
	if own, ok := r.spot(it.a.f, it.nodeKey).line(); ok && own != it.from {
		r.links[link{it.from, own}] = true
	}
}

func (r *run) enter(l symbol.Call, kind slicing.Kind, distance int) {
	if r.tooFar(distance) {
		return
	}
	key := lineKey{l.File, l.Line}
	if old := r.lines[key]; old != nil {
		if distance < old.Distance {
			old.Distance, old.Kind = distance, kind
		}
		return
	}
	r.lines[key] = &slicing.Line{File: l.File, Line: l.Line, Function: l.Function, Distance: distance, Kind: kind}
}

func (r *run) spot(f *function, key nodeKey) spot {
	if s, ok := r.places[key]; ok {
		return s
	}
	s := spot{quiet: f.silent(key.i)}
	for _, l := range f.mod.code.Levels(f.insts[key.i].Addr) {
		if l.Line > 0 && l.File != "" && !library(l.File) {
			s.levels = append(s.levels, l)
		}
	}
	r.places[key] = s
	return s
}

// library tells whether a source file belongs to the compiler or the system:
// headers whose code was compiled into the program.
func library(file string) bool {
	return strings.HasPrefix(file, "/usr/include/") || strings.HasPrefix(file, "/usr/lib/") ||
		strings.Contains(file, "/include/c++/")
}

// foreign tells whether the function's own code is from a header of a library.
func (f *function) foreign() bool {
	if f.header == nil {
		is := f.mod.header(f.entry)
		f.header = &is
	}
	return *f.header
}

// maxInner bounds the calls within a library that are followed to find out whether one of them comes back to the
// program.
const maxInner = 10

// closed tells whether a function is from a header of a library and calls no code of the program, such as a comparison
// that it was given.
func (f *function) closed() bool { return f.foreign() && !f.calls(maxInner) }

// calls tells whether a function of a library calls code of the program.
func (f *function) calls(depth int) bool {
	if f.inner == nil {
		is := false
		f.inner = &is // that of a function that calls itself
		for i := range f.insts {
			if _, tail := f.tails[i]; f.insts[i].Kind != cpu.Call && !tail {
				continue
			}
			t := f.target(i)
			callee := f.mod.callee(t)
			switch {
			case t.known || callee == nil && !f.insts[i].Indirect:
			case callee == nil, depth == 0, !callee.foreign(), callee.calls(depth - 1):
				is = true
			}
		}
	}
	return *f.inner
}

// header tells whether the function at an address is from a header of a library.
func (m *module) header(addr uint64) bool {
	levels := m.code.Levels(addr)
	return len(levels) > 0 && library(levels[len(levels)-1].File)
}

// silent tells whether an instruction only moves a value to where the compiler
// wants it: its line says nothing.
func (f *function) silent(i int) bool {
	in, v := &f.insts[i], f.values()
	switch in.Move {
	case cpu.PushReg, cpu.PopReg:
		return true
	case cpu.StoreReg:
		p := v.addr[i]
		return f.slot(p) || f.incoming(i) || f.landed(i)
	case cpu.LoadReg:
		return f.slot(v.load[i])
	case cpu.Copy:
		return f.incoming(i) || f.landed(i)
	}
	return false
}

// slot tells whether a place is on the stack, but no variable of the source:
// there a register was put aside. What others have the address of is a variable,
// whether the debug information gives it a fixed place or not.
func (f *function) slot(p place) bool {
	if p.base != stackBase || !p.exact() || p.lo >= 0 || f.values().escaped(p.lo) {
		return false
	}
	_, ok := smallest(f.variables().Stack, f.mod.arch.ReturnAddress, p.lo)
	return !ok
}

// incoming tells whether an instruction puts aside an argument as it came in.
func (f *function) incoming(i int) bool {
	in := &f.insts[i]
	if int(f.blk[i]) != f.entryBlock() || !f.mod.arch.Passes.Has(in.Src) {
		return false
	}
	for j := f.block(i).first; j < i; j++ {
		if f.insts[j].Def.Has(in.Src) || f.insts[j].Kind == cpu.Call {
			return false
		}
	}
	return true
}

// byDistance puts the nearest lines first.
func byDistance(a, b slicing.Line) int {
	return cmp.Or(cmp.Compare(a.Distance, b.Distance), cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
}

// share is what a slice has of the code of a line.
type share struct {
	code  int       // instructions, each once, however often its function is called
	of    *function // that has one of them
	loops bool      // one that a loop goes on by
}

// count adds an instruction to the share of its line. A jump that a loop goes on by decides whether it is
// come to again.
func (r *run) count(own lineKey, it item) {
	f, s := it.a.f, r.shares[own]
	if r.counted[f] == nil {
		r.counted[f] = f.none()
	}
	if counted := r.counted[f]; !counted.has(it.i) {
		counted.add(it.i)
		s.code++
	}
	block := f.blk[it.i]
	s.of = f
	s.loops = s.loops || f.insts[it.i].Kind == cpu.Branch &&
		slices.Contains(f.controls(r.options.Endless, it.a.caught)[block], block)
	r.shares[own] = s
}

// What counts as much as twice the code of a line, fitted to where the faults of the programs are that may be
// looked at. A line that does much with what is needed is more often at fault than one that passes it on, or that
// goes on with a loop; so is one that much of the slice led to and that few lines need, since of a fault in what
// all rests on, more would be seen. Of the frames on the stack one knows already. In a slice of a page the near lines
// only say what is waited for; the more lines there are, the more of the far ones are of what all rests on, and the
// frames are as likely as others.
const (
	rests    = 4.0 // if it needs all lines of the slice
	needed   = 1   // half as many lines that need it
	offStack = 1   // it is not in a function on the stack
	noFrame  = 3   // a frame is not there, half of what counts where a slice has few lines
	noLoop   = 2
	distance = 0.25 // one dependence more with few lines, or less for each time that they are doubled
	few      = 40
)

// rank puts the lines first that are likely at fault. A slice that begins at a jump, as at the branch where
// ranks parted, begins with its line.
func (r *run) rank(lines []slicing.Line) {
	frames, observed := map[lineKey]bool{}, map[*function]bool{}
	for _, l := range r.stack {
		frames[lineKey{l.File, l.Line}] = true
	}
	for key := range r.nodes {
		if key.a.nested == 0 {
			observed[key.a.f] = true
		}
	}
	needs, users := r.dependences(lines)
	doubled := math.Log2(max(1, float64(len(lines))/few))
	twice := func(n int) float64 { return math.Log2(1 + float64(n)) }
	farther := distance * (max(0, 1-doubled) - doubled)
	likely := map[lineKey]float64{}
	for i, l := range lines {
		key := lineKey{l.File, l.Line}
		s := r.shares[key]
		out := twice(s.code) + rests*float64(needs[i])/float64(len(lines)) - needed*twice(users[i]) +
			farther*float64(l.Distance)
		if key == r.jump {
			out = math.Inf(1)
		}
		if frames[key] {
			out -= noFrame * max(0, 2-doubled)
		}
		if observed[s.of] {
			out -= offStack
		}
		if s.loops {
			out -= noLoop
		}
		likely[key] = out
	}
	slices.SortFunc(lines, func(a, b slicing.Line) int {
		return cmp.Or(cmp.Compare(likely[lineKey{b.File, b.Line}], likely[lineKey{a.File, a.Line}]), byDistance(a, b))
	})
}

// dependences counts for each line how many others it needs, directly or not, and how many need it directly.
func (r *run) dependences(lines []slicing.Line) (needs, users []int) {
	index := make(map[lineKey]int, len(lines))
	for i, l := range lines {
		index[lineKey{l.File, l.Line}] = i
	}
	next := make([][]int, len(lines))
	needs, users = make([]int, len(lines)), make([]int, len(lines))
	for l := range r.links {
		from, needing := index[l.from]
		to, needed := index[l.to]
		if needing && needed {
			next[from] = append(next[from], to)
			users[to]++
		}
	}
	for i := range lines {
		seen := make([]bool, len(lines))
		seen[i] = true
		for todo := []int{i}; len(todo) > 0; {
			at := todo[len(todo)-1]
			todo = todo[:len(todo)-1]
			for _, n := range next[at] {
				if !seen[n] {
					seen[n] = true
					todo = append(todo, n)
					needs[i]++
				}
			}
		}
	}
	return needs, users
}

// folded finds the lines that the compiler left no code for.
func (r *run) folded(lines []slicing.Line) []slicing.Line {
	if r.files == nil || len(lines) > maxFolded {
		return nil
	}
	var coded symbol.CodedLines
	for key := range r.nodes {
		coded.Add(key.a.f.mod.code, key.a.f.entry)
	}
	more := r.files.Lines(lines, r.stack, coded.Of)
	if len(more) > 0 {
		var text []string
		for _, l := range more {
			text = append(text, fmt.Sprintf("%s:%d", path.Base(l.File), l.Line))
		}
		r.note("the compiler left no code for these lines; they were chosen by the names in them: " +
			strings.Join(text, ", "))
	}
	return more
}

// maxFolded bounds the slices for which lines without code are looked for.
const maxFolded = 2000

// result makes the slice of what was found.
func (r *run) result(backend string, incomplete bool) slicing.Slice {
	out := slicing.Slice{Backend: backend, Truncated: r.truncated || incomplete}
	for _, l := range r.lines {
		out.Lines = append(out.Lines, *l)
	}
	slices.SortFunc(out.Lines, byDistance)
	if !incomplete {
		out.Lines = append(out.Lines, r.folded(out.Lines)...)
	}
	r.rank(out.Lines)
	for _, m := range r.prog.list {
		if r.used[m] && m.err == nil && !m.system {
			for _, n := range m.code.Notes() {
				r.note(n)
			}
			if !m.code.HasLines() {
				r.note(fmt.Sprintf("no debug information: %s (its lines are missing, its dependences were followed)",
					m.code.Path()))
			}
		}
	}
	out.Notes = r.notes
	return out
}
