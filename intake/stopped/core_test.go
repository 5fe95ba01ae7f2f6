package stopped

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/binary/processor"
	"laggard/internal/musttest"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// segment is a part of a core file that is made by hand.
type segment struct {
	kind  elf.ProgType
	flags elf.ProgFlag
	at    uint64
	b     []byte
	size  uint64 // in memory, if that is more
}

// coreOf lays out a core file.
func coreOf(m *processor.Processor, segments ...segment) []byte {
	le := binary.LittleEndian
	out := make([]byte, headerSize+programEntry*len(segments))
	copy(out, "\x7fELF\x02\x01\x01")
	le.PutUint16(out[16:], uint16(elf.ET_CORE))
	le.PutUint16(out[18:], uint16(m.ELF))
	le.PutUint32(out[20:], 1)
	le.PutUint64(out[32:], headerSize)
	le.PutUint16(out[52:], headerSize)
	le.PutUint16(out[54:], programEntry)
	le.PutUint16(out[56:], uint16(len(segments)))
	for i, s := range segments {
		p := out[headerSize+programEntry*i:]
		le.PutUint32(p, uint32(s.kind))
		le.PutUint32(p[4:], uint32(s.flags))
		le.PutUint64(p[8:], uint64(len(out)))
		le.PutUint64(p[16:], s.at)
		le.PutUint64(p[32:], uint64(len(s.b)))
		le.PutUint64(p[40:], max(s.size, uint64(len(s.b))))
		out = append(out, s.b...)
	}
	return out
}

func noteOf(kind uint32, desc []byte) []byte {
	le := binary.LittleEndian
	out := le.AppendUint32(nil, 5)
	out = le.AppendUint32(out, uint32(len(desc)))
	out = le.AppendUint32(out, kind)
	out = append(out, "CORE\x00\x00\x00\x00"...)
	return append(append(out, desc...), make([]byte, -len(desc)&3)...)
}

// wordBytes are numbers of eight bytes.
func wordBytes(list ...uint64) (out []byte) {
	for _, n := range list {
		out = binary.LittleEndian.AppendUint64(out, n)
	}
	return out
}

const (
	stackAt = 0x7ffc00000000
	codeAt  = 0x400000
)

// sampleCore is a core file of process 77 with one thread, 78, in system call 7, that was sent
// signal 6 by process 5. Of its program, the file given, only the first page is in it. The
// registers are 100, 101 and so on, as the kernel has them in order.
func sampleCore(m *processor.Processor, program string, first []byte) []byte {
	status := make([]byte, userRegister+kernelSize(m))
	le := binary.LittleEndian
	le.PutUint16(status[12:], 6)
	le.PutUint32(status[32:], 78)
	for i := range m.KernelOrder {
		le.PutUint64(status[userRegister+8*i:], uint64(100+i))
	}
	var call []byte
	if m.SystemCall >= 0 {
		le.PutUint64(status[userRegister+8*m.SystemCall:], 7)
	} else {
		call = noteOf(noteArmCall, le.AppendUint32(nil, 7))
	}
	info := make([]byte, psinfoSize)
	le.PutUint32(info[24:], 77)
	sent := make([]byte, siginfoSize)
	le.PutUint32(sent[16:], 5)
	stack := append(bytes.Repeat([]byte{1}, 64), "\x00./a\x00--x=y z\x00A=1\x00B_2=x=y\x00./a\x00\x00\x00"...)
	end := uint64(stackAt + bytes.LastIndex(stack, []byte("./a")))
	files := append(wordBytes(1, page, codeAt, codeAt+2*page, 0), program+"\x00"...)
	notes := slices.Concat(noteOf(notePrstatus, status), call, noteOf(notePrpsinfo, info), noteOf(noteSiginfo, sent),
		noteOf(noteAuxv, wordBytes(auxvHeaders, codeAt+64, auxvProgram, end, 0, 0)), noteOf(noteFile, files))
	return coreOf(m, segment{kind: elf.PT_NOTE, b: notes},
		segment{elf.PT_LOAD, elf.PF_R | elf.PF_X, codeAt, first, 2 * page},
		segment{elf.PT_LOAD, elf.PF_R | elf.PF_W, stackAt, stack, page})
}

// TestCore reads core files of every processor on this one.
func TestCore(t *testing.T) {
	for _, m := range []*processor.Processor{processor.X86, processor.Arm} {
		t.Run(m.ELF.String(), func(t *testing.T) { testCore(t, m) })
	}
}

