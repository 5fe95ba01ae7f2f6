package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
)

// elfFile makes a program with one code segment at 0x1000–0x2000 and the given
// sections, as little as the resolver asks of a file.
func elfFile(sections map[string][]byte, order ...string) []byte {
	var body, names bytes.Buffer
	names.WriteByte(0)
	heads := []elf.Section64{{}}
	const start = 64 + 56
	for _, name := range order {
		heads = append(heads, elf.Section64{
			Name: uint32(names.Len()), Type: uint32(elf.SHT_PROGBITS),
			Off: start + uint64(body.Len()), Size: uint64(len(sections[name])),
		})
		names.WriteString(name + "\x00")
		body.Write(sections[name])
	}
	at := uint32(names.Len())
	names.WriteString(".shstrtab\x00")
	heads = append(heads, elf.Section64{Name: at, Type: uint32(elf.SHT_STRTAB), Off: start + uint64(body.Len()),
		Size: uint64(names.Len())})
	body.Write(names.Bytes())

	var out bytes.Buffer
	h := elf.Header64{
		Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Shoff: start +
			uint64(body.Len()),
		Ehsize: 64, Phentsize: 56, Phnum: 1, Shentsize: 64, Shnum: uint16(len(heads)), Shstrndx: uint16(len(heads) - 1),
	}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	binary.Write(&out, binary.LittleEndian, h)
	binary.Write(&out, binary.LittleEndian, elf.Prog64{
		Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X | elf.PF_R), Vaddr: 0x1000, Filesz: 0x1000, Memsz: 0x1000,
	})
	out.Write(body.Bytes())
	binary.Write(&out, binary.LittleEndian, heads)
	return out.Bytes()
}

// dwarfFile makes a file with one DWARF 4 unit over 0x1000–0x2000 whose root
// holds the entries; their abbreviations are 2 and up.
func dwarfFile(abbrev, entries, line string) []byte {
	// The root: DW_TAG_compile_unit with low_pc, high_pc (data4) and stmt_list.
	abbrev = "\x01\x11\x01\x11\x01\x12\x06\x10\x17\x00\x00" + abbrev + "\x00"
	unit := "\x04\x00\x00\x00\x00\x00\x08" + // version, abbreviations, address size
		"\x01\x00\x10\x00\x00\x00\x00\x00\x00\x00\x10\x00\x00\x00\x00\x00\x00" + entries + "\x00"
	info := binary.LittleEndian.AppendUint32(nil, uint32(len(unit)))
	return elfFile(map[string][]byte{
		".debug_info": append(info, unit...), ".debug_abbrev": []byte(abbrev), ".debug_line": []byte(line),
	}, ".debug_info", ".debug_abbrev", ".debug_line")
}

// resolveBytes asks about an address in a file with these contents.
func resolveBytes(t testing.TB, data []byte) Location {
	t.Helper()
	path := filepath.Join(t.TempDir(), "hostile")
	musttest.Succeed(t, os.WriteFile(path, data, 0o600))
	begin := time.Now()
	l := newTestResolver(t, Config{}).Resolve(model.Frame{Module: &model.Module{Path: path}, Offset: 0x1010}, false)
	if d := time.Since(begin); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
	if l.Exact {
		t.Errorf("unverified, yet exact: %v", l)
	}
	return l
}

// A subprogram 0x1000–0x1100: abbreviation 2 with children, and its start.
const (
	subprogram      = "\x02\x2e\x01\x11\x01\x12\x06\x00\x00"
	subprogramEntry = "\x02\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00"
)

