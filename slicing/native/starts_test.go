package native_test

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"debug/elf"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/argument"
	"laggard/slicing/arm64"
	"laggard/slicing/cpu"
	"laggard/slicing/native"
	"laggard/slicing/slicetest"
	"laggard/slicing/x86"
	"laggard/symbol"
)

// These tests start every analysis of machine code at functions drawn from binaries of others. A worker process does
// it, so that a crash is that of one function, and the others still have their turn.

const (
	startTime  = 8 * time.Second // the time that a slice has by default, and each of the others
	startSlack = 2 * time.Second // until an analysis has noticed that its time is over
	deadTime   = time.Minute     // after which a worker that says nothing is ended
	maxMemory  = 1 << 30         // bytes of data of a worker
	workerEnv  = "LAGGARD_STARTS"
)

// batch is what one worker does.
type batch struct {
	Files     []string
	Debug     string // directory of separate debug information
	Functions []drawn
	First     int // of the functions; those before it have been done
}

// drawn is a function of a file.
type drawn struct {
	File int
	Addr uint64
}

// event is what a worker says: that a step begins, or what came of it.
type event struct {
	Function int
	Step     string
	Done     bool
	Answered bool // else nothing could be said
	Took     time.Duration
	CPU      time.Duration
	Peak     int // memory of the worker so far, in MB
}

// outcome is what came of all batches.
type outcome struct {
	functions int
	peak      int // MB
	worst     time.Duration
	worstAt   string
	total     map[string]time.Duration // by step
	answered  map[string]int
	faults    []string
}

// steps are the analyses, in the order in which they are started at each function.
var steps = []string{"throws", "summary", "slice", "branch", "deciders", "arguments"}

// TestStartsWorker is the worker.
func TestStartsWorker(t *testing.T) {
	name := os.Getenv(workerEnv)
	if name == "" {
		t.Skip("for the tests that start analyses in processes of their own")
	}
	text := musttest.Get(os.ReadFile(name))(t)
	var b batch
	musttest.Succeed(t, json.Unmarshal(text, &b))
	const limitData = 2
	musttest.Succeed(t, syscall.Setrlimit(limitData, &syscall.Rlimit{Cur: maxMemory, Max: maxMemory}))
	debug.SetMemoryLimit(maxMemory / 2)
	newStarter(&b).runAll(json.NewEncoder(os.NewFile(3, "events")))
}

// starter starts analyses at functions.
type starter struct {
	*batch
	resolver *symbol.Resolver
	slicer   *native.Slicer
	reader   *native.Reader
	modules  []*model.Module
	random   *rand.Rand
	calls    []model.Frame // of the function, and of those before it
}

func newStarter(b *batch) *starter {
	s := &starter{batch: b, resolver: symbol.New(symbol.Config{DebugDirs: []string{b.Debug}})}
	s.slicer, s.reader = native.New(s.resolver, native.Options{}), native.NewReader(s.resolver)
	for _, path := range b.Files {
		id, _ := slicetest.BuildID(path)
		s.modules = append(s.modules, &model.Module{Path: path, BuildID: id})
	}
	return s
}

func (s *starter) runAll(events *json.Encoder) {
	for n := s.First; n < len(s.Functions); n++ {
		s.random = rand.New(rand.NewSource(int64(n)))
		f := s.Functions[n]
		mod := s.modules[f.File]
		calls := s.callsOf(mod, f.Addr)
		s.calls = append(s.calls, calls...)
		for _, step := range steps {
			events.Encode(event{Function: n, Step: step})
			begin, used := time.Now(), cpuTime()
			answered := s.runStep(step, mod, f.Addr, calls)
			events.Encode(event{n, step, true, answered, time.Since(begin), cpuTime() - used, peakMemory()})
		}
	}
}

// runStep makes one analysis, and reports whether it had an answer.
func (s *starter) runStep(step string, mod *model.Module, addr uint64, calls []model.Frame) bool {
	var err error
	ctx := context.Background()
	switch step {
	case "throws":
		_, err = s.slicer.Throws(mod, addr)
	case "summary":
		_, err = s.slicer.Summary(mod, addr)
	case "slice":
		c := slicing.Criterion{Stack: s.randomStack(calls)}
		if len(calls) == 0 {
			c.Stack, c.Exact = append([]model.Frame{{Module: mod, Offset: addr}}, c.Stack...), true
		}
		_, err = s.slicer.Slice(ctx, c, slicing.Budget{Time: startTime})
	case "branch":
		outer := s.randomStack(nil)
		at := func() []model.Frame { return append(s.pickFrame(calls), outer...) }
		_, err = s.slicer.Branch(ctx, at(), at(), at())
	case "deciders":
		_, err = s.slicer.Deciders(ctx, s.pickFrame(calls))
	case "arguments":
		s.reader.InLoopCalling(mod, addr, func(string) bool { return true })
		return len(calls) > 0 && slices.ContainsFunc(argument.Values(s.reader, *s.argumentCall(s.randomStack(calls)), 7),
			func(v argument.Value) bool { return v.Bits > 0 })
	}
	return err == nil
}

