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

// reporter makes the slice of what a search has found.
type reporter struct{ *run }

func (r *run) reporter() reporter { return reporter{r} }

// reportLine enters the line of an instruction into the slice and returns the item
// with its distance as it is there: one more than that of the line that needs
// it, if it is another one.
func (r reporter) reportLine(it item) item {
	s := r.spotOf(it.a.f, it.nodeKey)
	own, ok := s.shownLine()
	if !ok {
		return it
	}
	r.countShare(own, it)
	if own != it.from && it.from != (slicing.LineID{}) {
		it.distance++
	}
	it.from = own
	for i, l := range s.levels {
		kind, far := it.kind, it.distance
		if i > 0 {
			kind, far = slicing.Call, far+i
		}
		r.addLine(l, kind, far)
	}
	return it
}

// withLineDistance is the item as report would return it.
func (r reporter) withLineDistance(it item) item {
	own, ok := r.spotOf(it.a.f, it.nodeKey).shownLine()
	if !ok {
		return it
	}
	if own != it.from && it.from != (slicing.LineID{}) {
		it.distance++
	}
	it.from = own
	return it
}

// shownLine is where an instruction is in the source, if it says something there.
func (s spot) shownLine() (slicing.LineID, bool) {
	if s.quiet || len(s.levels) == 0 {
		return slicing.LineID{}, false
	}
	return levelID(s.levels[0]), true
}

// levelID identifies the line of a level.
func levelID(l symbol.Call) slicing.LineID {
	return slicing.Line{File: l.File, Line: l.Line, Function: l.Function}.ID()
}

// link is a dependence between two lines.
type link struct{ from, to slicing.LineID } // from needs to

// addLink notes that the line of an instruction is needed by another one, whether the instruction was
// come to before or not.
func (r reporter) addLink(it item) {
	if own, ok := r.spotOf(it.a.f, it.nodeKey).shownLine(); ok && own != it.from {
		r.links[link{it.from, own}] = true
	}
}

func (r reporter) addLine(l symbol.Call, kind slicing.Kind, distance int) {
	if r.beyondDepth(distance) {
		return
	}
	key := levelID(l)
	if old := r.lines[key]; old != nil {
		if distance < old.Distance {
			old.Distance, old.Kind = distance, kind
		}
		return
	}
	r.lines[key] = &slicing.Line{File: l.File, Line: l.Line, Function: l.Function, Distance: distance, Kind: kind}
}

func (r reporter) spotOf(f *function, key nodeKey) spot {
	if s, ok := r.spots[key]; ok {
		return s
	}
	s := spot{quiet: f.isSilentMove(key.i)}
	for _, l := range f.mod.code.CallLevels(f.insts[key.i].Addr) {
		if l.Line > 0 && l.File != "" && !isLibraryHeader(l.File) {
			s.levels = append(s.levels, l)
		}
	}
	if l, ok := r.functionLevel(f); ok {
		s.levels = append(s.levels, l)
	}
	r.spots[key] = s
	return s
}

// functionLevel is the level of an instruction of a function that has a name but no line information, unless only lines are asked
// for. Its file is the one with the code.
func (r reporter) functionLevel(f *function) (symbol.Call, bool) {
	if r.budget.NeedsLines || f.name == "" || f.mod.system || f.mod.code.HasLines() {
		return symbol.Call{}, false
	}
	return symbol.Call{Function: f.mod.code.DisplayName(f.name), File: f.mod.code.Path()}, true
}

// isLibraryHeader reports whether a source file belongs to the compiler or the system:
// headers whose code was compiled into the program.
func isLibraryHeader(file string) bool {
	return strings.HasPrefix(file, "/usr/include/") || strings.HasPrefix(file, "/usr/lib/") ||
		strings.Contains(file, "/include/c++/")
}

// isFromHeader reports whether the function's own code is from a header of a library.
func (f *function) isFromHeader() bool {
	if f.header == nil {
		is := f.mod.isHeaderCode(f.entry)
		f.header = &is
	}
	return *f.header
}

