package provoke

import "slices"

// Minimize returns a subset of all with which fails still holds and from which no single
// element can be left out: the algorithm ddmin (Zeller and Hildebrandt, 2002, §3). fails
// is taken to hold for all; it is asked about each subset at most once in a row, and may be
// wrong now and then, which only makes the result larger.
func Minimize[T any](all []T, fails func([]T) bool) []T {
	left, parts := slices.Clone(all), 2
	for len(left) > 1 {
		parts = min(parts, len(left))
		if smaller, ok := oneOf(left, parts, fails); ok {
			left, parts = smaller, 2
			continue
		}
		if smaller, ok := allButOne(left, parts, fails); ok {
			left, parts = smaller, max(parts-1, 2)
			continue
		}
		if parts == len(left) {
			break
		}
		parts *= 2
	}
	return left
}

// oneOf looks for one of the parts that fails by itself.
func oneOf[T any](all []T, parts int, fails func([]T) bool) ([]T, bool) {
	for i := range parts {
		part := all[i*len(all)/parts : (i+1)*len(all)/parts]
		if fails(part) {
			return slices.Clone(part), true
		}
	}
	return nil, false
}

// allButOne looks for a part without which the others still fail. With two parts, oneOf has asked.
func allButOne[T any](all []T, parts int, fails func([]T) bool) ([]T, bool) {
	for i := range parts {
		if parts == 2 {
			break
		}
		rest := slices.Concat(all[:i*len(all)/parts], all[(i+1)*len(all)/parts:])
		if fails(rest) {
			return rest, true
		}
	}
	return nil, false
}
