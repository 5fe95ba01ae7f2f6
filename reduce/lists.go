package reduce

import "slices"

// MergeSorted merges two ascending lists and joins elements that are equal.
func MergeSorted[T any](a, b []T, compare func(x, y T) int, join func(x, y T) T) []T {
	var out []T
	for len(a) > 0 && len(b) > 0 {
		switch c := compare(a[0], b[0]); {
		case c < 0:
			out, a = append(out, a[0]), a[1:]
		case c > 0:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, join(a[0], b[0])), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}

// SortJoined sorts a list and joins elements that are equal.
func SortJoined[T any](list []T, compare func(x, y T) int, join func(x, y T) T) []T {
	slices.SortStableFunc(list, compare)
	var out []T
	for _, x := range list {
		if n := len(out); n > 0 && compare(out[n-1], x) == 0 {
			out[n-1] = join(out[n-1], x)
		} else {
			out = append(out, x)
		}
	}
	return out
}

// Interner numbers keys in the order in which they appear first. The zero value has
// none. Of one key, or the same several times in a row, it costs next to nothing.
type Interner[K comparable] struct {
	n     int
	key   K         // the last one that was asked for, and
	place int       // its place
	at    map[K]int // of all; nil while there is one at most
}

// Intern returns the place of a key; fresh: it is a new one, behind all others.
func (p *Interner[K]) Intern(key K) (place int, fresh bool) {
	if p.n > 0 && p.key == key {
		return p.place, false
	}
	place, known := p.at[key]
	if !known {
		place = p.add(key)
	}
	p.key, p.place = key, place
	return place, !known
}

func (p *Interner[K]) add(key K) (place int) {
	switch p.n {
	case 0: // Of finds it by itself
	case 1:
		p.at = map[K]int{p.key: 0, key: 1}
	default:
		p.at[key] = p.n
	}
	p.n++
	return p.n - 1
}
