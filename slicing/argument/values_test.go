package argument_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing/argument"
	"laggard/slicing/native"
	"laggard/symbol"
)

// standing is a library whose function says what it was called with, and stays. It
// uses many registers, as one of MPI does.
const standing = `
#include <stdio.h>
#include <unistd.h>
int stand(int a, int b, int c, long d, void *e, int f, int g, long h, int i)
{
  printf("%lx %lx %lx %lx %lx %lx %lx %lx %lx\n", (long)(unsigned)a, (long)(unsigned)b, (long)(unsigned)c, d, (long)e,
    (long)(unsigned)f, (long)(unsigned)g, h, (long)(unsigned)i);
  fflush(stdout);
  volatile int sink[64];
  for (int k = 0; k < 64; k++) sink[k] = a + b * k;
  for (;;) pause();
  return sink[a & 63] + g;
}
`

// callers are ways to come to the values of arguments.
const callers = `
#include <stdlib.h>
int stand(int a, int b, int c, long d, void *e, int f, int g, long h, int i);
int global = 11, world;
static int table[8] = {5, 6, 7, 8, 9, 10, 11, 12};
struct place { int rank, size; long seq; struct place *next; };
__attribute__((noinline)) static int constants(int n, int m)
{ return stand(1, -2, 0, 1L << 40, &world, 65, 7, -1, 9) + n + m; }
__attribute__((noinline)) static int ring(int n, int m)
{ return stand((n + 1) % m, (n + m - 1) % m, n * 4 + 2, n - m, &table[n & 7], -n, m, n * (long)m, ~n) + n; }
__attribute__((noinline)) static int memory(struct place *p, int m)
{ return stand(p->rank, p->size, p->next->rank, p->seq, p, p->next->size, global, table[m & 7], p->rank ^ m) + m; }
__attribute__((noinline)) static int chosen(int n, int m)
{ int to = n % 2 ? n - 1 : n + 1, none = m > 2 ? m : -1;
  return stand(to, none, n < m, n == 3 ? 17L : 18L, n ? &table[1] : NULL, m >= n, to, none, n <= 0) + to; }
__attribute__((noinline)) static int looped(int n, int m)
{ int sum = 0, most = 0;
  for (int k = 0; k < m; k++) { sum += table[k & 7]; if (table[k & 7] > most) most = table[k & 7]; }
  return stand(sum, most, m, sum + most, &table[most & 7], n, sum - m, m, n) + sum; }
__attribute__((noinline)) static int changed(int n, int m)
{ int was = global; global = n; volatile int box = m; int old = box; box = n + 1;
  return stand(was, old, global, was + old, &world, box, old, was, n) + n; }
__attribute__((noinline)) static int nested(int n, int m)
{ int r = 0;
  for (int k = 0; k < 3; k++) { int to = abs(n - k) + abs(m);
    if (k == 2) r = stand(to, k, abs(n), k * 8L, &table[k], r, to, m, k); }
  return r; }
__attribute__((noinline)) static int switched(int n, int m)
{ int tag;
  switch (n) { case 0: tag = 3; break; case 1: tag = m; break; case 2: tag = m + 1; break; case 3: tag = 99; break;
  case 4: tag = abs(m); break; case 5: tag = 2; break; default: tag = -1; }
  return stand(tag, n, m, tag, &world, tag + 1, n, tag, m) + tag; }
__attribute__((noinline)) static int carried(int *n, int m)
{ int to = *n, tag = m > 2 ? m + 1 : 7; /* they stay where they are while loops go round */
  double sum = 0, part = 1;
  for (int k = 1; k < 40; k++) { part /= k; sum += part > 1e-6 ? part : 0; }
  for (int k = m; k > 0 && sum > 0; k--) sum -= 1.0 / k;
  static double kept; kept = sum;
  return stand(1, 2, 3, 4, &kept, to, tag, tag, to) + (int)kept; }
__attribute__((noinline)) static int sides(int *n, int m)
{ int to; double sum = 0; /* one side goes round its loop a number of times that is known */
  if (*n > m) { to = 3; for (int k = 0; k < 5; k++) sum += 1.0 / (k + m * m + 1); }
  else { to = 4; for (int k = 0; k < m; k++) sum += 2.0 / (k + 1); }
  static double kept; kept = sum;
  return stand(to, to + 1, 3, 4, &kept, to, m, to, to) + (int)kept; }
__attribute__((noinline)) static int varying(int n, int m)
{ volatile char room[n * 100 + 7]; room[n] = m; /* the stack pointer moves by what is computed */
  volatile long words[abs(m) + 1]; words[1] = n;
  return stand(n, m, room[n], words[1], (void *)words, n + m, n - m, n * 7L, m + 1) + room[n]; }
__attribute__((noinline)) static int bare(void)
{ return stand(global, table[1], 3, 4, table, 6, 7, 8, 9) + global; }
int main(int argc, char **argv)
{
  int n = atoi(argv[2]), m = atoi(argv[3]);
  struct place b = {n + 3, m + 3, 0, NULL}, a = {n, m, 1L << 33, &b};
  switch (argv[1][0]) {
  case 'c': return constants(n, m);
  case 'r': return ring(n, m);
  case 'm': return memory(&a, m);
  case 'x': return chosen(n, m);
  case 'l': return looped(n, m);
  case 'o': return changed(n, m);
  case 'n': return nested(n, m);
  case 's': return switched(n, m);
  case 'b': srand(n); return bare();
  case 'a': return carried(&n, m);
  case 'd': return sides(&n, m);
  case 'v': return varying(n, m);
  }
  return 1;
}
`

