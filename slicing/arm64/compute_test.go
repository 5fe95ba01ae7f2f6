package arm64

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"laggard/internal/musttest"
	"laggard/slicing/cpu"
)

// trial is an instruction with what is in x0 to x7, and the flags, before it.
type trial struct {
	word uint32
	x    [8]uint64
	nzcv uint64
}

// usesLowRegisters reports whether an instruction has to do with x0 to x7 alone.
func (d *Data) usesLowRegisters() bool {
	ok := d.Dst < 8 && !d.Place && (d.Dst == cpu.None || d.Result != nil)
	for _, p := range d.From {
		ok = ok && p.Reg < 8
	}
	return ok && (d.Else == nil || d.Else.usesLowRegisters())
}

// drawInst makes an instruction of a class, bits 25 to 28, that computes from x0 to x7.
func drawInst(r *rand.Rand, class uint32) trial {
	for {
		w := r.Uint32()&^(0xf<<25) | class<<25
		for _, field := range []uint{rd, rn, ra, rm} {
			if r.IntN(4) > 0 {
				w &^= 0b11000 << field
			}
		}
		d, ok := Compute(binary.LittleEndian.AppendUint32(nil, w), 0)
		if !ok || !d.usesLowRegisters() {
			continue
		}
		t := trial{word: w, nzcv: uint64(r.IntN(16)) << 28}
		for i := range t.x {
			t.x[i] = randomNumber(r)
		}
		return t
	}
}

// randomNumber is often one at a bound.
func randomNumber(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return uint64(r.IntN(5)) - 2
	case 1:
		return (uint64(1)<<r.IntN(65) + uint64(r.IntN(3)) - 1)
	}
	return r.Uint64() >> r.IntN(64)
}

// stateAfter is what an instruction leaves in x0 to x7, and of flags.
func (t *trial) stateAfter() (x [8]uint64, nzcv uint64) {
	d, _ := Compute(binary.LittleEndian.AppendUint32(nil, t.word), 0)
	if d.Else != nil && !d.If.Holds(NZCV(t.nzcv>>28)) {
		d = *d.Else
	}
	from := make([]uint64, len(d.From))
	for i, p := range d.From {
		if p.Reg != cpu.None {
			from[i] = lowBits(t.x[p.Reg], p.Bits)
		}
	}
	x, nzcv = t.x, t.nzcv
	if d.Dst != cpu.None {
		x[d.Dst] = lowBits(d.Result(from), d.Bits)
	}
	if d.Flags != nil {
		nzcv = uint64(d.Flags(from)) << 28
	}
	return x, nzcv
}

// harness runs each instruction with its registers and flags, and writes those after it.
const harness = `
.macro try w
 ldp x0, x1, [x20], 16
 ldp x2, x3, [x20], 16
 ldp x4, x5, [x20], 16
 ldp x6, x7, [x20], 16
 ldr x8, [x20], 8
 msr nzcv, x8
 .inst \w
 mrs x9, nzcv
 stp x0, x1, [x21], 16
 stp x2, x3, [x21], 16
 stp x4, x5, [x21], 16
 stp x6, x7, [x21], 16
 str x9, [x21], 8
.endm
.globl _start
_start:
 adrp x20, before
 add x20, x20, :lo12:before
 adrp x21, behind
 add x21, x21, :lo12:behind
`

// ending writes all of that out.
const ending = `
 mov x0, 1
 adrp x1, behind
 add x1, x1, :lo12:behind
 ldr x2, =%[1]d
 mov x8, 64
 svc 0
 mov x0, 0
 mov x8, 93
 svc 0
 .bss
 .balign 16
behind: .skip %[1]d
 .data
 .balign 16
before:
`

// TestCompute compares what instructions at random compute with what an emulator of the
// processor makes of them.
func TestCompute(t *testing.T) {
	for _, tool := range []string{"aarch64-linux-gnu-gcc", "qemu-aarch64-static"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(tool, "is not installed")
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	var all []trial
	for range 1500 {
		all = append(all, drawInst(r, 0b1000), drawInst(r, 0b1001), drawInst(r, 0b0101), drawInst(r, 0b1101))
	}
	out := emulateAll(t, all)
	forms := map[uint32]bool{}
	for i, got := range all {
		forms[got.word>>21] = true
		var want [9]uint64
		musttest.Succeed(t, binary.Read(bytes.NewReader(out[72*i:]), binary.LittleEndian, &want))
		if x, nzcv := got.stateAfter(); [8]uint64(want[:8]) != x || want[8] != nzcv {
			t.Errorf("%#08x of %x, flags %x: %x, flags %x; the emulator: %x", got.word, got.x, got.nzcv, x, nzcv, want)
		}
	}
	t.Logf("%d instructions of %d forms", len(all), len(forms))
}

// emulateAll returns what the instructions left, nine words of each.
func emulateAll(t *testing.T, all []trial) []byte {
	t.Helper()
	source := bytes.NewBufferString(harness)
	for _, c := range all {
		fmt.Fprintf(source, " try %#x\n", c.word)
	}
	size := 72 * len(all)
	fmt.Fprintf(source, ending, size)
	for _, c := range all {
		for _, n := range append(c.x[:], c.nzcv) {
			fmt.Fprintf(source, " .quad %#x\n", n)
		}
	}
	dir := t.TempDir()
	file, program := filepath.Join(dir, "a.s"), filepath.Join(dir, "a")
	musttest.Succeed(t, os.WriteFile(file, source.Bytes(), 0o600))
	build := exec.Command("aarch64-linux-gnu-gcc", "-nostdlib", "-static", "-march=armv8.2-a", "-o", program, file)
	musttest.Run(t, build)
	out := musttest.Get(exec.Command("qemu-aarch64-static", "-cpu", "max", program).Output())(t)
	musttest.Equal(t, size, len(out), "bytes")
	return out
}
