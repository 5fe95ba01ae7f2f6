package symbol

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"io"
	"strings"

	"laggard/binary/cursor"

	"github.com/ulikunitz/xz"
)

// symbols is a symbol table sorted by address. Names stay where they are in
// the mapped file until they are asked for.
type symbols struct {
	funcs spans[sym]
	names []byte
}

type sym struct {
	name   uint32 // offset in names
	addr   uint64
	size   uint64
	global bool
}

// readSymtab reads the functions of .symtab, or, where that was stripped, of
// .dynsym and of the compressed .gnu_debugdata that some distributions add.
func (m *image) readSymtab() ([]symbols, error) {
	if m.elf.SectionByType(elf.SHT_SYMTAB) != nil {
		s, err := m.readSymbols(elf.SHT_SYMTAB)
		return []symbols{s}, err
	}
	dyn, err := m.readSymbols(elf.SHT_DYNSYM)
	if err != nil {
		return nil, err
	}
	mini, err := m.miniSymbols()
	return []symbols{dyn, mini}, err
}

// readSymbols reads the functions of a symbol table.
func (m *image) readSymbols(kind elf.SectionType) (symbols, error) {
	return m.pickSymbols(kind, m.decodeFunction)
}

// pickSymbols does not use elf.File.Symbols, which copies every name: names
// may overlap, so the copies may be far greater than the file.
func (m *image) pickSymbols(kind elf.SectionType, pick func([]byte) (sym, bool)) (symbols, error) {
	s := m.elf.SectionByType(kind)
	if s == nil || int(s.Link) >= len(m.elf.Sections) {
		return symbols{}, nil
	}
	str := m.elf.Sections[s.Link]
	table, names := m.rawBytes(s.Offset, s.FileSize), m.rawBytes(str.Offset, str.FileSize)
	if table == nil || names == nil {
		return symbols{}, fmt.Errorf("%w: section %s beyond the end", ErrMalformed, s.Name)
	}
	var list []span[sym]
	for ; len(table) >= elf.Sym64Size; table = table[elf.Sym64Size:] {
		if x, ok := pick(table); ok {
			list = append(list, span[sym]{x.addr, x.addr + x.size, x})
		}
	}
	return symbols{newSpans(list), names}, nil
}

// decodeFunction decodes one symbol; ok if it may name code.
func (m *image) decodeFunction(b []byte) (x sym, ok bool) {
	order := m.elf.ByteOrder
	typ, section := elf.ST_TYPE(b[4]), elf.SectionIndex(order.Uint16(b[6:]))
	x = sym{
		name: order.Uint32(b), addr: order.Uint64(b[8:]), size: order.Uint64(b[16:]),
		global: elf.ST_BIND(b[4]) == elf.STB_GLOBAL,
	}
	code := typ == elf.STT_FUNC || typ == elf.STT_GNU_IFUNC || typ == elf.STT_NOTYPE
	return x, code && section != elf.SHN_UNDEF && x.addr+x.size >= x.addr && m.isExecutable(x.addr)
}

// decodeObject decodes one symbol; ok if it is a variable with a size.
func (m *image) decodeObject(b []byte) (x sym, ok bool) {
	order := m.elf.ByteOrder
	x = sym{name: order.Uint32(b), addr: order.Uint64(b[8:]), size: order.Uint64(b[16:])}
	section := elf.SectionIndex(order.Uint16(b[6:]))
	ok = elf.ST_TYPE(b[4]) == elf.STT_OBJECT && section != elf.SHN_UNDEF && section < elf.SHN_LORESERVE
	return x, ok && x.size > 0 && x.addr+x.size > x.addr
}

// unsizedAt returns the symbol without a size that pc may belong to, as assembler
// code has them: the last one up to there, if no other begins in between.
func (s symbols) unsizedAt(pc uint64) (sym, bool) {
	for i := s.funcs.countBefore(pc) - 1; i >= 0; i-- {
		x := s.funcs.list[i].item
		if s.bestName(x) == "" {
			continue
		}
		return x, x.size == 0
	}
	return sym{}, false
}

