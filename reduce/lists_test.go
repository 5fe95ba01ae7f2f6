package reduce

import (
	"slices"
	"testing"
)

// TestInterner: the places are those in the list of the distinct keys.
func TestInterner(t *testing.T) {
	for _, keys := range []string{"", "a", "aaa", "ab", "aab", "abab", "abcbacd", "aXXaX"} {
		var p Interner[rune]
		var list []rune
		for i, key := range keys {
			place, fresh := p.Intern(key)
			if fresh == slices.Contains(list, key) {
				t.Fatalf("%q: key %d is new: %t", keys, i, fresh)
			}
			if fresh {
				list = append(list, key)
			}
			if place >= len(list) || list[place] != key {
				t.Fatalf("%q: key %d is at %d of %q", keys, i, place, string(list))
			}
		}
	}
}
