package stopped

import (
	"encoding/binary"
	"io"

	"laggard/binary/processor"
)

// kernelSize is that of the kernel's struct in bytes.
func kernelSize(m *processor.Processor) int { return 8 * len(m.KernelOrder) }

// threadOf reads the kernel's struct, of which b has the size.
func threadOf(m *processor.Processor, tid int, b []byte) Thread {
	le := binary.LittleEndian
	t := Thread{TID: tid, SystemCall: -1, Held: true}
	for i, register := range m.KernelOrder {
		if register >= 0 {
			t.Registers.Set(register, le.Uint64(b[8*i:]))
		}
	}
	if m.SystemCall >= 0 {
		t.SystemCall = numberOfCall(int64(le.Uint64(b[8*m.SystemCall:])))
	}
	return t
}

// service is the instruction of AArch64 by which a system is called.
const service = 0xd4000001

// findCall finds the number of the system call that a thread of AArch64 is in, which the kernel forgets where it stops
// one: the instruction is behind the thread, or before it if the call is to be begun again, and x8 has the number.
func findCall(m *processor.Processor, t *Thread, memory io.ReaderAt) {
	pc, _ := t.Registers.Get(m.PC)
	var code [8]byte
	if _, err := memory.ReadAt(code[:], int64(pc-4)); m != processor.Arm || t.SystemCall >= 0 || err != nil {
		return
	}
	le := binary.LittleEndian
	if x8, ok := t.Registers.Get(8); ok && (le.Uint32(code[:]) == service || le.Uint32(code[4:]) == service) {
		t.SystemCall = numberOfCall(int64(x8))
	}
}

// numberOfCall is that of a system call, -1 of what cannot be one.
func numberOfCall(n int64) int {
	if n < 0 || n >= 1<<16 {
		return -1
	}
	return int(n)
}
