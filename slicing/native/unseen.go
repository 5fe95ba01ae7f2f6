package native

import "laggard/slicing/cpu"

// maxUnseen bounds the functions that are looked at for calls of which nobody knows what they run.
const maxUnseen = 400

// runsUnseenCode reports whether a call may run code of the program that is not found by the calls in its code: by a
// pointer that is not known, or as a function that another one is given the address of, such as that of a thread. The
// answer is true, too, where there is too much code to tell.
func (f *function) runsUnseenCode(call int) bool {
	if f.hidesCallee(call) {
		return true
	}
	first := f.effects().followedCallee(call)
	if first == nil {
		return false
	}
	if first.unseen != nil {
		return *first.unseen
	}
	found, seen := false, map[*function]bool{first: true}
	for work := []*function{first}; len(work) > 0 && !found; work = work[1:] {
		at := work[0]
		if at.unseen != nil {
			found = *at.unseen
			continue
		}
		found = len(seen) > maxUnseen || f.mod.prog.timeOver()
		for i := range at.insts {
			if _, tail := at.tails[i]; found || at.insts[i].Kind != cpu.Call && !tail {
				continue
			}
			found = at.hidesCallee(i)
			if callee := at.effects().followedCallee(i); callee != nil && !seen[callee] {
				seen[callee] = true
				work = append(work, callee)
			}
		}
	}
	if !f.mod.prog.timeOver() {
		first.unseen = &found
	}
	return found
}

// hidesCallee reports whether a call is one by a pointer that is not known, or is given the address of a function.
func (f *function) hidesCallee(call int) bool {
	if f.insts[call].Indirect && f.isUnresolvedCall(call) && f.effects().callTarget(call).name == "" {
		return true
	}
	for n := range f.mod.arch.Args {
		if x := f.effects().argValue(call, n); x.base == constBase && !x.any && f.mod.code.IsExecutable(uint64(x.off)) &&
			f.mod.targetFunction(f.mod.targetAt(uint64(x.off))) != nil {
			return true
		}
	}
	return false
}
