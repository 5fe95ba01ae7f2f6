package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"laggard/binary/elfnote"
	"laggard/model"

	"laggard/internal/regular"
)

// ErrMalformed is wrapped by every error about a file whose contents cannot be
// right.
var ErrMalformed = errors.New("malformed file")

// image is an ELF file, mapped so that only what is looked at is read.
type image struct {
	path    string
	data    []byte
	elf     *elf.File
	buildID string // lower-case hex, "" if it has none
}

// guardFile turns a panic of a decoder on bad contents, and the fault on a page of
// a file that was cut after it was mapped, into an error naming the file.
func guardFile(path string, f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(old)
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("symbol: %s: %w: %v", path, ErrMalformed, p)
		}
	}()
	if err = f(); err != nil {
		err = fmt.Errorf("symbol: %s: %w", path, err)
	}
	return err
}

// openImage maps the regular file at path. The error satisfies
// errors.Is(err, fs.ErrNotExist) when there is none.
func openImage(path string) (*image, error) {
	data, err := mapFile(path)
	if err != nil {
		return nil, fmt.Errorf("symbol: %w", err)
	}
	img, err := parseImage(path, data)
	if err != nil {
		unix.Munmap(data)
		return nil, err
	}
	return img, nil
}

func mapFile(path string) ([]byte, error) {
	f, st, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if st.Size() == 0 {
		return nil, fmt.Errorf("%s: %w: it is empty", path, ErrMalformed)
	}
	data, err := unix.Mmap(int(f.Fd()), 0, int(st.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("%s: mmap: %w", path, err)
	}
	return data, nil
}

func parseImage(path string, data []byte) (*image, error) {
	img := &image{path: path, data: data}
	err := guardFile(path, func() error {
		if err := checkHeader(data); err != nil {
			return err
		}
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		img.elf = f
		img.buildID = img.readBuildID()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return img, nil
}

// Limits on the section table. debug/elf copies a name for each section, so a
// file of a few megabytes could otherwise ask for gigabytes; linked files have
// some forty sections.
const (
	maxSections     = 4096
	maxSectionNames = 64 << 10
)

// checkHeader refuses what is not a linked 64-bit ELF file of sane proportions.
func checkHeader(data []byte) error {
	if len(data) < 64 || string(data[:4]) != elf.ELFMAG || elf.Class(data[4]) != elf.ELFCLASS64 {
		return fmt.Errorf("%w: not a 64-bit ELF file", ErrMalformed)
	}
	order := byteOrder(data[5])
	shoff := order.Uint64(data[40:])
	shnum, names := uint64(order.Uint16(data[60:])), uint64(order.Uint16(data[62:]))
	if shoff == 0 {
		return nil
	}
	if shnum == 0 || shnum > maxSections || names >= shnum {
		return fmt.Errorf("%w: %d sections", ErrMalformed, shnum)
	}
	at := shoff + names*64
	if at < shoff || at > uint64(len(data)) || uint64(len(data))-at < 64 {
		return fmt.Errorf("%w: section table beyond the end", ErrMalformed)
	}
	if size := order.Uint64(data[at+32:]); size > maxSectionNames {
		return fmt.Errorf("%w: section names of %d bytes", ErrMalformed, size)
	}
	return nil
}

func (m *image) close() {
	unix.Munmap(m.data)
}

// rawBytes returns a part of the mapped file, nil if it is not wholly there.
func (m *image) rawBytes(off, size uint64) []byte {
	if off > uint64(len(m.data)) || size > uint64(len(m.data))-off {
		return nil
	}
	return m.data[off : off+size : off+size]
}

// maxInflate bounds what a compressed section may grow to, as a multiple of
// its size in the file. Debug information shrinks three- to tenfold.
const maxInflate = 64

// sectionData returns the contents of a section, unpacked; nil if there is none.
// Uncompressed contents are a part of the mapping, not a copy.
func (m *image) sectionData(name string) ([]byte, error) {
	s := m.elf.Section(name)
	if rest, ok := strings.CutPrefix(name, ".debug_"); ok && s == nil {
		s = m.elf.Section(".zdebug_" + rest)
	}
	if s == nil || s.Type == elf.SHT_NOBITS {
		return nil, nil
	}
	if s.Flags&elf.SHF_COMPRESSED == 0 && !strings.HasPrefix(s.Name, ".zdebug_") {
		b := m.rawBytes(s.Offset, s.FileSize)
		if b == nil {
			return nil, fmt.Errorf("%w: section %s beyond the end", ErrMalformed, name)
		}
		return b, nil
	}
	s.Open() // sets Size of the .zdebug form
	if s.Size/maxInflate > s.FileSize || m.rawBytes(s.Offset, s.FileSize) == nil {
		return nil, fmt.Errorf("%w: section %s unpacks %d to %d bytes", ErrMalformed, name, s.FileSize, s.Size)
	}
	b, err := s.Data()
	if err != nil {
		return nil, fmt.Errorf("%w: section %s: %w", ErrMalformed, name, err)
	}
	return b, nil
}

// hasDWARF reports whether the file has debug information of its own.
func (m *image) hasDWARF() bool {
	return m.elf.Section(".debug_info") != nil || m.elf.Section(".zdebug_info") != nil
}

// readBuildID looks through the note sections, then the note segments: files
// with debug information only keep the offsets of the former right.
func (m *image) readBuildID() string {
	for _, s := range m.elf.Sections {
		if s.Type == elf.SHT_NOTE {
			if id := elfnote.BuildID(m.rawBytes(s.Offset, s.FileSize), m.elf.ByteOrder); id != "" {
				return id
			}
		}
	}
	for _, p := range m.elf.Progs {
		if p.Type == elf.PT_NOTE {
			if id := elfnote.BuildID(m.rawBytes(p.Off, p.Filesz), m.elf.ByteOrder); id != "" {
				return id
			}
		}
	}
	return ""
}

// isExecutable reports whether an address lies in a segment with code. Entries of
// functions that the linker dropped do not: it sets their addresses to zero.
func (m *image) isExecutable(addr uint64) bool {
	return addr != 0 && slices.ContainsFunc(m.elf.Progs, func(p *elf.Prog) bool {
		return p.Type == elf.PT_LOAD && p.Flags&elf.PF_X != 0 && addr >= p.Vaddr && addr-p.Vaddr < p.Memsz
	})
}

// mayReach reports whether the code of a function that begins at lo, and whose size
// is not known, may go on to pc: both are in one section, and the unwinding
// information knows of no function that begins in between.
func (m *image) mayReach(lo, pc uint64) bool {
	if start, _, ok := m.unwindRange(pc); ok {
		return start <= lo
	}
	for _, s := range m.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && lo >= s.Addr && lo-s.Addr < s.Size {
			return pc-s.Addr < s.Size
		}
	}
	return false
}

// isLinkageStub reports whether an address is in a procedure linkage table: the code there jumps to functions of other modules.
func (m *image) isLinkageStub(pc uint64) bool {
	return slices.ContainsFunc(m.elf.Sections, func(s *elf.Section) bool {
		return strings.HasPrefix(s.Name, ".plt") && pc >= s.Addr && pc-s.Addr < s.Size
	})
}

// Program is an ELF file as a module, for addresses that come without one.
type Program struct {
	Module *model.Module // its path is that of the file
	// Fixed: it runs at the addresses that are in the file, and is not moved.
	Fixed bool
	code  [][2]uint64 // first and one past the last address
}

// OpenProgram reads what is known of a program from its file, which is closed
// again. Errors wrap ErrMalformed or that of opening.
func OpenProgram(path string) (*Program, error) {
	img, err := openImage(path)
	if err != nil {
		return nil, err
	}
	defer img.close()
	p := &Program{Module: &model.Module{BuildID: img.buildID, Path: path}, Fixed: img.elf.Type == elf.ET_EXEC}
	for _, s := range img.elf.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 && s.Vaddr+s.Memsz > s.Vaddr {
			p.code = append(p.code, [2]uint64{s.Vaddr, s.Vaddr + s.Memsz})
		}
	}
	if len(p.code) == 0 {
		return nil, fmt.Errorf("symbol: %s: %w: it has no code", path, ErrMalformed)
	}
	return p, nil
}

// Contains reports whether code of the file is at an address of the file. A
// return address may be just past it.
func (p *Program) Contains(address uint64) bool {
	return slices.ContainsFunc(p.code, func(c [2]uint64) bool { return c[0] <= address && address <= c[1] })
}

func byteOrder(ident byte) binary.ByteOrder {
	if elf.Data(ident) == elf.ELFDATA2MSB {
		return binary.BigEndian
	}
	return binary.LittleEndian
}
