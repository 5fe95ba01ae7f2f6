package native

import (
	"slices"

	"laggard/model/mpi"
	"laggard/slicing/calls"
	"laggard/slicing/cpu"
)

// withoutReplaced are the definitions that come to an instruction past the calls that give all ranks the same in their place: a
// broadcast leaves nothing of what each rank had there.
func (f callEffects) withoutReplaced(i int, p place, found reached) (defs []int, entry bool) {
	replacing := f.replacingCalls(p, found.defs, maxReplacing)
	if len(replacing) == 0 {
		return found.defs, found.entry
	}
	ends := f.returnStretches()
	if i >= 0 {
		ends = []stretch{{f.blk[i], i}}
	}
	passed, entry := f.instsBehind(ends, replacing)
	for _, d := range found.defs {
		if passed.has(d) {
			defs = append(defs, d)
		}
	}
	return defs, entry && found.entry
}

// maxReplacing bounds the calls that are followed to find one that gives all ranks the same.
const maxReplacing = 3

// replacingCalls are those of some instructions that put into all of a place what is the same on all ranks, or what other
// functions put there in which every way comes by such a call.
func (f callEffects) replacingCalls(p place, defs []int, depth int) (out []int) {
	for _, d := range defs {
		if f.insts[d].Kind != cpu.Call {
			continue
		}
		if f.givesAlike(d, p) {
			out = append(out, d)
			continue
		}
		effects := f.callEffects(d, p)
		if depth == 0 || len(effects) != 1 || effects[0].callee == nil {
			continue
		}
		callee, inner := effects[0].callee, effects[0].inner
		within := callee.effects().replacingCalls(inner, callee.reaching().definitionsAtReturn(inner).defs, depth-1)
		if _, entry := callee.instsBehind(callee.returnStretches(), within); len(within) > 0 && !entry {
			out = append(out, d)
		}
	}
	return out
}

// stretch is the part of a block before an instruction.
type stretch struct {
	block int32
	end   int
}

// returnStretches are the blocks with which the function returns.
func (f *function) returnStretches() (out []stretch) {
	for _, i := range f.reaching().returnPoints() {
		out = append(out, stretch{f.blk[i], i + 1})
	}
	return out
}

// instsBehind are the instructions on the ways to the ends of some stretches, behind the calls that begin these ways, and
// those calls; and whether there is a way from the function's entry by none of them.
func (f *function) instsBehind(ends []stretch, calls []int) (passed instructions, entry bool) {
	passed = f.reaching().emptySet()
	seen := make([]bool, len(f.blocks))
	var work []int32
	scan := func(n int32, end int) {
		for i := end - 1; i >= f.blocks[n].first; i-- {
			passed.add(i)
			if slices.Contains(calls, i) {
				return
			}
		}
		entry = entry || int(n) == f.graph().entryBlock()
		work = append(work, f.blocks[n].preds...)
	}
	for _, e := range ends {
		scan(e.block, e.end)
	}
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		if !seen[n] {
			seen[n] = true
			scan(n, f.blocks[n].end)
		}
	}
	return passed, entry
}

// givesAlike reports whether a call of MPI puts into all of a place what is the same on all ranks.
func (f callEffects) givesAlike(call int, p place) bool {
	t := f.callTarget(call)
	if !t.known || t.model.Gives() != mpi.GivesAlike || !p.isExact() {
		return false
	}
	for _, e := range f.callEffects(call, p) {
		if e.arg < 0 || t.model.IsErrorCode(e.arg) || !t.model.Role(e.arg).Writes() {
			continue
		}
		x := f.resolver().resolveValue(call, f.argValue(call, e.arg))
		if x.any || x.base != p.base || x.off > p.lo || f.valueFlow().bases[x.base].mayVary() {
			continue
		}
		// Its elements are at least as large as what is asked for, if that is a number.
		elements := (p.hi - x.off + p.hi - p.lo - 1) / max(p.hi-p.lo, 1)
		if elements <= 1 || elements <= f.constantCount(call, t.model) {
			return true
		}
	}
	return false
}

// constantCount is the number of elements that a call of MPI is given, 0 if it is not a constant.
func (f callEffects) constantCount(call int, m calls.Model) int64 {
	n := m.CountIndex()
	if n < 0 || m.ByReference {
		return 0
	}
	if x := f.argValue(call, n); x.base == constBase && !x.any {
		return int64(int32(x.off))
	}
	return 0
}
