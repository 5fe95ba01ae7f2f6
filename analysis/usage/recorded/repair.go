package recorded

import "laggard/model/mpi"

const maxDepth = 256 // of a datatype made of others

// repairReferences replaces every number in an object that refers to nothing, as a damaged
// file may have. It reports whether all numbers were good.
func (t *Trace) repairReferences() bool {
	ok := t.repairTypes()
	for i := range t.Calls {
		c := &t.Calls[i]
		for p := range c.Func.Params {
			most := int64(0)
			switch c.Func.Params[p].Kind {
			case mpi.Comm, mpi.Win, mpi.File:
				most = int64(len(t.Comms))
			case mpi.Datatype:
				most = int64(len(t.Types))
			default:
				continue
			}
			ok = repairValues(c.In, p, most) && ok
			ok = repairValues(c.Out, p, most) && ok
		}
	}
	return ok
}

func repairValues(values []Value, p int, most int64) bool {
	ok := true
	if p < len(values) {
		for i, v := range values[p] {
			if v >= most || v < Invalid {
				values[p][i] = Invalid
				ok = false
			}
		}
	}
	return ok
}

// repairTypes removes the contents of types that are made of types which do not
// exist, of themselves, or of too many nested types.
func (t *Trace) repairTypes() bool {
	depth := make([]int, len(t.Types)) // 0 not looked at, -1 being looked at
	ok := true
	for i := range t.Types {
		t.depthOf(i, depth, maxDepth, &ok)
	}
	return ok
}

func (t *Trace) depthOf(i int, depth []int, room int, ok *bool) int {
	if depth[i] != 0 {
		return depth[i]
	}
	depth[i] = -1
	deepest := 0
	for _, k := range t.Types[i].Types {
		d := -1
		if k >= 0 && k < len(t.Types) && room > 0 {
			d = t.depthOf(k, depth, room-1, ok)
		}
		if d < 0 || d >= maxDepth {
			t.Types[i].Types, t.Types[i].Cut = nil, true
			*ok = false
			deepest = 0
			break
		}
		deepest = max(deepest, d)
	}
	depth[i] = deepest + 1
	return depth[i]
}
