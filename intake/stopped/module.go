package stopped

import (
	"debug/elf"
	"encoding/binary"
	"io"
	"slices"
	"strings"

	"laggard/binary/elfnote"
)

// Module is a program or library in the memory of a process.
type Module struct {
	Path    string
	BuildID string // lower-case hex, "" if it has none
	Lo, Hi  uint64 // addresses
	Bias    uint64 // added to a file address gives that in the process
	// Unwinding is where the table of the unwinding information begins, 0 if it has none.
	Unwinding uint64
	Dynamic   uint64 // where the table for the dynamic linker begins, 0 if it has none
}

// Modules finds the programs and libraries, by their headers in the memory.
func (m *Image) Modules() []*Module {
	var out []*Module
	for i := range m.Maps {
		a := &m.Maps[i]
		if a.Offset != 0 || a.Path == "" || a.Path[0] == '[' && a.Path != "[vdso]" {
			continue
		}
		if mod := m.module(a); mod != nil {
			out = append(out, mod)
		}
	}
	slices.SortFunc(out, func(x, y *Module) int { return strings.Compare(x.Path, y.Path) })
	out = slices.CompactFunc(out, func(x, y *Module) bool { return x.Lo == y.Lo })
	slices.SortFunc(out, func(x, y *Module) int {
		if x.Lo < y.Lo {
			return -1
		}
		return 1
	})
	return out
}

const (
	headerSize   = 64
	programEntry = 56
	maxPrograms  = 64
	maxNotes     = 4096
)

// module reads the header at the start of a mapping.
func (m *Image) module(a *Mapping) *Module {
	head := make([]byte, headerSize)
	if _, err := m.Memory.ReadAt(head, int64(a.Lo)); err != nil || string(head[:4]) != elf.ELFMAG ||
		elf.Class(head[4]) != elf.ELFCLASS64 || elf.Data(head[5]) != elf.ELFDATA2LSB {
		return nil
	}
	le := binary.LittleEndian
	kind, count := elf.Type(le.Uint16(head[16:])), int(le.Uint16(head[56:]))
	if kind != elf.ET_DYN && kind != elf.ET_EXEC || count == 0 || count > maxPrograms ||
		le.Uint16(head[54:]) != programEntry {
		return nil
	}
	table := make([]byte, count*programEntry)
	if _, err := m.Memory.ReadAt(table, int64(a.Lo+le.Uint64(head[32:]))); err != nil {
		return nil
	}
	mod := &Module{Path: a.Path}
	first := true
	for p := table; len(p) > 0; p = p[programEntry:] {
		if elf.ProgType(le.Uint32(p)) != elf.PT_LOAD {
			continue
		}
		addr, size := le.Uint64(p[16:]), le.Uint64(p[40:])
		if first {
			mod.Bias, mod.Lo, first = a.Lo-addr&^0xfff, a.Lo, false
		}
		mod.Hi = max(mod.Hi, mod.Bias+addr+size)
	}
	for p := table; len(p) > 0; p = p[programEntry:] {
		at, size := mod.Bias+le.Uint64(p[16:]), le.Uint64(p[40:])
		switch elf.ProgType(le.Uint32(p)) {
		case elf.PT_GNU_EH_FRAME:
			mod.Unwinding = at
		case elf.PT_DYNAMIC:
			mod.Dynamic = at
		case elf.PT_NOTE:
			if mod.BuildID == "" {
				mod.BuildID = buildID(m.Memory, at, size)
			}
		}
	}
	if first || mod.Hi <= mod.Lo {
		return nil
	}
	return mod
}

// buildID looks for that of GNU among notes.
func buildID(mem io.ReaderAt, at, size uint64) string {
	b := make([]byte, min(size, maxNotes))
	if _, err := mem.ReadAt(b, int64(at)); err != nil {
		return ""
	}
	return elfnote.BuildID(b, nil)
}
