package unwind

import (
	"bytes"
	"debug/elf"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/binary/processor"
	"laggard/intake/stopped"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
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
__attribute__((noinline)) static void rest(void) 
{ if (sink != 77) { write(1, "\n", 1); for (;;) { SPIN; } } sink++; }
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
			pid := running(t, built(t, c), slices.Contains(c, "-DSPIN="))
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
	if processor.Native() == processor.Arm { // return addresses that are signed
		flags = append(flags, []string{"-O2", "-DSPIN=pause()", "-mbranch-protection=pac-ret+leaf"})
	}
	for _, c := range flags {
		t.Run(strings.Join(c, ","), func(t *testing.T) {
			program := built(t, append(c, "-fno-optimize-sibling-calls"))
			file := musttest.Get(elf.Open(program))(t)
			defer file.Close()
			symbols := musttest.Get(file.Symbols())(t)
			var got []string
			for _, f := range framesOf(t, running(t, program, slices.Contains(c, "-DSPIN="))) {
				for _, s := range symbols {
					if f.Module != nil && f.Module.Path == program && elf.ST_TYPE(s.Info) == elf.STT_FUNC &&
						f.PC()-1-f.Module.Bias-s.Value < s.Size {
						name, _, _ := strings.Cut(s.Name, ".") // of a copy
						got = append(got, name)
					}
				}
			}
			want := []string{"rest", "handler", "signalled", "grown", "aligned", "compare", "saved", "main", "_start"}
			checktest.EqualList(t, want, got)
		})
	}
}

func built(t *testing.T, flags []string) string {
	t.Helper()
	dir := t.TempDir()
	source, program := filepath.Join(dir, "deep.c"), filepath.Join(dir, "deep")
	musttest.Succeed(t, os.WriteFile(source, []byte(deep), 0o600))
	if out, err := exec.Command("cc", append(flags, "-w", "-o", program, source)...).CombinedOutput(); err != nil {
		t.Skipf("%v: %s", err, out)
	}
	return program
}

// running starts a program, which says when it is in its innermost function, and waits until it is asleep there, or
// goes on there.
func running(t *testing.T, program string, spins bool) int {
	t.Helper()
	cmd := exec.Command(program)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	musttest.Succeed(t, err)
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	musttest.Get(out.Read(make([]byte, 1)))(t)
	_, said := stateOf(t, cmd.Process.Pid)
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		state, used := stateOf(t, cmd.Process.Pid)
		if !spins && state == "S" || spins && used > said+1 { // more than the way from what it says takes
			return cmd.Process.Pid
		}
		if time.Now().After(end) {
			t.Fatal("it does not come to where it stays")
		}
	}
}

// stateOf is the state of a process, and the ticks that it has run outside the kernel.
func stateOf(t *testing.T, pid int) (state string, ticks int) {
	t.Helper()
	text := musttest.Get(os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)))(t)
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	ticks = musttest.Get(strconv.Atoi(fields[11]))(t)
	return fields[0], ticks
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
	p := musttest.Get(stopped.Open(pid))(t)
	u := New(&p.Image, &Rows{})
	th := musttest.Get(p.ReadThread(pid, false))(t)
	s := u.Unwind(&th)
	if s.Lacks {
		th = musttest.Get(p.ReadThread(pid, true))(t)
		s = u.Unwind(&th)
	}
	if s.Partial {
		t.Errorf("the stack has no end")
	}
	return s.Frames
}

func TestPages(t *testing.T) {
	b := bytes.Repeat([]byte("0123456789abcdef"), 3*pageSize/16)
	p := &pages{memory: bytes.NewReader(b)}
	got := make([]byte, 100)
	if _, err := p.ReadAt(got, pageSize-50); err != nil || !bytes.Equal(got, b[pageSize-50:][:100]) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := p.ReadAt(got, 3*pageSize-50); err == nil {
		t.Error("beyond the end there is something")
	}
}