// TestValues: whatever the compiler made of a call, no argument is wrong, and most are
// known.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		machine machine
		cc      string
		flags   []string
		least   float64 // the share that must be known
	}{
		{x86, "gcc", []string{"-O0"}, 0.95},
		{x86, "gcc", []string{"-O1", "-fno-plt", "-no-pie"}, 0.77},
		{x86, "gcc", []string{"-O2", "-g"}, 0.78},
		{x86, "gcc", []string{"-O3", "-march=x86-64-v3", "-s"}, 0.78},
		{x86, "clang", []string{"-O2", "-g"}, 0.77},
		// All but one argument are in registers, of which less is known than of the stack.
		{arm, "aarch64-linux-gnu-gcc", []string{"-O0"}, 0.95},
		{arm, "aarch64-linux-gnu-gcc", []string{"-O1", "-no-pie"}, 0.67},
		{arm, "aarch64-linux-gnu-gcc", []string{"-O2", "-g"}, 0.67},
		{arm, "aarch64-linux-gnu-gcc", []string{"-O3", "-mbranch-protection=standard", "-s"}, 0.67},
		{arm, "clang", []string{"--target=aarch64-linux-gnu", "-fuse-ld=bfd", "-O2", "-g"}, 0.64},
	} {
		name := c.machine.name + c.cc + strings.Join(c.flags, "")
		t.Run(name, func(t *testing.T) {
			for _, tool := range append(c.machine.tools, c.cc) {
				if _, err := exec.LookPath(tool); err != nil {
					t.Skip(err)
				}
			}
			if c.machine.stop == nil {
				t.Skip("for another processor")
			}
			known, all := c.machine.checkAllCallers(t, c.cc, c.flags)
			t.Logf("%d of %d arguments known", known, all)
			if float64(known) < c.least*float64(all) {
				t.Errorf("only %d of %d arguments are known", known, all)
			}
		})
	}
}

// machine runs programs up to where they stay.
type machine struct {
	name  string
	tools []string // that it needs
	run   []string // what runs a program
	stop  func(t *testing.T, cmd *exec.Cmd) (*stopped.Image, *stopped.Thread)
}

// x86 and arm are x86-64 and AArch64: this machine or, of AArch64, an emulator. What is then read
// of a process is the core file that the emulator writes.
var x86, arm = machine{name: "x86"}, machine{name: "arm"}

func init() {
	switch runtime.GOARCH {
	case "amd64":
		x86.stop = inspectProcess
		arm.tools, arm.stop = []string{"aarch64-linux-gnu-gcc", "qemu-aarch64-static"}, dumpCore
		arm.run = []string{"sh", "-c", `ulimit -c 20000; exec qemu-aarch64-static -L /usr/aarch64-linux-gnu "$0" "$@"`}
	case "arm64":
		arm.stop = inspectProcess
	}
}

// checkAllCallers builds the callers and asks for the arguments of each.
func (m *machine) checkAllCallers(t *testing.T, cc string, flags []string) (known, all int) {
	dir := t.TempDir()
	shared := []string{"-O2", "-shared", "-fPIC"}
	if i := slices.IndexFunc(flags, func(f string) bool { return strings.HasPrefix(f, "--target") }); i >= 0 {
		shared = append(shared, flags[i:i+2]...)
	}
	library := compileC(t, dir, "libstand.so", standing, cc, shared...)
	program := compileC(t, dir, "callers", callers, cc, append(flags, library, "-Wl,-rpath,"+dir, "-Wl,--build-id")...)
	for _, mode := range "crmxlonsbadv" {
		for _, numbers := range [][2]string{{"3", "8"}, {"4", "-6"}} {
			k, n := m.checkArguments(t, program, []string{string(mode), numbers[0], numbers[1]})
			known, all = known+k, all+n
		}
	}
	return known, all
}

func compileC(t *testing.T, dir, name, source, cc string, flags ...string) string {
	t.Helper()
	file, out := filepath.Join(dir, name+".c"), filepath.Join(dir, name)
	musttest.Succeed(t, os.WriteFile(file, []byte(source), 0o600))
	args := append([]string{"-w", "-o", out, file}, flags...)
	musttest.Run(t, exec.Command(cc, args...))
	return out
}

