package usage

import (
	"cmp"
	"maps"
	"slices"
)

// sortedKeys returns the keys of a map in rising order.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