// maxInner bounds the calls within a library that are followed to find out whether one of them comes back to the
// program.
const maxInner = 10

// staysInLibrary reports whether a function is from a header of a library and calls no code of the program, such as a comparison
// that it was given.
func (f *function) staysInLibrary() bool { return f.isFromHeader() && !f.callsProgram(maxInner) }

// callsProgram reports whether a function of a library calls code of the program.
func (f *function) callsProgram(depth int) bool {
	if f.inner == nil {
		is := false
		f.inner = &is // that of a function that calls itself
		for i := range f.insts {
			if _, tail := f.tails[i]; f.insts[i].Kind != cpu.Call && !tail {
				continue
			}
			t := f.effects().callTarget(i)
			callee := f.mod.targetFunction(t)
			switch {
			case t.known || callee == nil && !f.insts[i].Indirect:
			case callee == nil, depth == 0, !callee.isFromHeader(), callee.callsProgram(depth - 1):
				is = true
			}
		}
	}
	return *f.inner
}

// isHeaderCode reports whether the function at an address is from a header of a library.
func (m *module) isHeaderCode(addr uint64) bool {
	levels := m.code.CallLevels(addr)
	return len(levels) > 0 && isLibraryHeader(levels[len(levels)-1].File)
}

// isSilentMove reports whether an instruction only moves a value to where the compiler
// wants it: its line says nothing.
func (f *function) isSilentMove(i int) bool {
	in, v := &f.insts[i], f.valueFlow()
	switch in.Move {
	case cpu.PushReg, cpu.PopReg:
		return true
	case cpu.StoreReg:
		p := *v.addr[i]
		return f.isSpillSlot(p) || f.savesArgument(i) || f.unwinding().savesException(i)
	case cpu.LoadReg:
		return f.isSpillSlot(*v.load[i])
	case cpu.Copy:
		return f.savesArgument(i) || f.unwinding().savesException(i)
	}
	return false
}

// isSpillSlot reports whether a place is on the stack, but no variable of the source:
// there a register was put aside. What others have the address of is a variable,
// whether the debug information gives it a fixed place or not.
func (f *function) isSpillSlot(p place) bool {
	if p.base != stackBase || !p.isExact() || p.lo >= 0 || f.valueFlow().transfer().hasEscaped(p.lo) {
		return false
	}
	_, ok := smallestVariable(f.variables().Stack, f.mod.arch.ReturnAddress, p.lo)
	return !ok
}

