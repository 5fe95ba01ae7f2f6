package native

import (
	"context"

	"laggard/model"
)

// Cyclic is the source of a library whose functions call each other in cycles, and CyclicFlags what it is built with.
const Cyclic = cyclic

var CyclicFlags = cyclicFlags

// Throws reports whether the function at an address may throw; see funcRef.throws.
func (s *Slicer) Throws(mod *model.Module, addr uint64) (throws bool, err error) {
	err = s.withRun(context.Background(), func(r *run) error {
		m := r.prog.openModule(mod)
		throws = m.err == nil && (funcRef{m, addr}).mayThrow()
		return m.err
	})
	return throws, err
}

// Summary makes the summary of the function at an address, and returns how many writes it has.
func (s *Slicer) Summary(mod *model.Module, addr uint64) (writes int, err error) {
	err = s.withRun(context.Background(), func(r *run) error {
		m := r.prog.openModule(mod)
		if f := m.functionAt(addr); f != nil {
			writes = len(f.writeSummary(maxSummary).writes)
		}
		return m.err
	})
	return writes, err
}
