package ptrace

import (
	"bytes"
	"testing"
)

// TestFind: the instruction that calls the system is found where an instruction may begin.
func TestFind(t *testing.T) {
	for _, p := range []*patches{x86, arm} {
		for ahead, want := range map[int]int{0: 0, 4: 4, 8: 8, 2: 2, 5: 5} {
			code := append(bytes.Repeat([]byte{0x1f}, ahead), p.syscallCode...)
			if ahead%p.Alignment != 0 {
				want = -1
			}
			if got := p.findSyscall(code); got != want {
				t.Errorf("%v: %d instead of %d", p.ELF, got, want)
			}
		}
	}
}