func TestHostileDWARF(t *testing.T) {
	lineV5 := "\x05\x00\x08\x00\x20\x00\x00\x00\x01\x01\x01\xfb\x0e\x01" + // up to opcode_base 1
		"\x01\x01\x08" + "\xff\xff\xff\xff\xff\xff\x7f" // path as string, 2^49 of them
	unit := func(s string) string {
		return string(binary.LittleEndian.AppendUint32(nil, uint32(len(s)))) + s
	}
	for _, c := range []struct {
		name string
		data []byte
		note string
	}{
		// Abbreviation 2 names itself: abstract_origin → the same entry, at offset 28.
		{"name that refers to itself",
			dwarfFile("\x02\x2e\x00\x11\x01\x12\x06\x31\x13\x00\x00",
				"\x02\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x1c\x00\x00\x00", ""), "no symbol"},
		{"reference out of the file",
			dwarfFile("\x02\x2e\x00\x11\x01\x12\x06\x31\x13\x00\x00",
				"\x02\x00\x10\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\xff\xff\xff\x00", ""), "malformed"},
		// A sibling that points back would read the same entries for ever.
		{"sibling backwards",
			dwarfFile("\x02\x13\x01\x01\x13\x00\x00", "\x02\x0b\x00\x00\x00\x00", ""), "no symbol"},
		{"children without end",
			dwarfFile(subprogram+"\x03\x0b\x01\x00\x00", subprogramEntry+strings.Repeat("\x03", 100000), ""), ""},
		{"unknown abbreviation", dwarfFile("", "\x7f", ""), "malformed"},
		{"count of directories", dwarfFile("", "", unit(lineV5)), "header of the line table"},
		{"line table cut", dwarfFile("", "", "\xff\x00\x00\x00\x04"), "beyond the end"},
		{"abbreviations overlap", overlappingAbbrevs(), "abbreviation tables overlap"},
		{"compressed bomb", compressedBomb(), "unpacks"},
		{"no ELF", []byte("#!/bin/sh\necho hello\n"), "not a 64-bit ELF file"},
		{"empty", nil, "empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if l := resolveBytes(t, c.data); !strings.Contains(l.Note, c.note) {
				t.Errorf("note %q, want %q", l.Note, c.note)
			}
		})
	}
}

// overlappingAbbrevs has thousands of units, each with a table that begins one
// declaration later in one long list.
func overlappingAbbrevs() []byte {
	const n, decl = 4000, "\x01\x11\x00\x00\x00"
	var info []byte
	for i := range n {
		info = append(info, "\x08\x00\x00\x00\x04\x00"...)
		info = binary.LittleEndian.AppendUint32(info, uint32(i*len(decl)))
		info = append(info, "\x08\x01"...)
	}
	return elfFile(map[string][]byte{".debug_info": info, ".debug_abbrev": []byte(strings.Repeat(decl, n) + "\x00")},
		".debug_info", ".debug_abbrev")
}

// compressedBomb has a section that claims to unpack to a terabyte.
func compressedBomb() []byte {
	packed := binary.BigEndian.AppendUint64([]byte("ZLIB"), 1<<40)
	return elfFile(map[string][]byte{".zdebug_info": packed}, ".zdebug_info")
}

func TestNotARegularFile(t *testing.T) {
	l := newTestResolver(t, Config{}).Resolve(model.Frame{Module: &model.Module{Path: t.TempDir()}, Offset: 0x1010}, false)
	if !strings.Contains(l.Note, "not a regular file") {
		t.Errorf("note %q", l.Note)
	}
}

// TestCutFile: a file that shrinks after it was opened must not end the program.
func TestCutFile(t *testing.T) {
	p := plainC(t)
	r := newTestResolver(t, Config{})
	r.Resolve(model.Frame{Module: p.mod, Offset: p.addr}, false)
	musttest.Succeed(t, os.Truncate(p.prog, 100))
	l := r.Resolve(model.Frame{Module: p.mod, Offset: p.all["main"].addr}, false)
	if !strings.Contains(l.Note, "malformed") || !strings.Contains(l.Note, p.prog) {
		t.Errorf("got %v, note %q", l, l.Note)
	}
}

