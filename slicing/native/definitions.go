package native

import (
	"slices"

	"laggard/slicing/cpu"
	"laggard/slicing/shape"
)

// query asks what defines a place before an instruction.
type query struct {
	at    int
	place place
}

// reached is the answer: the instructions that may have written the place last,
// the calls whose exception came by, if they did, and whether it may still be as it was when
// the function was entered.
// Passed are calls on the way that may have written it through a pointer that is not known.
type reached struct {
	defs   []int
	thrown []int
	passed []int
	entry  bool
	hits   *hits // while it is searched
}

// normalise puts the instructions in order, each once.
func (r *reached) normalise() {
	for _, list := range []*[]int{&r.defs, &r.thrown, &r.passed} {
		slices.Sort(*list)
		*list = slices.Compact(*list)
	}
}

// add joins two answers.
func (r *reached) add(o reached) {
	r.defs, r.thrown = append(r.defs, o.defs...), append(r.thrown, o.thrown...)
	r.passed = append(r.passed, o.passed...)
	r.entry = r.entry || o.entry
}

// reachingDefs finds the instructions that may have written a place last.
type reachingDefs struct{ *function }

func (f *function) reaching() reachingDefs { return reachingDefs{f} }

// definitionsAt is defines, or what defines a place where the function returns or throws.
func (f reachingDefs) definitionsAt(i int, p place) reached {
	switch i {
	case atReturn:
		return f.definitionsAtReturn(p)
	case atThrow:
		return f.unwinding().definitionsAtThrow(p)
	}
	return f.definitions(i, p)
}

// definitions searches from instruction i backwards; i itself does not count.
func (f reachingDefs) definitions(i int, p place) reached {
	if p.isMemory() && p.base == noBase || i < 0 {
		return reached{}
	}
	q := query{i, p}
	if r, ok := f.found[q]; ok {
		return r
	}
	if f.mod.prog.timeOver() {
		return reached{} // one search can take as long as a slice may
	}
	r := f.searchDefinitions(i, p)
	f.mod.prog.rememberAnswers(200 + 8*(len(r.defs)+len(r.thrown)+len(r.passed)))
	if f.found == nil {
		f.found = map[query]reached{}
	}
	f.found[q] = r
	return r
}

// blockEnd is the end of a block, from which control goes on as usual or by an exception.
type blockEnd struct {
	block  int32
	thrown bool
}

// searchDefinitions goes back block by block.
func (f reachingDefs) searchDefinitions(i int, p place) reached {
	out := reached{hits: f.hitsOf(p)}
	entry := int32(f.graph().entryBlock())
	seen, thrown := make([]bool, len(f.blocks)), map[int32]bool{}
	var work []blockEnd
	visit := func(n int32, ended bool) {
		if ended {
			return
		}
		out.entry = out.entry || n == entry
		for _, b := range f.blocks[n].preds {
			switch by := f.unwinding().isUnwindEdge(b, n); {
			case by && !thrown[b]:
				thrown[b] = true
				work = append(work, blockEnd{b, true})
			case !by && !seen[b]:
				seen[b] = true
				work = append(work, blockEnd{b, false})
			}
		}
	}
	visit(f.blk[i], f.scanBlock(f.blk[i], i, p, &out))
	for len(work) > 0 {
		at := work[len(work)-1]
		work = work[:len(work)-1]
		if at.thrown {
			visit(at.block, f.unwinding().scanThrown(at.block, p, &out))
		} else {
			visit(at.block, f.scanBlock(at.block, f.blocks[at.block].end, p, &out))
		}
	}
	out.normalise()
	out.hits = nil
	return out
}

// instructions is a set of instructions of a function, by their numbers.
type instructions []uint64

func (s instructions) has(i int) bool { return s[i/64]&(1<<(i%64)) != 0 }
func (s instructions) add(i int)      { s[i/64] |= 1 << (i % 64) }

// emptySet is a set of the function's instructions, without any.
func (f reachingDefs) emptySet() instructions { return make(instructions, len(f.insts)/64+1) }

// hits are the instructions that may write a place, as far as it was asked. Functions with thousands of calls are
// searched again and again for what writes the same places.
type hits struct {
	may             instructions // nil: any; others do not, as the types say
	asked, hit, all instructions
	aliasing        map[callKey][]int16 // of the calls among them, see aliasing
}

// hitsKey is a place, and whether a pointer is being looked up.
type hitsKey struct {
	place     place
	lookingUp bool
}

// hitsOf are the hits of a place; nil as long as what is known of the function's values can change.
func (f reachingDefs) hitsOf(p place) *hits {
	if !p.isMemory() || f.flow == nil || !f.flow.final {
		return nil
	}
	key := hitsKey{p, f.resolver().isLookingUp()}
	h, ok := f.hits[key]
	if ok {
		return h
	}
	h = &hits{may: f.possibleWriters(p), asked: f.emptySet(), hit: f.emptySet(), all: f.emptySet(),
		aliasing: map[callKey][]int16{}}
	f.mod.prog.rememberAnswers(300 + 3*len(f.insts)/8)
	if f.hits == nil {
		f.hits = map[hitsKey]*hits{}
	}
	f.hits[key] = h
	return h
}

