package processor

import (
	"testing"

	"laggard/internal/checktest"
)

func TestJumpsTo(t *testing.T) {
	x86 := []byte{0xe9, 0xe9, 0x0a, 0, 0, 0, 0x90, 0xe9, 0xf4, 0xff, 0xff, 0xff, 0xeb, 0x02, 0x0f, 0x85, 0xfc, 0xff, 0xff, 0xff, 0xe9, 0, 0}
	checktest.Equal(t, []uint64{0x1001, 0x100c, 0x100e}, X86.JumpsTo(x86, 0x1000, 0x1010),
		"forward, behind a byte that looks like one, and near")
	checktest.Equal(t, []uint64{0x1007}, X86.JumpsTo(x86, 0x1000, 0x1000), "back")
	checktest.Equal(t, nil, X86.JumpsTo(x86[:4], 0x1000, 0x1010), "cut short")
	arm := []byte{2, 0, 0, 0x14, 1, 0, 0, 0x94, 0xfe, 0xff, 0xff, 0x17}
	checktest.Equal(t, []uint64{0x1000}, Arm.JumpsTo(arm, 0x1000, 0x1008), "forward, and a call to the same place")
	checktest.Equal(t, []uint64{0x1008}, Arm.JumpsTo(arm, 0x1000, 0x1000), "back")
}
