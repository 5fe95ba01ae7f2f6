package arm64

import (
	"bufio"
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/slicing/cpu"
)

// library is code of a cross-compiled C library, with atomics and vectors.
const library = "/usr/aarch64-linux-gnu/lib/libc.so.6"

// TestAgreement compares kinds and targets of all instructions of a library with what
// llvm-objdump says.
func TestAgreement(t *testing.T) {
	tool, err := exec.LookPath("llvm-objdump")
	if err != nil {
		t.Skip("llvm-objdump is not installed")
	}
	if _, err := os.Stat(library); err != nil {
		t.Skip("the cross compiler for AArch64 is not installed")
	}
	file := musttest.Get(elf.Open(library))(t)
	defer file.Close()
	text := file.Section(".text")
	code := musttest.Get(text.Data())(t)
	out := musttest.Get(exec.Command(tool, "-d", "-j", ".text", "--no-show-raw-insn", "--mattr=+all", library).Output())(t)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<20)
	count, opaque := 0, 0
	for lines.Scan() {
		at, rest, ok := strings.Cut(strings.TrimSpace(lines.Text()), ":")
		addr, err := strconv.ParseUint(at, 16, 64)
		words := strings.Fields(rest)
		if !ok || err != nil || len(words) == 0 || words[0] == "<unknown>" || addr < text.Addr ||
			addr-text.Addr >= uint64(len(code)) {
			continue
		}
		parts := Decode(nil, code[addr-text.Addr:][:size], addr)
		in := parts[len(parts)-1]
		if count++; in.Opaque {
			opaque++
		}
		if want := expectedKind(words); in.End() != addr+size || fmt.Sprintf("%d %x", in.Kind, in.Target) != want {
			t.Errorf("%#x: %s: kind %d, target %x, want %s", addr, rest, in.Kind, in.Target, want)
		}
	}
	if count < 100_000 || opaque*100 > count {
		t.Errorf("%d instructions, %d of them opaque", count, opaque)
	}
}

// expectedKind is the kind and the target of an instruction in the words of the tool.
func expectedKind(words []string) string {
	kind, name := cpu.Next, words[0]
	switch {
	case name == "b", name == "br", name == "b.al", name == "b.nv", name == "braa":
		kind = cpu.Jump
	case name == "bl", name == "blr":
		kind = cpu.Call
	case name == "ret", name == "retaa", name == "retab":
		kind = cpu.Return
	case strings.HasPrefix(name, "b."), name == "cbz", name == "cbnz", name == "tbz", name == "tbnz":
		kind = cpu.Branch
	case name == "brk", name == "udf", name == "hlt":
		kind = cpu.Halt
	}
	target := uint64(0)
	for _, w := range words[1:] {
		if n, err := strconv.ParseUint(strings.TrimPrefix(w, "0x"), 16, 64); err == nil && strings.HasPrefix(w, "0x") &&
			kind != cpu.Next && kind != cpu.Halt {
			target = n
		}
	}
	return fmt.Sprintf("%d %x", kind, target)
}

