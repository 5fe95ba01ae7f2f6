package ptrace

import (
	"bytes"
	"testing"

	"laggard/internal/checktest"
)

// TestFind: the instruction that calls the system is found where an instruction may begin.
func TestFind(t *testing.T) {
	for _, p := range []*patches{x86, arm} {
		for ahead, want := range map[int]int{0: 0, 4: 4, 8: 8, 2: 2, 5: 5} {
			code := append(bytes.Repeat([]byte{0x1f}, ahead), p.syscallCode...)
			if ahead%p.Alignment != 0 {
				want = -1
			}
			checktest.Equal(t, want, p.findSyscall(code), p.ELF)
		}
	}
}
