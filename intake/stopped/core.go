package stopped

import (
	"bytes"
	"cmp"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"laggard/binary/elfnote"
	"laggard/binary/processor"
	"laggard/internal/lateregexp"
	"laggard/internal/regular"
)

// ErrCore is wrapped by every error about a file that is no core file of a machine that can
// be read, or a damaged one.
var ErrCore = errors.New("not a core file of x86-64 or AArch64")

// Core is the process that left a core file.
type Core struct {
	Image
	file  *os.File
	files map[string]*os.File // of programs and libraries; nil: not there, or another version
	load  []loaded
}

// loaded is a segment of the core file.
type loaded struct {
	lo, size, off uint64 // address, bytes in the file, and where
}

// Bounds for files that nobody meant.
const (
	maxNote     = 64 << 20
	maxFiles    = 1 << 16
	maxEnviron  = 256 << 10
	maxSegments = 1 << 16
)

// OpenCore reads a core file, which may be packed as systemd packs them. What the kernel left
// out, since it is in the files of the program, is read there, if they are the same ones.
func OpenCore(path string) (c *Core, err error) {
	file, err := openUnpacked(path)
	if err != nil {
		return nil, err
	}
	c = &Core{file: file, files: map[string]*os.File{}}
	defer func() {
		if p := recover(); p != nil { // debug/elf, or a decoder here, on contents that cannot be
			err = fmt.Errorf("%s: %w: %v", path, ErrCore, p)
		}
		if err != nil {
			c.Close()
			c = nil
		}
	}()
	f, err := elf.NewFile(file)
	if err != nil || f.Type != elf.ET_CORE || processor.OfELF(f.Machine) == nil || f.Class != elf.ELFCLASS64 ||
		f.Data != elf.ELFDATA2LSB || len(f.Progs) > maxSegments {
		return c, fmt.Errorf("%s: %w", path, ErrCore)
	}
	c.Memory, c.Machine = c, processor.OfELF(f.Machine)
	if err := c.readSegments(f); err != nil {
		return c, fmt.Errorf("%s: %w: %w", path, ErrCore, err)
	}
	return c, nil
}

// Close closes all files.
func (c *Core) Close() {
	c.file.Close()
	for _, f := range c.files {
		if f != nil {
			f.Close()
		}
	}
}

// notes are what the kernel wrote down of the process.
type notes struct {
	files []Mapping
	auxv  map[uint64]uint64
	from  int // the process that sent the signal, 0 nobody did
	code  int // of the signal
	info  bool
}

// Kinds of notes (elf.h), and entries of the auxiliary vector.
const (
	notePrstatus = 1
	notePrpsinfo = 3
	noteAuxv     = 6
	noteSiginfo  = 0x53494749
	noteFile     = 0x46494c45
	noteArmCall  = 0x404 // the number of the system call, of the thread before it

	auxvHeaders  = 3
	auxvProgram  = 31
	auxvVDSO     = 33
	psinfoSize   = 56 + 80
	siginfoSize  = 24
	userRegister = 112
)

func (c *Core) readSegments(f *elf.File) error {
	n := notes{auxv: map[uint64]uint64{}}
	for _, p := range f.Progs {
		switch p.Type {
		case elf.PT_NOTE:
			if p.Filesz > maxNote {
				return fmt.Errorf("notes of %d bytes", p.Filesz)
			}
			b := make([]byte, p.Filesz)
			if _, err := p.ReadAt(b, 0); err != nil {
				return fmt.Errorf("the notes: %w", err)
			}
			elfnote.Each(b, nil, func(name string, kind uint32, desc []byte) { c.readNote(&n, kind, desc) })
		case elf.PT_LOAD:
			c.load = append(c.load, loaded{p.Vaddr, p.Filesz, p.Off})
			c.Maps = append(c.Maps, Mapping{Lo: p.Vaddr, Hi: p.Vaddr + p.Memsz,
				Executable: p.Flags&elf.PF_X != 0, Writable: p.Flags&elf.PF_W != 0})
		}
	}
	if len(c.Threads) == 0 {
		return errors.New("no thread is in it")
	}
	c.nameMappings(&n)
	if n.info && n.code <= 0 && n.from != c.PID {
		c.Signal = 0 // somebody sent it, to get this file
	}
	c.readEnvironment(&n)
	for i := range c.Threads {
		findCall(c.Machine, &c.Threads[i], c)
	}
	return nil
}

func (c *Core) readNote(n *notes, kind uint32, b []byte) {
	le := binary.LittleEndian
	switch {
	case kind == notePrstatus && len(b) >= userRegister+kernelSize(c.Machine):
		if len(c.Threads) == 0 {
			c.Signal = int(le.Uint16(b[12:]))
		}
		c.Threads = append(c.Threads, threadOf(c.Machine, int(le.Uint32(b[32:])), b[userRegister:]))
	case kind == noteArmCall && len(b) >= 4 && len(c.Threads) > 0:
		c.Threads[len(c.Threads)-1].SystemCall = numberOfCall(int64(int32(le.Uint32(b))))
	case kind == notePrpsinfo && len(b) >= psinfoSize:
		c.PID = int(le.Uint32(b[24:]))
	case kind == noteAuxv:
		for ; len(b) >= 16; b = b[16:] {
			n.auxv[le.Uint64(b)] = le.Uint64(b[8:])
		}
	case kind == noteSiginfo && len(b) >= siginfoSize:
		if !n.info { // of the thread that died
			n.info, n.code, n.from = true, int(int32(le.Uint32(b[8:]))), int(le.Uint32(b[16:]))
		}
	case kind == noteFile:
		n.files = filesOf(b)
	}
}