// checkArguments starts a program and compares what is found of the call that it stands in with
// what it was called with.
func (m *machine) checkArguments(t *testing.T, program string, args []string) (known, all int) {
	t.Helper()
	run := slices.Concat(m.run, []string{program}, args)
	cmd := exec.Command(run[0], run[1:]...)
	cmd.Dir = t.TempDir()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	musttest.Succeed(t, err)
	defer cmd.Wait()
	defer cmd.Process.Kill()
	line := musttest.Get(bufio.NewReader(out).ReadString('\n'))(t)
	var want [9]uint64
	for i, word := range strings.Fields(line) {
		fmt.Sscanf(word, "%x", &want[i])
	}
	awaitPause(t, cmd.Process.Pid)
	image, thread := m.stop(t, cmd)
	got := findArguments(image, thread, program)
	if got == nil {
		t.Fatal("the frame of the program is not found")
	}
	for i, v := range got {
		bits := 32
		if i == 3 || i == 4 || i == 7 {
			bits = 64
		}
		if v.Bits < bits {
			continue
		}
		known++
		if got := v.Number << (64 - bits) >> (64 - bits); got != want[i] {
			t.Errorf("%v: argument %d is %#x, found %#x (%+v)", args, i, want[i], got, v)
		}
	}
	return known, len(want)
}

// awaitPause waits until a process that has said where it goes sleeps there.
func awaitPause(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || time.Now().After(end) {
			t.Fatalf("%s, %v", text, err)
		}
		if strings.Contains(string(text), ") S ") {
			return
		}
	}
}

// inspectProcess looks at a process.
func inspectProcess(t *testing.T, cmd *exec.Cmd) (*stopped.Image, *stopped.Thread) {
	t.Helper()
	p := musttest.Get(stopped.Open(cmd.Process.Pid))(t)
	thread := musttest.Get(p.ReadThread(cmd.Process.Pid, true))(t)
	return &p.Image, &thread
}

// dumpCore has an emulator write a core file. That names no files, so it is seen before where the
// emulator has mapped them, and what the core file leaves out is read there.
func dumpCore(t *testing.T, cmd *exec.Cmd) (*stopped.Image, *stopped.Thread) {
	t.Helper()
	host, err := stopped.Open(cmd.Process.Pid)
	if err == nil {
		err = cmd.Process.Signal(syscall.SIGABRT)
	}
	musttest.Succeed(t, err)
	cmd.Wait()
	paths, err := filepath.Glob(filepath.Join(cmd.Dir, "qemu_*.core"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("core files %v: %v", paths, err)
	}
	core := musttest.Get(stopped.OpenCore(paths[0]))(t)
	t.Cleanup(core.Close)
	for i := range core.Maps {
		m := &core.Maps[i]
		if from := host.MappingAt(m.Lo); from != nil {
			m.Path, m.Offset = from.Path, from.Offset+m.Lo-from.Lo
		}
	}
	core.Memory = coreWithFiles{core, &core.Image}
	return &core.Image, &core.Threads[0]
}

// coreWithFiles is the memory in a core file, and what was mapped from files.
type coreWithFiles struct {
	core  *stopped.Core
	image *stopped.Image
}

func (f coreWithFiles) ReadAt(b []byte, at int64) (int, error) {
	n, err := f.core.ReadAt(b, at)
	m := f.image.MappingAt(uint64(at))
	if err == nil || m == nil || m.Path == "" || m.Writable {
		return n, err
	}
	file, err := os.Open(m.Path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	return file.ReadAt(b, int64(m.Offset+uint64(at)-m.Lo))
}

// findArguments finds the arguments of the call of stand that a thread is in; nil: its frame is not found.
func findArguments(image *stopped.Image, thread *stopped.Thread, program string) []argument.Value {
	resolver := symbol.New(symbol.Config{})
	defer resolver.Close()
	view := image.ThreadMemory(thread)
	var inner, first *argument.Call
	for _, f := range unwind.New(image, &unwind.Rows{}).Unwind(thread).Frames[1:] {
		if f.Module == nil || f.Module.Path != program {
			continue
		}
		c := &argument.Call{
			Module: &model.Module{BuildID: f.Module.BuildID, Path: f.Module.Path}, Bias: f.Module.Bias,
			Return:   f.PC() - f.Module.Bias,
			Register: f.Registers.Get,
			Read: func(addr uint64, b []byte) bool {
				n, _ := view.ReadAt(b, int64(addr))
				return n == len(b)
			},
			Is: func(name string) bool { return name == "stand" },
		}
		if inner == nil {
			first = c
		} else {
			inner.Outer = c
		}
		inner = c
	}
	if first == nil {
		return nil
	}
	return argument.Values(native.NewReader(resolver), *first, 9)
}