// bestName chooses among the names of one function: libraries give several, and
// the one with the fewest leading underscores is the one that people know.
func (s symbols) bestName(x sym) string {
	best, bestGlobal := "", false
	for i := s.funcs.countBefore(x.addr) - 1; i >= 0 && s.funcs.list[i].lo == x.addr; i-- {
		y := s.funcs.list[i].item
		name := s.symbolName(y)
		if y.size != x.size || name == "" {
			continue
		}
		if best == "" || isBetterName(name, y.global, best, bestGlobal) {
			best, bestGlobal = name, y.global
		}
	}
	return best
}

func isBetterName(a string, aGlobal bool, b string, bGlobal bool) bool {
	ua, ub := len(a)-len(strings.TrimLeft(a, "_")), len(b)-len(strings.TrimLeft(b, "_"))
	switch {
	case ua != ub:
		return ua < ub
	case aGlobal != bGlobal:
		return aGlobal
	case len(a) != len(b):
		return len(a) < len(b)
	}
	return a < b
}

// symbolName returns the name of a symbol without its version, "" for those of the
// assembler ($x, .L1).
func (s symbols) symbolName(x sym) string {
	if uint64(x.name) >= uint64(len(s.names)) {
		return ""
	}
	b := s.names[x.name:]
	b = b[:min(len(b), maxName)]
	if n := bytes.IndexByte(b, 0); n >= 0 {
		b = b[:n]
	}
	name, _, _ := strings.Cut(string(b), "@")
	if strings.HasPrefix(name, "$") || strings.HasPrefix(name, ".") {
		return ""
	}
	return name
}

// maxDictionary bounds the window of an xz stream; xz -9 uses 64 MiB.
const maxDictionary = 64 << 20

// miniSymbols reads .gnu_debugdata: an ELF file with nothing but the symbols
// of local functions, compressed with xz.
func (m *image) miniSymbols() (symbols, error) {
	packed, err := m.sectionData(".gnu_debugdata")
	if packed == nil || err != nil {
		return symbols{}, err
	}
	if d := xzDictionary(packed); d > maxDictionary {
		return symbols{}, fmt.Errorf("%w: .gnu_debugdata: window of %d bytes", ErrMalformed, d)
	}
	r, err := xz.NewReader(bytes.NewReader(packed))
	if err != nil {
		return symbols{}, fmt.Errorf("%w: .gnu_debugdata: %w", ErrMalformed, err)
	}
	data, err := io.ReadAll(io.LimitReader(r, int64(len(packed))*maxInflate))
	if err != nil {
		return symbols{}, fmt.Errorf("%w: .gnu_debugdata: %w", ErrMalformed, err)
	}
	inner, err := parseImage(m.path+" (.gnu_debugdata)", data)
	if err != nil {
		return symbols{}, err
	}
	return inner.readSymbols(elf.SHT_SYMTAB)
}

// xzDictionary reads the window size of the first block, since the decoder
// allocates whatever the file asks for. The layout is that of the .xz format,
// section 3.1: header size, flags, optional sizes, filter id, one property.
func xzDictionary(b []byte) uint64 {
	c := cursor.Cursor{Bytes: b, Off: min(12, len(b)), Order: binary.LittleEndian}
	c.U8()
	flags := c.U8()
	for _, bit := range []byte{0x40, 0x80} {
		if flags&bit != 0 {
			c.ULEB()
		}
	}
	id, size, prop := c.ULEB(), c.ULEB(), c.U8()
	if c.Bad || flags&3 != 0 || id != 0x21 || size != 1 || prop > 40 {
		return 1 << 40 // not a plain LZMA2 block
	}
	return (2 | uint64(prop&1)) << (prop/2 + 11)
}