// filesOf reads which parts of files are mapped where.
func filesOf(b []byte) []Mapping {
	le := binary.LittleEndian
	if len(b) < 16 {
		return nil
	}
	count, page := le.Uint64(b), le.Uint64(b[8:])
	b = b[16:]
	if count > maxFiles || uint64(len(b)) < 24*count {
		return nil
	}
	names := bytes.Split(b[24*count:], []byte{0})
	var out []Mapping
	for i := range int(count) {
		if i >= len(names) {
			break
		}
		e := b[24*i:]
		out = append(out, Mapping{Lo: le.Uint64(e), Hi: le.Uint64(e[8:]), Offset: le.Uint64(e[16:]) * page,
			Path: string(names[i])})
	}
	return out
}

// nameMappings puts the names of files to what is mapped.
func (c *Core) nameMappings(n *notes) {
	byLo := func(a, b Mapping) int { return cmp.Compare(a.Lo, b.Lo) }
	for _, f := range n.files {
		if f.Hi > f.Lo && !slices.ContainsFunc(c.Maps, func(m Mapping) bool { return m.Lo < f.Hi && f.Lo < m.Hi }) {
			c.Maps = append(c.Maps, f)
		}
	}
	slices.SortFunc(c.Maps, byLo)
	slices.SortFunc(c.load, func(a, b loaded) int { return cmp.Compare(a.lo, b.lo) })
	slices.SortFunc(n.files, byLo)
	files := Image{Maps: n.files}
	for i := range c.Maps {
		m := &c.Maps[i]
		if f := files.MappingAt(m.Lo); f != nil {
			m.Path, m.Offset = f.Path, f.Offset+m.Lo-f.Lo
		} else if m.Lo == n.auxv[auxvVDSO] && m.Lo != 0 {
			m.Path = "[vdso]"
		}
	}
}

var variable = lateregexp.New(`^[A-Za-z_][A-Za-z0-9_]*=`)

// readEnvironment finds the program and its environment: the strings before the name of the
// program, at the outer end of the first stack.
func (c *Core) readEnvironment(n *notes) {
	if m := c.MappingAt(n.auxv[auxvHeaders]); m != nil {
		c.Program = m.Path
	}
	end := n.auxv[auxvProgram]
	m := c.MappingAt(end)
	if m == nil {
		return
	}
	b := make([]byte, min(end-m.Lo, maxEnviron))
	if _, err := c.ReadAt(b, int64(end)-int64(len(b))); err != nil {
		return
	}
	for _, text := range slices.Backward(strings.Split(strings.TrimRight(string(b), "\x00"), "\x00")) {
		if !variable.MatchString(text) {
			break
		}
		c.Environ = append(c.Environ, text)
	}
	slices.Reverse(c.Environ)
}

// ReadAt reads memory of the process.
func (c *Core) ReadAt(b []byte, address int64) (int, error) {
	done := 0
	for done < len(b) {
		n, err := c.readPart(b[done:], uint64(address)+uint64(done))
		if err != nil {
			return done, fmt.Errorf("read %#x: %w", uint64(address)+uint64(done), err)
		}
		done += n
	}
	return done, nil
}

// readPart reads up to the end of what is in one place.
func (c *Core) readPart(b []byte, at uint64) (int, error) {
	i, found := slices.BinarySearchFunc(c.load, at, func(l loaded, at uint64) int { return cmp.Compare(l.lo, at) })
	if !found {
		i--
	}
	if i >= 0 && at-c.load[i].lo < c.load[i].size {
		l := c.load[i]
		n := min(uint64(len(b)), l.size-(at-l.lo))
		return ignoreShortRead(c.file.ReadAt(b[:n], int64(l.off+at-l.lo)))
	}
	m := c.MappingAt(at)
	if m == nil || m.Path == "" || m.Writable {
		return 0, io.ErrUnexpectedEOF
	}
	f := c.openOriginal(m.Path)
	if f == nil {
		return 0, io.ErrUnexpectedEOF
	}
	n := min(uint64(len(b)), m.Hi-at)
	return ignoreShortRead(f.ReadAt(b[:n], int64(m.Offset+at-m.Lo)))
}

// ignoreShortRead takes what was read for an error only if it is nothing.
func ignoreShortRead(n int, err error) (int, error) {
	if n > 0 {
		return n, nil
	}
	return 0, cmp.Or(err, io.ErrUnexpectedEOF)
}

const page = 4096

// openOriginal opens a file that was mapped, if its first page is what the process had; nil
// if it is another one, or nothing tells.
func (c *Core) openOriginal(path string) *os.File {
	if f, known := c.files[path]; known {
		return f
	}
	c.files[path] = nil
	i := slices.IndexFunc(c.Maps, func(m Mapping) bool { return m.Path == path && m.Offset == 0 })
	if i < 0 || path[0] != '/' {
		return nil
	}
	j := slices.IndexFunc(c.load, func(l loaded) bool { return l.lo == c.Maps[i].Lo && l.size >= page })
	if j < 0 {
		return nil
	}
	f, _, err := regular.Open(path)
	if err != nil {
		return nil
	}
	var then, now [page]byte
	_, err1 := c.file.ReadAt(then[:], int64(c.load[j].off))
	_, err2 := f.ReadAt(now[:], 0)
	if err := errors.Join(err1, err2); err != nil || then != now {
		f.Close()
		return nil
	}
	c.files[path] = f
	return f
}