// pickFrame returns one of some frames, or none if there are none.
func (s *starter) pickFrame(from []model.Frame) []model.Frame {
	if len(from) == 0 {
		return nil
	}
	return []model.Frame{from[s.random.Intn(len(from))]}
}

// randomStack is a call, within calls that this worker has met before, in whatever modules.
func (s *starter) randomStack(calls []model.Frame) []model.Frame {
	out := s.pickFrame(calls)
	for range 3 {
		out = append(out, s.pickFrame(s.calls)...)
	}
	return out
}

// argumentCall is what the recovery of arguments is given of a stack, with registers and memory that hold numbers.
func (s *starter) argumentCall(stack []model.Frame) *argument.Call {
	if len(stack) == 0 {
		return nil
	}
	return &argument.Call{
		Module: stack[0].Module, Return: stack[0].Offset, Is: func(string) bool { return true },
		Register: func(n int) (uint64, bool) { return 0x7fff00000000 + uint64(n)<<8, true },
		Read: func(addr uint64, b []byte) bool {
			for i := range b {
				b[i] = byte((addr + uint64(i)) >> 3)
			}
			return true
		},
		Outer: s.argumentCall(stack[1:]),
	}
}

// callsOf are the return addresses of the calls of a function.
func (s *starter) callsOf(mod *model.Module, addr uint64) (out []model.Frame) {
	code, err := s.resolver.CodeOf(mod)
	if err != nil {
		return nil
	}
	processor := x86.Architecture
	if code.Machine() == elf.EM_AARCH64 {
		processor = arm64.Architecture
	}
	f, ok := code.FunctionAt(addr)
	if !ok {
		return nil
	}
	for at := f.Lo; at < f.Hi; {
		b := code.Bytes(at)
		if len(b) == 0 {
			break
		}
		for _, in := range processor.Decode(nil, b[:min(len(b), processor.Kind.LongestInstruction)], at) {
			if at = in.End(); in.Kind == cpu.Call {
				out = append(out, model.Frame{Module: mod, Offset: at})
			}
		}
	}
	return out
}

// cpuTime is what this process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peakMemory is the most memory that this process has had, in MB.
func peakMemory() int {
	text, _ := os.ReadFile("/proc/self/status")
	_, text, _ = bytes.Cut(text, []byte("VmHWM:"))
	fields := strings.Fields(string(text))
	if len(fields) == 0 {
		return 0
	}
	kb, _ := strconv.Atoi(fields[0])
	return kb >> 10
}

// runBatch has workers go through a batch.
func (o *outcome) runBatch(t *testing.T, b batch) {
	t.Helper()
	o.functions += len(b.Functions)
	if o.total == nil {
		o.total, o.answered = map[string]time.Duration{}, map[string]int{}
	}
	for b.First < len(b.Functions) {
		last, said := o.runWorker(t, b)
		if last.Done && last.Function == len(b.Functions)-1 && last.Step == steps[len(steps)-1] {
			return
		}
		o.addFault(&b, last, said)
		b.First = max(last.Function, b.First) + 1
	}
}

func (o *outcome) addFault(b *batch, e event, what string) {
	f := b.Functions[min(max(e.Function, b.First), len(b.Functions)-1)]
	o.faults = append(o.faults, fmt.Sprintf("%s+%#x: %s: %s", b.Files[f.File], f.Addr, e.Step, what))
}

// runWorker has one worker go through a batch as far as it comes; it returns the last event, and what ended the worker.
func (o *outcome) runWorker(t *testing.T, b batch) (last event, said string) {
	t.Helper()
	text := musttest.Get(json.Marshal(b))(t)
	file := filepath.Join(t.TempDir(), "batch")
	musttest.Succeed(t, os.WriteFile(file, text, 0o600))
	r, w, err := os.Pipe()
	musttest.Succeed(t, err)
	defer r.Close()
	cmd, stderr := exec.Command(os.Args[0], "-test.run=^TestStartsWorker$", "-test.timeout=0"), new(bytes.Buffer)
	cmd.Env, cmd.ExtraFiles = append(os.Environ(), workerEnv+"="+file), []*os.File{w}
	cmd.Stdout, cmd.Stderr = stderr, stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	musttest.Succeed(t, cmd.Start())
	w.Close()
	last.Function = -1
	dead := time.AfterFunc(deadTime, func() { cmd.Process.Kill() })
	for lines := bufio.NewScanner(r); lines.Scan(); dead.Reset(deadTime) {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			break
		}
		last = e
		o.noteEvent(&b, e)
	}
	ended := dead.Stop()
	err = cmd.Wait()
	said = firstLines(stderr.String())
	if !ended {
		said = fmt.Sprintf("no end within %s", deadTime)
	}
	return last, fmt.Sprintf("%v: %s", err, said)
}

