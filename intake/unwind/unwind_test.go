package unwind

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"laggard/intake/stopped"
)

// deep is a program whose stack has all that is hard: no frame pointer, alloca, many saved
// registers, a signal handler, a realigned frame, a callback out of a library.
const deep = `
#include <alloca.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static volatile int sink;
__attribute__((noinline)) static void rest(void) { if (sink != 77) for (;;) { SPIN; } sink++; }
static void handler(int s) { sink = s; rest(); sink++; }
__attribute__((noinline)) static int signalled(int n) { signal(SIGUSR1, handler); raise(SIGUSR1); return n + sink; }
__attribute__((noinline, optimize("no-omit-frame-pointer"))) static int grown(int n)
{ char *b = alloca(n * 16 + 5); memset(b, n, n * 16); return signalled(n) + b[n]; }
__attribute__((noinline)) static int aligned(int n)
{ _Alignas(64) char b[128]; memset(b, n, 128); sink = b[n & 127]; return grown(n) + b[3]; }
static int compare(const void *a, const void *b) { return aligned(*(const int *)a + 1) - *(const int *)b; }
__attribute__((noinline)) static int saved(int a, int b, int c, int d, int e, int f)
{ int list[] = {a, b, c, d}; qsort(list, 4, sizeof(int), compare); return a * b + c * d + e * f + list[0] + sink; }
int main(int argc, char **argv) { (void)argv; return saved(argc, argc + 1, argc + 2, 3, 4, 5); }
`

// TestAgainst compares stacks with what elfutils finds, frame for frame.
func TestAgainst(t *testing.T) {
	if _, err := exec.LookPath("eu-stack"); err != nil {
		t.Skip(err)
	}
	for _, c := range [][]string{
		{"-O0", "-DSPIN=pause()"}, {"-O2", "-DSPIN=pause()"}, {"-O2", "-DSPIN="},
		{"-O3", "-DSPIN=pause()", "-s", "-no-pie"},
		{"-O1", "-DSPIN=", "-fno-omit-frame-pointer"},
	} {
		t.Run(strings.Join(c, ","), func(t *testing.T) {
			pid := running(t, built(t, c))
			got := stackOf(t, pid)
			out, err := exec.Command("eu-stack", "-p", fmt.Sprint(pid)).Output()
			var want []string
			for _, m := range regexp.MustCompile(`(?m)^#\d+ +0x([0-9a-f]{16})`).FindAllStringSubmatch(string(out), -1) {
				want = append(want, m[1])
			}
			if err != nil || len(want) < 8 {
				t.Skip(err, len(want))
			}
			if slices.Contains(c, "-DSPIN=") {
				got, want = got[1:], want[1:] // it moves
			}
			if !slices.Equal(got, want) {
				t.Errorf("frames\n%s\nelfutils has\n%s", strings.Join(got, "\n"), out)
			}
		})
	}
}

// TestNames compares the functions of the program itself with what they must be, where
// elfutils finds no way through a signal handler.
func TestNames(t *testing.T) {
	flags := [][]string{
		{"-O0", "-DSPIN=pause()"}, {"-O2", "-DSPIN=pause()"}, {"-O2", "-DSPIN=", "-fno-omit-frame-pointer"},
	}
	if stopped.Native() == stopped.Arm { // return addresses that are signed
		flags = append(flags, []string{"-O2", "-DSPIN=pause()", "-mbranch-protection=pac-ret+leaf"})
	}
	for _, c := range flags {
		t.Run(strings.Join(c, ","), func(t *testing.T) {
			program := built(t, append(c, "-fno-optimize-sibling-calls"))
			file, err := elf.Open(program)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			symbols, err := file.Symbols()
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range framesOf(t, running(t, program)) {
				for _, s := range symbols {
					if f.Module != nil && f.Module.Path == program && elf.ST_TYPE(s.Info) == elf.STT_FUNC &&
						f.PC()-1-f.Module.Bias-s.Value < s.Size {
						name, _, _ := strings.Cut(s.Name, ".") // of a copy
						got = append(got, name)
					}
				}
			}
			want := []string{"rest", "handler", "signalled", "grown", "aligned", "compare", "saved", "main", "_start"}
			if !slices.Equal(got, want) {
				t.Errorf("%v instead of %v", got, want)
			}
		})
	}
}

func built(t *testing.T, flags []string) string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "deep.c"), filepath.Join(dir, "deep")
	if err := os.WriteFile(source, []byte(deep), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("cc", append(flags, "-w", "-o", program, source)...).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	return program
}

func running(t *testing.T, program string) int {
	t.Helper()
	cmd := exec.Command(program)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	time.Sleep(200 * time.Millisecond)
	return cmd.Process.Pid
}

func stackOf(t *testing.T, pid int) (out []string) {
	t.Helper()
	for _, f := range framesOf(t, pid) {
		out = append(out, fmt.Sprintf("%016x", f.PC()))
	}
	return out
}

func framesOf(t *testing.T, pid int) []Frame {
	t.Helper()
	p, err := stopped.Open(pid)
	if err != nil {
		t.Fatal(err)
	}
	u := New(&p.Image, &Rows{})
	th, err := p.Look(pid, false)
	if err != nil {
		t.Fatal(err)
	}
	s := u.Unwind(&th)
	if s.Lacks {
		if th, err = p.Look(pid, true); err != nil {
			t.Fatal(err)
		}
		s = u.Unwind(&th)
	}
	if s.Partial {
		t.Errorf("the stack has no end")
	}
	return s.Frames
}

