package provoke

import "slices"

// Minimize returns a subset of all with which fails still holds and from which no single element can be left out: the
// algorithm QuickXplain (Junker, AAAI 2004), which asks about 2k·log₂(n/k)+2k subsets for k of n elements, fewer than ddmin
// (Zeller and Hildebrandt, 2002). Of several such subsets it prefers elements that come first. fails is taken to hold for
// all, and for what contains a subset for which it holds; each subset that it holds for is part of the one before. It may be
// wrong now and then: what is left is then larger, or does not fail.
func Minimize[T any](all []T, fails func([]T) bool) []T {
	if len(all) < 2 {
		return all
	}
	return minimizeBeside(nil, false, all, fails)
}

// minimizeBeside returns what it takes of some elements beside others; grown: the others are more than they were when they
// did not fail.
func minimizeBeside[T any](others []T, grown bool, some []T, fails func([]T) bool) []T {
	if grown && fails(others) {
		return nil
	}
	if len(some) == 1 {
		return some
	}
	first, second := some[:len(some)/2], some[len(some)/2:]
	ofSecond := minimizeBeside(slices.Concat(others, first), true, second, fails)
	ofFirst := minimizeBeside(slices.Concat(others, ofSecond), len(ofSecond) > 0, first, fails)
	return slices.Concat(ofFirst, ofSecond)
}
