package x86

import "testing"

// TestNumbered: vector registers and the return address have numbers of their own in the debug information.
func TestNumbered(t *testing.T) {
	for number, want := range map[int]bool{0: true, 7: true, 15: true, 16: false, 17: false, 32: false, -1: false} {
		if r, is := Architecture.RegByDWARF(number); is != want || is && Architecture.DWARF[r] != number {
			t.Errorf("%d: %v, %v", number, r, is)
		}
	}
}
