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