// savesArgument reports whether an instruction puts aside an argument as it came in.
func (f *function) savesArgument(i int) bool {
	in := &f.insts[i]
	if int(f.blk[i]) != f.graph().entryBlock() || !f.mod.arch.Passes.Has(in.Src) {
		return false
	}
	for j := f.blockOf(i).first; j < i; j++ {
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

// countShare adds an instruction to the share of its line. A jump that a loop goes on by decides whether it is
// come to again.
func (r reporter) countShare(own slicing.LineID, it item) {
	f, s := it.a.f, r.shares[own]
	if r.counted[f] == nil {
		r.counted[f] = f.reaching().emptySet()
	}
	if counted := r.counted[f]; !counted.has(it.i) {
		counted.add(it.i)
		s.code++
	}
	block := f.blk[it.i]
	s.of = f
	s.loops = s.loops || f.insts[it.i].Kind == cpu.Branch &&
		slices.Contains(f.graph().controlDependences(r.options.TerminationSensitive, it.a.caught)[block], block)
	r.shares[own] = s
}

// What counts as much as twice the code of a line, fitted to where the faults of the programs are that may be
// looked at. A line that does much with what is needed is more often at fault than one that passes it on, or that
// goes on with a loop; so is one that much of the slice led to and that few lines need, since of a fault in what
// all rests on, more would be seen. Of the frames on the stack one knows already. In a slice of a page the near lines
// only say what is waited for; the more lines there are, the more of the far ones are of what all rests on, and the
// frames are as likely as others.
const (
	needsWeight     = 4.0 // if it needs all lines of the slice
	usersPenalty    = 1   // half as many lines that need it
	offStackPenalty = 1   // it is not in a function on the stack
	framePenalty    = 3   // a frame is not there, half of what counts where a slice has few lines
	loopPenalty     = 2
	distanceWeight  = 0.25 // one dependence more with few lines, or less for each time that they are doubled
	smallSliceLines = 40
)

// rankLines puts the lines first that are likely at fault. A slice that begins at a jump, as at the branch where
// ranks parted, begins with its line.
func (r reporter) rankLines(lines []slicing.Line) {
	frames, observed := map[slicing.LineID]bool{}, map[*function]bool{}
	for _, l := range r.stack {
		frames[l.ID()] = true
	}
	for key := range r.nodes {
		if key.a.nested == 0 {
			observed[key.a.f] = true
		}
	}
	needs, users := r.dependences(lines)
	doubled := math.Log2(max(1, float64(len(lines))/smallSliceLines))
	twice := func(n int) float64 { return math.Log2(1 + float64(n)) }
	farther := distanceWeight * (max(0, 1-doubled) - doubled)
	likely := map[slicing.LineID]float64{}
	for i, l := range lines {
		key := l.ID()
		s := r.shares[key]
		out := twice(s.code) + needsWeight*float64(needs[i])/float64(len(lines)) - usersPenalty*twice(users[i]) +
			farther*float64(l.Distance)
		if key == r.jump {
			out = math.Inf(1)
		}
		if frames[key] {
			out -= framePenalty * max(0, 2-doubled)
		}
		if observed[s.of] {
			out -= offStackPenalty
		}
		if s.loops {
			out -= loopPenalty
		}
		likely[key] = out
	}
	slices.SortFunc(lines, func(a, b slicing.Line) int {
		return cmp.Or(cmp.Compare(likely[b.ID()], likely[a.ID()]), byDistance(a, b))
	})
}

// dependences counts for each line how many others it needs, directly or not, and how many need it directly.
func (r reporter) dependences(lines []slicing.Line) (needs, users []int) {
	index := make(map[slicing.LineID]int, len(lines))
	for i, l := range lines {
		index[l.ID()] = i
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

// foldedLines finds the lines that the compiler left no code for.
func (r reporter) foldedLines(lines []slicing.Line) []slicing.Line {
	if r.files == nil || len(lines) > maxFolded {
		return nil
	}
	var coded symbol.CodedLines
	for key := range r.nodes {
		coded.Add(key.a.f.mod.code, key.a.f.entry)
	}
	more := r.files.Lines(lines, r.stack, coded.LinesOf)
	if len(more) > 0 {
		var text []string
		for _, l := range more {
			text = append(text, fmt.Sprintf("%s:%d", path.Base(l.File), l.Line))
		}
		r.addNote("the compiler left no code for these lines; they were chosen by the names in them: " +
			strings.Join(text, ", "))
	}
	return more
}

// maxFolded bounds the slices for which lines without code are looked for.
const maxFolded = 2000

// buildSlice makes the slice of what was found.
func (r reporter) buildSlice(backend string, incomplete bool) slicing.Slice {
	out := slicing.Slice{
		Backend: backend, Truncated: r.truncated || incomplete, Unfinished: incomplete || r.partial || r.prog.over,
	}
	for _, l := range r.lines {
		out.Lines = append(out.Lines, *l)
	}
	slices.SortFunc(out.Lines, byDistance)
	if !incomplete {
		out.Lines = append(out.Lines, r.foldedLines(out.Lines)...)
	}
	r.rankLines(out.Lines)
	for _, m := range r.prog.list {
		if r.used[m] && m.err == nil && !m.system {
			for _, n := range m.code.Notes() {
				r.addNote(n)
			}
			if !m.code.HasLines() {
				r.addNote(fmt.Sprintf("no debug information: %s (its lines are missing, its dependences were followed)",
					m.code.Path()))
			}
		}
	}
	out.Notes = r.notes
	return out
}