// cachedWrites is writes, remembered.
func (f reachingDefs) cachedWrites(i int, p place, h *hits) (hit, all bool) {
	switch {
	case h != nil && h.may != nil && !h.may.has(i):
		return false, false
	case h != nil && h.asked.has(i):
		return h.hit.has(i), h.all.has(i)
	}
	f.mod.prog.writeChecks++
	hit, all = f.writesPlace(i, p)
	if h == nil || !f.isSummarised(i) {
		return hit, all
	}
	h.asked.add(i)
	if hit {
		h.hit.add(i)
	}
	if all {
		h.all.add(i)
	}
	return hit, all
}

// isSummarised reports whether what an instruction calls is known as well as it will be.
func (f reachingDefs) isSummarised(i int) bool {
	if f.insts[i].Kind != cpu.Call {
		_, tail := f.tails[i]
		return !tail
	}
	callee := f.effects().followedCallee(i)
	return callee == nil || callee.sum != nil
}

// writersKey is a type of objects, and whether a pointer is being looked up.
type writersKey struct {
	typ       *shape.Shape
	lookingUp bool
}

// possibleWriters are the instructions that may write to the object that a place is in, as far as the types say; nil: any may.
func (f reachingDefs) possibleWriters(p place) instructions {
	v, asked := f.flow, datum{place: p}
	key := writersKey{v.aliases().kindOf(&asked).Shape, f.resolver().isLookingUp()}
	if key.typ == nil {
		return nil
	}
	out, ok := f.writing[key]
	if ok {
		return out
	}
	out = f.emptySet()
	for n := range f.blocks {
		for _, i := range f.blocks[n].stores {
			may, certain := f.mayWrite(int(i), &asked)
			if !certain {
				return nil
			}
			if may {
				out.add(int(i))
			}
		}
	}
	if f.writing == nil {
		f.writing = map[writersKey]instructions{}
	}
	f.writing[key] = out
	return out
}

// mayWrite reports whether an instruction may write to the object that a datum is in, as far as the types say; not
// certain while the summary of what it calls is being made.
func (f reachingDefs) mayWrite(i int, asked *datum) (may, certain bool) {
	v := f.flow
	if _, tail := f.tails[i]; f.insts[i].Kind != cpu.Call && !tail {
		return v.aliases().mayBeInObject(asked, &datum{place: f.resolver().storePlace(i)}), true
	}
	callee := f.effects().followedCallee(i)
	if callee == nil {
		return true, true
	}
	sum := callee.writeSummary(maxSummary)
	return len(v.candidates(f.effects().seenByCall(i, callee, sum), asked)) > 0, callee.sum == sum
}

// scanBlock looks through a block up to instruction end; true if nothing before it
// matters.
func (f reachingDefs) scanBlock(n int32, end int, p place, out *reached) bool {
	b := &f.blocks[n]
	if !p.isMemory() {
		if !b.defs.Has(p.reg) {
			return false
		}
		for i := min(end, b.end) - 1; i >= b.first; i-- {
			if hit, all := f.writesPlace(i, p); hit {
				out.defs = append(out.defs, i)
				if all {
					return true
				}
			}
		}
		return false
	}
	exposed := f.valueFlow().isExposed(p)
	for _, i := range b.stores {
		if int(i) >= end {
			continue
		}
		if hit, all := f.cachedWrites(int(i), p, out.hits); hit {
			out.defs = append(out.defs, int(i))
			if all {
				return true
			}
		}
		if exposed && f.insts[i].Kind == cpu.Call {
			out.passed = append(out.passed, int(i))
		}
	}
	return false
}

// writesPlace reports whether an instruction may write a place, and whether that is
// certain and leaves nothing of what was there.
func (f reachingDefs) writesPlace(i int, p place) (hit, all bool) {
	in := &f.insts[i]
	if _, tail := f.tails[i]; in.Kind == cpu.Call || tail {
		if p.isMemory() {
			if callee := f.effects().followedCallee(i); callee != nil {
				for s := range f.effects().aliasingWrites(i, callee, p) {
					hit, all = true, all || f.effects().leavesNothing(s, p)
				}
				return hit, all
			}
		}
		for _, h := range f.effects().callEffects(i, p) {
			hit, all = true, all || h.all
		}
		return hit, all
	}
	if !p.isMemory() {
		return in.Def.Has(p.reg), in.Kills.Has(p.reg)
	}
	if in.Store == nil {
		return false, false
	}
	at, v := f.resolver().storePlace(i), f.valueFlow()
	if v.aliases().mayOverlap(at, p) {
		return true, v.aliases().coversPlace(at, p)
	}
	return slices.ContainsFunc(
		v.alternatives(at.base),
		func(x value) bool { return v.aliases().mayOverlap(v.relativePlace(x, at), p) },
	), false
}

// returnPoints are the instructions behind which the function returns.
func (f reachingDefs) returnPoints() []int {
	var out []int
	for n := range f.blocks {
		if f.graph().isExitBlock(n) {
			out = append(out, f.blocks[n].end-1)
		}
	}
	return out
}

// definitionsAtReturn searches from all ends of the function.
func (f reachingDefs) definitionsAtReturn(p place) reached {
	var out reached
	for _, end := range f.returnPoints() {
		if _, tail := f.tails[end]; tail {
			if hit, all := f.writesPlace(end, p); hit {
				out.defs = append(out.defs, end)
				if all {
					continue
				}
			}
		}
		out.add(f.definitions(end, p))
	}
	out.normalise()
	return out
}