// TestTruncated cuts a real program everywhere, in steps that share no factor
// with the sizes of its parts.
func TestTruncated(t *testing.T) {
	p := plainC(t)
	data := musttest.Get(os.ReadFile(p.prog))(t)
	for n := 0; n < len(data); n += 97 {
		resolveImage(data[:n], []uint64{p.addr, p.all["main"].addr})
	}
}

// moduleOf opens a file that is only in memory; nil: it is none.
func moduleOf(data []byte) *module {
	img, err := parseImage("test", data)
	if err != nil {
		return nil
	}
	m := &module{opened: true, image: img}
	if img.hasDWARF() {
		m.openDebug(Config{DebugDirs: []string{}}, img)
	}
	m.openSymbols([]*image{img})
	return m
}

// resolveImage resolves addresses in a file that is only in memory.
func resolveImage(data []byte, addrs []uint64) (locs []Location) {
	m := moduleOf(data)
	if m == nil {
		return nil
	}
	for _, a := range addrs {
		locs = append(locs, m.resolvePC(Config{}, a))
	}
	return locs
}

// FuzzImage: whatever the bytes, an answer and no panic.
func FuzzImage(f *testing.F) {
	f.Add(dwarfFile(subprogram, subprogramEntry+"\x00", ""), uint64(0x1010))
	f.Add(overlappingAbbrevs()[:500], uint64(0x1010))
	f.Add(compressedBomb(), uint64(0x1010))
	f.Add([]byte("\x7fELF"), uint64(0))
	for _, flags := range []string{"-gdwarf-4", "-gdwarf-5", "-gz=zlib"} {
		if data := seedProgram(f, flags); data != nil {
			f.Add(data, uint64(0x1150))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, addr uint64) {
		for _, l := range resolveImage(data, []uint64{addr, 0x1010}) {
			if l.Function == "" && l.Line == 0 && l.Note == "" {
				t.Errorf("no answer and no reason at %#x", addr)
			}
		}
	})
}

// FuzzVariables: whatever the debug information says of variables and types, reading it ends.
func FuzzVariables(f *testing.F) {
	f.Add(dwarfFile(subprogram, subprogramEntry+"\x00", ""), uint64(0x1010), uint64(0x4000))
	for _, flags := range []string{"-gdwarf-4", "-gdwarf-5", "-O2"} {
		if data := seedProgram(f, flags); data != nil {
			f.Add(data, uint64(0x1150), uint64(0x4010))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, pc, addr uint64) {
		m := moduleOf(data)
		if m == nil {
			return
		}
		c := &Code{m}
		if v := c.Variables(pc); v != nil {
			for register := range registers {
				c.TargetOf(v.RegisterType(register, pc))
			}
		}
		if v, ok := c.StaticAt(pc, addr); ok && v.Size < 0 {
			t.Errorf("a variable of %d bytes", v.Size)
		}
	})
}

// seedProgram is a small real program, nil where there is no compiler.
func seedProgram(f *testing.F, flags string) []byte {
	dir := f.TempDir()
	out := filepath.Join(dir, "seed")
	src := filepath.Join("testdata", "plain.c")
	if err := compileSeed(src, out, flags); err != nil {
		return nil
	}
	return musttest.Get(os.ReadFile(out))(f)
}

// TestConcurrent: many goroutines, one answer each, and all the same.
func TestConcurrent(t *testing.T) {
	p := plainC(t)
	r := newTestResolver(t, Config{})
	work := p.all["work"]
	describeAll := func() string {
		var s strings.Builder
		for a := work.addr; a < work.addr+work.size; a++ {
			fmt.Fprintln(&s, describeLocation(r.Resolve(model.Frame{Module: p.mod, Offset: a}, true)))
		}
		return s.String()
	}
	answers := make([]string, 16)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() { answers[i] = describeAll() })
	}
	wg.Wait()
	for i, a := range answers {
		if a != answers[0] {
			t.Errorf("goroutine %d differs", i)
		}
	}
}
