package python

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/binary/cpython"
	"laggard/binary/processor"
	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/symbol"
)

// program stands in a function that was called by others in all the ways that look different: plainly, by way of C
// code, by a generator, in a class, and in a second thread.
const program = `
import threading, time
class Grid:
    def wait(self):
        print("ready", flush=True)
        time.sleep(100)
def rows(g):
    yield 1
    g.wait()
def key(x):
    for r in rows(Grid()):
        x += r
    return x
def größe():
    return sorted([3], key=key)
def other():
    time.sleep(100)
t = threading.Thread(target=other, daemon=True)
t.start()
größe()
`

// TestLevels reads the stacks of real interpreters: the one that is installed, and those that LAGGARD_PYTHONS lists.
func TestLevels(t *testing.T) {
	eachPython(t, checkLevels)
}

func eachPython(t *testing.T, test func(t *testing.T, python string)) {
	pythons := strings.Fields(os.Getenv("LAGGARD_PYTHONS"))
	if python, err := exec.LookPath("python3"); err == nil {
		pythons = append(pythons, python)
	}
	if len(pythons) == 0 {
		t.Skip("there is no python3")
	}
	for _, python := range pythons {
		t.Run(python, func(t *testing.T) { test(t, python) })
	}
}

// tables prints, of every function of some modules, the table of lines, and what Python makes of it.
const tables = `
import argparse, asyncio.base_events, collections, decimal, dis, inspect, json, pydoc, sys, tarfile, types, typing
def codes(c):
    yield c
    for k in c.co_consts:
        if isinstance(k, types.CodeType):
            yield from codes(k)
out = []
for m in (argparse, asyncio.base_events, collections, inspect, pydoc, tarfile, typing):
    for c in codes(compile(open(m.__file__).read(), m.__file__, "exec")):
        if sys.version_info >= (3, 10):
            table, lines = c.co_linetable, [(a, l or 0) for a, b, l in c.co_lines() if a < b]
        else:
            table, lines = c.co_lnotab, list(dis.findlinestarts(c))
        out.append({"First": c.co_firstlineno, "Table": table.hex(), "Lines": lines})
json.dump({"Minor": sys.version_info[1], "Codes": out}, sys.stdout)
`

func TestLines(t *testing.T) {
	eachPython(t, func(t *testing.T, python string) {
		text, err := exec.Command(python, "-c", tables).Output()
		var all struct {
			Minor int
			Codes []struct {
				First int
				Table string
				Lines [][2]int
			}
		}
		if err == nil {
			err = json.Unmarshal(text, &all)
		}
		if err != nil || len(all.Codes) < 100 {
			t.Fatalf("%d functions, %v", len(all.Codes), err)
		}
		for _, c := range all.Codes {
			table, _ := hex.DecodeString(c.Table)
			for _, at := range c.Lines {
				if got := lineAt(all.Minor, table, c.First, int64(at[0])); got != at[1] {
					t.Fatalf("function at line %d, instruction %d: line %d, want %d", c.First, at[0], got, at[1])
				}
			}
		}
	})
}

func checkLevels(t *testing.T, python string) {
	file := filepath.Join(t.TempDir(), "stands.py")
	musttest.Succeed(t, os.WriteFile(file, []byte(program), 0o600))
	cmd := exec.Command(python, file)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	musttest.Succeed(t, err)
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	musttest.Get(bufio.NewReader(out).ReadString('\n'))(t)
	awaitSleep(t, cmd.Process.Pid)
	process := musttest.Get(stopped.Open(cmd.Process.Pid))(t)
	tids := musttest.Get(process.TIDs())(t)
	musttest.Equal(t, 2, len(tids), "threads")
	first := stackOf(t, process, tids[0])
	want := []string{"Grid.wait:6", "rows:9", "key:11", "größe:15", "<module>:20"}
	if exec.Command(python, "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run() != nil {
		want[0] = "wait:6" // without the class
	}
	checktest.EqualList(t, want, first)
	second := stackOf(t, process, tids[1])
	if len(second) < 3 || second[0] != "other:17" {
		t.Errorf("second thread: %v", second)
	}
}

// awaitSleep waits until both threads of a process are asleep.
func awaitSleep(t *testing.T, pid int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		asleep := 0
		stats, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, path := range stats {
			if text, err := os.ReadFile(path); err == nil && bytes.Contains(text, []byte(") S ")) {
				asleep++
			}
		}
		if asleep == 2 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of 2 threads are asleep", asleep)
		}
	}
}

// stackOf is the Python frames of a thread.
func stackOf(t *testing.T, process *stopped.Process, tid int) []string {
	t.Helper()
	resolver := symbol.New(symbol.Config{})
	defer resolver.Close()
	thread := musttest.Get(process.ReadThread(tid, false))(t)
	u := unwind.New(&process.Image, &unwind.Rows{})
	stack := u.Unwind(&thread)
	p := FindInterpreter(u.Modules(), process.Memory, resolver)
	if p == nil {
		t.Fatal("no interpreter is found")
	}
	var out []string
	all, cut := p.MergeStacks(tid, stack.Frames, false)
	if cut {
		t.Error("frames are missing")
	}
	for _, l := range all {
		if l.Python != nil {
			out = append(out, fmt.Sprintf("%s:%d", l.Python.Function, l.Python.Line))
		}
	}
	return out
}

// hostile is memory in which every word is an address in it, so that all that is followed leads on.
type hostile []byte

func (h hostile) ReadAt(b []byte, at int64) (int, error) {
	if len(h) == 0 || at < 0 {
		return 0, io.EOF
	}
	for i := range b {
		b[i] = h[(uint64(at)+uint64(i))%uint64(len(h))]
	}
	return len(b), nil
}

// FuzzLevels: an interpreter whose memory is any bytes.
func FuzzLevels(f *testing.F) {
	f.Add([]byte("code\x00str\x00bytes\x00\x08\x00\x00"), uint32(0x030b0000), uint64(64), uint64(8))
	f.Add(binary.LittleEndian.AppendUint64(append([]byte(nil), []byte("xdebugpy")...), 0x030d0000), uint32(0x030d0000), uint64(0),
		uint64(16))
	f.Fuzz(func(t *testing.T, memoryOf []byte, version uint32, runtime, sp uint64) {
		module := &stopped.Module{}
		in := memory{hostile(memoryOf)}
		for minor := uint32(8); minor <= 14; minor++ {
			read := func(n int) []byte { return in.readBytes(runtime, n) }
			l, ok := cpython.Find(version&0xff00ffff|minor<<16, read)
			if !ok {
				continue
			}
			p := &Interpreter{Layout: l, memory: in, runtime: runtime, module: module, typeCache: map[string]uint64{}}
			stack := make([]unwind.Frame, 3)
			for i := range stack {
				stack[i].Module, stack[i].Machine = module, processor.X86
				stack[i].Registers.Set(processor.RSP, sp+uint64(i)*1024)
			}
			list, _ := p.readFrames(runtime)
			j := joiner{p: p, stack: stack, list: list}
			for i := range stack {
				j.addCFrame(i, i == 0)
			}
			if len(list) > maxFrames || len(j.out) > maxFrames+len(stack) {
				t.Fatalf("%d frames, %d levels", len(list), len(j.out))
			}
		}
	})
}