// noteEvent adds what came of a step.
func (o *outcome) noteEvent(b *batch, e event) {
	o.peak = max(o.peak, e.Peak)
	o.total[e.Step] += e.Took
	if e.Answered {
		o.answered[e.Step]++
	}
	if e.Took > o.worst {
		o.worst, o.worstAt = e.Took, fmt.Sprintf("%s of %s+%#x", e.Step, b.Files[b.Functions[e.Function].File],
			b.Functions[e.Function].Addr)
	}
	if limit := startTime + startSlack; e.Took > limit && e.CPU > limit { // else the machine is busy
		o.addFault(b, e, fmt.Sprintf("took %s, %s of the processor", e.Took, e.CPU))
	}
}

// firstLines are the beginning of what a worker said when it crashed.
func firstLines(text string) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[:min(len(lines), 40)], "\n")
}

func (o *outcome) reportResults(t *testing.T) {
	t.Helper()
	t.Logf("%d functions; peak %d MB; longest %s: %s; in all %v; answered %v", o.functions, o.peak, o.worst,
		o.worstAt, o.total, o.answered)
	for _, f := range o.faults {
		t.Error(f)
	}
}

// drawFunctions draws functions of files, each as likely as any other.
func drawFunctions(files []string, n int, seed int64) []drawn {
	var all []drawn
	for i, path := range files {
		for _, addr := range functionsOf(path) {
			all = append(all, drawn{i, addr})
		}
	}
	random := rand.New(rand.NewSource(seed))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	all = all[:min(n, len(all))]
	slices.SortFunc(all, func(a, b drawn) int { return cmp.Or(a.File-b.File, cmp.Compare(a.Addr, b.Addr)) })
	return all
}

// functionsOf are the functions of a file that its symbols or its table for unwinding know; of one that has neither,
// some addresses in its code.
func functionsOf(path string) []uint64 {
	f, err := elf.Open(path)
	if err != nil || f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN ||
		f.Machine != elf.EM_X86_64 && f.Machine != elf.EM_AARCH64 {
		return nil
	}
	defer f.Close()
	found := map[uint64]bool{}
	for _, read := range []func() ([]elf.Symbol, error){f.Symbols, f.DynamicSymbols} {
		symbols, _ := read()
		for _, s := range symbols {
			if elf.ST_TYPE(s.Info) == elf.STT_FUNC && s.Section != elf.SHN_UNDEF && s.Size > 0 {
				found[s.Value] = true
			}
		}
	}
	if s := f.Section(".eh_frame_hdr"); s != nil {
		table, _ := s.Data()
		// version, three encodings, where .eh_frame is, how many functions; then pairs relative to the section
		for at := 12; at+8 <= len(table); at += 8 {
			found[s.Addr+uint64(int64(int32(binary.LittleEndian.Uint32(table[at:]))))] = true
		}
	}
	if s := f.Section(".text"); s != nil && len(found) == 0 {
		for at := uint64(0); at < s.Size; at += max(s.Size/1000, 16) {
			found[s.Addr+at] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// TestStarts starts all analyses at some functions of what is on this machine, and of a library with cycles of calls.
func TestStarts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	var files []string
	for _, pattern := range []string{"/usr/lib/*/libhdf5*.so.*.*.*", "/usr/lib/*/libmpi.so.*.*",
		"/usr/lib/*/libmpich.so.*.*", "/usr/lib/*/libpetsc*.so.*.*.*", "/usr/lib/*/libstdc++.so.6.*",
		"/usr/lib/*/libgfortran.so.*.*",
		"/usr/bin/python3.*", "/usr/bin/lmp", os.Args[0]} {
		found, _ := filepath.Glob(pattern)
		files = append(files, found...)
	}
	o := &outcome{}
	o.runBatch(t, batch{Files: files, Functions: drawFunctions(files, 60, 1)})
	cycles := []string{filepath.Join(t.TempDir(), "cycles.so")}
	cc := exec.Command("g++", append(slices.Clone(native.CyclicFlags), "-g", "-x", "c++", "-", "-o", cycles[0])...)
	cc.Stdin = strings.NewReader(native.Cyclic)
	if out, err := cc.CombinedOutput(); err != nil {
		t.Logf("without cycles of calls: g++: %v: %s", err, out)
	}
	o.runBatch(t, batch{Files: cycles, Functions: drawFunctions(cycles, 20, 1)})
	o.reportResults(t)
}
