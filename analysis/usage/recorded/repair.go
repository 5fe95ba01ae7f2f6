package recorded

const maxDepth = 256 // of a datatype made of others

// checkReferences replaces every number that refers to nothing, as a damaged file may have, and notes that there was one.
// While objects are still being defined it notes the largest one.
func (b *builder) checkReferences(of reference, v Value) {
	if of == toNothing {
		return
	}
	for i, n := range v {
		switch {
		case n < Invalid, b.built && n >= b.defined[of]:
			v[i] = Invalid
			b.dangling = true
		case !b.built:
			b.largest[of] = max(b.largest[of], n)
		}
	}
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