func testCore(t *testing.T, m *processor.Processor) {
	dir := t.TempDir()
	program := filepath.Join(dir, "a")
	text := append(bytes.Repeat([]byte{7}, page), bytes.Repeat([]byte{9}, page)...)
	for path, b := range map[string][]byte{program: text, filepath.Join(dir, "core"): sampleCore(m, program, text[:page])} {
		musttest.Succeed(t, os.WriteFile(path, b, 0o600))
	}
	for name, pack := range map[string]func(io.Writer) io.WriteCloser{
		"core": nil,
		"core.zst": func(w io.Writer) io.WriteCloser {
			z, _ := zstd.NewWriter(w)
			return z
		},
		"core.lz4": func(w io.Writer) io.WriteCloser { return lz4.NewWriter(w) },
		"core.gz":  func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
	} {
		path := filepath.Join(dir, name)
		if pack != nil {
			var b bytes.Buffer
			w := pack(&b)
			_, err := w.Write(sampleCore(m, program, text[:page]))
			musttest.Succeed(t, errors.Join(err, w.Close(), os.WriteFile(path, b.Bytes(), 0o600)))
		}
		c, err := OpenCore(path)
		if err != nil || !IsCore(path) {
			t.Fatalf("%s: %v, a core file: %v", name, err, IsCore(path))
		}
		checkSample(t, c, program)
		if c.Machine != m {
			t.Errorf("%s: of %v", name, c.Machine.ELF)
		}
		c.Close()
	}
}

// where the registers of the sample are.
var where = map[*processor.Processor]struct{ pc, fp, sp uint64 }{processor.X86: {116, 104, 119}, processor.Arm: {132, 129, 131}}

func checkSample(t *testing.T, c *Core, program string) {
	t.Helper()
	if c.PID != 77 || c.Signal != 0 || c.Program != program || !slices.Equal(c.Environ, []string{"A=1", "B_2=x=y"}) {
		t.Errorf("process %d of %s, signal %d, environment %q", c.PID, c.Program, c.Signal, c.Environ)
	}
	th, want := c.Threads[0], where[c.Machine]
	pc, _ := th.Registers.Get(c.Machine.PC)
	fp, _ := th.Registers.Get(c.Machine.FP)
	sp, _ := th.Registers.Get(c.Machine.SP)
	if len(c.Threads) != 1 || th.TID != 78 || th.SystemCall != 7 || fp != want.fp || pc != want.pc || sp != want.sp {
		t.Errorf("%+v", c.Threads)
	}
	b := make([]byte, 4)
	if _, err := c.ReadAt(b, codeAt+page-2); err != nil || string(b) != "\x07\x07\x09\x09" {
		t.Errorf("the program's memory is % x, %v", b, err)
	}
	if _, err := c.ReadAt(b, stackAt+page-2); err == nil {
		t.Error("what was left out of the stack can be read")
	}
}

// TestCalled: the number of a system call of AArch64 is found by the instruction, before or behind the thread.
func TestCalled(t *testing.T) {
	le := binary.LittleEndian
	for _, c := range []struct {
		before, at uint32
		want       int
	}{{service, 0, 124}, {0, service, 124}, {0xd503201f, 0xd503201f, -1}} {
		th := Thread{SystemCall: -1}
		th.Registers.Set(processor.ArmPC, 4)
		th.Registers.Set(8, 124)
		findCall(processor.Arm, &th, bytes.NewReader(le.AppendUint32(le.AppendUint32(nil, c.before), c.at)))
		if th.SystemCall != c.want {
			t.Errorf("%#x: system call %d, want %d", c, th.SystemCall, c.want)
		}
	}
}

// TestOther: a program that is not the one that ran is not read.
func TestOther(t *testing.T) {
	dir := t.TempDir()
	program, core := filepath.Join(dir, "a"), filepath.Join(dir, "core")
	now, then := bytes.Repeat([]byte{8}, 2*page), bytes.Repeat([]byte{7}, page)
	for path, b := range map[string][]byte{program: now, core: sampleCore(processor.X86, program, then)} {
		musttest.Succeed(t, os.WriteFile(path, b, 0o600))
	}
	c := musttest.Get(OpenCore(core))(t)
	defer c.Close()
	b := make([]byte, 4)
	if _, err := c.ReadAt(b, codeAt+page); err == nil {
		t.Errorf("another program is read: % x", b)
	}
}

// FuzzCore opens any file as a core file: an error means none, and reading ends.
func FuzzCore(f *testing.F) {
	f.Add(sampleCore(processor.X86, "/bin/true", make([]byte, page)))
	f.Add(sampleCore(processor.Arm, "/bin/true", make([]byte, page)))
	f.Add([]byte("\x28\xb5\x2f\xfd"))
	f.Fuzz(func(t *testing.T, b []byte) {
		path := filepath.Join(t.TempDir(), "core")
		musttest.Succeed(t, os.WriteFile(path, b, 0o600))
		c, err := OpenCore(path)
		if (c == nil) == (err == nil) {
			t.Fatalf("%v, %v", c, err)
		}
		if err == nil {
			c.Modules()
			c.Close()
		}
	})
}