func TestEffects(t *testing.T) {
	set := cpu.Set
	for _, c := range []struct {
		what     string
		word     uint32
		parts    int
		def, use cpu.RegSet // of the first part
		move     cpu.Move
	}{
		{"stp x29, x30, [sp, #-32]!", 0xa9be7bfd, 3, set(), set(), cpu.AddImm},
		{"ldp x29, x30, [sp], #32", 0xa8c27bfd, 3, set(FP), set(), cpu.LoadReg},
		{"ldp x0, x1, [x0]", 0xa9400400, 2, set(1), set(), cpu.LoadReg},
		{"mov x29, sp", 0x910003fd, 1, set(FP), set(), cpu.Copy},
		{"add x0, x1, #4", 0x91001020, 1, set(0), set(1), cpu.AddImm},
		{"mov w0, #5", 0x528000a0, 1, set(0), set(), cpu.SetImm},
		{"mov x0, x1", 0xaa0103e0, 1, set(0), set(1), cpu.Copy},
		{"cmp w0, #3", 0x71000c1f, 1, set(Flags), set(0), cpu.NoMove},
		{"csel w0, w1, w2, eq", 0x1a820020, 1, set(0), set(1, 2, Flags), cpu.NoMove},
		{"sxtw x0, w1", 0x93407c20, 1, set(0), set(1), cpu.Copy},
		{"lsl x0, x1, #3", 0xd37df020, 1, set(0), set(1), cpu.Lea},
		{"add x0, x1, w2, sxtw #2", 0x8b22c820, 1, set(0), set(1, 2), cpu.Lea},
		{"madd x0, x1, x2, x3", 0x9b020c20, 1, set(0), set(1, 2, 3), cpu.Lea},
		{"and sp, x9, #-16", 0x927ced3f, 1, set(), set(9), cpu.AndImm},
		{"cbz x3, .", 0xb4000003, 1, set(), set(3), cpu.NoMove},
		{"ldaddal w1, w0, [x2]", 0xb8e10040, 1, set(0), set(1), cpu.NoMove},
		{"cas x0, x1, [x2]", 0xc8a07c41, 1, set(0), set(0, 1), cpu.NoMove},
		{"ldxr x0, [x1]", 0xc85f7c20, 1, set(0), set(), cpu.LoadReg},
		{"stxr w2, x0, [x1]", 0xc8027c20, 1, set(2), set(0), cpu.StoreReg},
		{"str wzr, [x0]", 0xb900001f, 1, set(), set(), cpu.StoreImm},
		{"fmov d0, x1", 0x9e670020, 1, set(V0), set(1), cpu.Copy},
		{"fadd d0, d1, d2", 0x1e622820, 1, set(V0), set(V0+1, V0+2), cpu.NoMove},
		{"fcmp d0, d1", 0x1e612000, 1, set(Flags), set(V0, V0+1), cpu.NoMove},
		{"paciasp", 0xd503233f, 1, set(), set(), cpu.NoMove},
		{"bti c", 0xd503245f, 1, set(), set(), cpu.NoMove},
		{"mrs x0, tpidr_el0", 0xd53bd040, 1, set(0), set(), cpu.NoMove},
	} {
		var code [size]byte
		binary.LittleEndian.PutUint32(code[:], c.word)
		out := Decode(nil, code[:], 0x1000)
		if in := out[0]; len(out) != c.parts || in.Def != c.def || in.Use != c.use || in.Move != c.move || in.Opaque {
			t.Errorf("%s: %d parts, %+v", c.what, len(out), in)
		}
	}
}

// FuzzDecode: any bytes give parts that lie in one instruction, and a move has what it needs.
func FuzzDecode(f *testing.F) {
	for _, seed := range []uint32{0xa9be7bfd, 0xb8e10040, 0x0c40a000, 0x04a00000, 0, 0xffffffff} {
		f.Add(binary.LittleEndian.AppendUint32(nil, seed))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, code []byte) {
		at := uint64(0x400000)
		for i, in := range Decode(nil, code, at) {
			if in.Len < 1 || in.Addr != at || i > 3 || in.End() > 0x400004 {
				t.Fatalf("% x: part %d at %#x, %d bytes", code, i, in.Addr, in.Len)
			}
			at = in.End()
			if !in.Kills.Without(in.Def).Empty() || in.Def.Or(in.Use).Has(SP) || int(in.Dst) >= Registers {
				t.Fatalf("% x: %+v", code, in)
			}
			lacks := in.Move == cpu.Lea && in.Address == nil || in.Move == cpu.LoadReg && in.Load == nil ||
				(in.Move == cpu.StoreReg || in.Move == cpu.StoreImm) && in.Store == nil ||
				in.Move != cpu.NoMove && in.Move != cpu.StoreReg && in.Move != cpu.StoreImm && in.Dst == cpu.None
			if lacks {
				t.Fatalf("% x: a move without its operands: %+v", code, in)
			}
		}
	})
}