// image is memory that begins at an address.
type image struct {
	at uint64
	b  []byte
}

func (m image) ReadAt(b []byte, address int64) (int, error) {
	if off := uint64(address) - m.at; off < uint64(len(m.b)) {
		if n := copy(b, m.b[off:]); n == len(b) {
			return n, nil
		}
	}
	return 0, io.ErrUnexpectedEOF
}

// small is unwinding information made by hand: a table with one function of 16 bytes at
// 0x2000, which pushes rbp at its first byte and rbx at its second.
func small() image {
	le := binary.LittleEndian
	b := make([]byte, 0x100)
	head := []byte{1, 0x1b, 3, 0x3b}
	copy(b, head)
	le.PutUint32(b[8:], 1)
	le.PutUint32(b[12:], 0x2000-0x1000) // of the function, from the table
	le.PutUint32(b[16:], 0x60)          // of its entry
	cie := []byte{0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x80 | 16, 1, 0, 0}
	le.PutUint32(b[0x20:], uint32(len(cie)))
	copy(b[0x24:], cie)
	fde := make([]byte, 13)
	le.PutUint32(fde, 0x64-0x20)
	le.PutUint32(fde[4:], 0x2000-(0x1000+0x68))
	le.PutUint32(fde[8:], 16)
	fde = append(fde, 0x41, 0x0e, 16, 0x80|6, 2, 0x41, 0x0e, 24, 0x80|3, 3)
	le.PutUint32(b[0x60:], uint32(len(fde)))
	copy(b[0x64:], fde)
	return image{0x1000, b}
}

func TestRows(t *testing.T) {
	m := small()
	for _, c := range []struct {
		pc       uint64
		cfa      int64
		rbp, rbx kind
	}{
		{0x2000, 8, unset, unset}, {0x2001, 16, atCFA, unset}, {0x2002, 24, atCFA, atCFA}, {0x200f, 24, atCFA, atCFA},
	} {
		e, err := find(m, 0x1000, c.pc)
		if err != nil {
			t.Fatal(err)
		}
		r, err := e.rowAt(c.pc)
		if err != nil {
			t.Fatal(err)
		}
		if r.cfa.reg != stopped.RSP || r.cfa.n != c.cfa || r.regs[stopped.RBP].kind != c.rbp ||
			r.regs[stopped.RBX].kind != c.rbx || r.ret != stopped.X86PC || r.regs[r.ret].kind != atCFA {
			t.Errorf("at %#x: %+v", c.pc, r)
		}
	}
	for _, pc := range []uint64{0x1fff, 0x2010} {
		if _, err := find(m, 0x1000, pc); err == nil {
			t.Errorf("there are rules for %#x", pc)
		}
	}
}

func TestExpressions(t *testing.T) {
	var regs stopped.Registers
	regs.Set(stopped.RSP, 0x1008)
	m := image{0x1000, []byte{1, 0, 0, 0, 0, 0, 0, 0, 42, 0, 0, 0, 0, 0, 0, 0}}
	for _, c := range []struct {
		expr []byte
		want uint64
		ok   bool
	}{
		{[]byte{exprBreg0 + 7, 0, exprDeref}, 42, true},
		{[]byte{exprBreg0 + 7, 0x78, exprDeref}, 1, true}, // -8
		{[]byte{exprBreg0 + 6, 0}, 0, false},              // rbp is not known
		{[]byte{exprLit0 + 5, exprLit0 + 3, exprGe, exprLit0 + 3, exprShl}, 8, true},
		{[]byte{exprConst1s, 0xff, exprPlusConst, 3}, 2, true},
		{[]byte{exprPlus}, 0, false},
		{[]byte{exprConst4u, 1}, 0, false},
		{nil, 0, false},
	} {
		if v, ok := evaluate(c.expr, &regs, m); ok != c.ok || ok && v != c.want {
			t.Errorf("% x gives %d, %v", c.expr, v, ok)
		}
	}
}

// FuzzTable reads any bytes as unwinding information: it ends, and without a rule there
// is an error.
func FuzzTable(f *testing.F) {
	f.Add(small().b, uint64(0x2001))
	f.Fuzz(func(t *testing.T, b []byte, pc uint64) {
		m := image{0x1000, b}
		e, err := find(m, 0x1000, pc)
		if (e == nil) == (err == nil) {
			t.Fatalf("%v, %v", e, err)
		}
		if err != nil {
			return
		}
		r, err := e.rowAt(pc)
		if (r == nil) == (err == nil) {
			t.Fatalf("%v, %v", r, err)
		}
		if err == nil {
			var regs stopped.Registers
			regs.Set(stopped.RSP, 0x1000)
			cfa, _ := r.address(&regs, m)
			for reg := range stopped.Count {
				r.restore(reg, &regs, cfa, m, stopped.X86)
			}
		}
	})
}

func TestPages(t *testing.T) {
	b := bytes.Repeat([]byte("0123456789abcdef"), 3*pageSize/16)
	p := &pages{memory: image{0, b}}
	got := make([]byte, 100)
	if _, err := p.ReadAt(got, pageSize-50); err != nil || !bytes.Equal(got, b[pageSize-50:][:100]) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := p.ReadAt(got, 3*pageSize-50); err == nil {
		t.Error("beyond the end there is something")
	}
}
