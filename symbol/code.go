package symbol

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"strings"

	"laggard/binary/cursor"
	"laggard/binary/processor"
	"laggard/model"
)

// ErrNoCode is wrapped by the error about a module whose machine code cannot
// be read.
var ErrNoCode = errors.New("no machine code")

// Code is the machine code of a module and what belongs to it: functions,
// imports, variables, initial data. Addresses are file addresses. It is safe
// for concurrent use, until its Resolver is closed.
type Code struct {
	m *module
}

// CodeOf returns the code of a module. The error says why there is none, and
// wraps ErrNoCode.
func (r *Resolver) CodeOf(mod *model.Module) (*Code, error) {
	if mod == nil {
		return nil, fmt.Errorf("symbol: %w: no module mapped there", ErrNoCode)
	}
	if _, file, python := mod.PythonFunction(); python {
		return nil, fmt.Errorf("symbol: %s: %w: it is written in Python", file, ErrNoCode)
	}
	r.mu.Lock()
	m := r.moduleFor(moduleKey{mod.BuildID, mod.Path})
	r.mu.Unlock()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ensureOpen(r.config)
	switch {
	case m.image == nil:
		return nil, fmt.Errorf("symbol: %s: %w: %s", mod.Path, ErrNoCode, strings.Join(m.notes, "; "))
	case relocations[m.image.elf.Machine] == (relocKinds{}):
		return nil, fmt.Errorf("symbol: %s: %w for x86-64 or AArch64: it is for %v", m.image.path, ErrNoCode,
			m.image.elf.Machine)
	case !m.image.hasCode():
		return nil, fmt.Errorf("symbol: %s: %w: only its debug file was found", mod.Path, ErrNoCode)
	}
	return &Code{m}, nil
}

// Identify identifies what there is to read of a module: its build-id, and which of its code and debug information was found.
// It reports false for a module of machine code without a build-id. Of the system's libraries it is the build-id alone: to open their
// debug information takes as long as a slice, and slices know them by models.
func (r *Resolver) Identify(mod *model.Module) (string, bool) {
	if IsSystemModule(mod.Path) {
		return mod.BuildID, mod.BuildID != ""
	}
	c, err := r.CodeOf(mod)
	if err != nil {
		return err.Error(), errors.Is(err, ErrNoCode)
	}
	return fmt.Sprintf("%s %s lines=%t %q", mod.BuildID, c.Path(), c.HasLines(), c.Notes()), mod.BuildID != ""
}

// hasCode reports whether the instructions are in the file: a debug file has
// only their addresses.
func (m *image) hasCode() bool {
	for _, s := range m.elf.Sections {
		if s.Flags&elf.SHF_EXECINSTR != 0 && s.Type == elf.SHT_PROGBITS {
			return true
		}
	}
	return len(m.elf.Sections) == 0
}

// Notes say what is missing of the module, such as the proof that it is the
// recorded one.
func (c *Code) Notes() []string {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return append([]string(nil), c.m.notes...)
}

// Path is the file the code was read from.
func (c *Code) Path() string { return c.m.image.path }

// Machine is the processor that the code is for.
func (c *Code) Machine() elf.Machine { return c.m.image.elf.Machine }

// HasLines reports whether there is debug information.
func (c *Code) HasLines() bool { return c.m.debug != nil }

// Bytes returns what the file holds for the addresses from addr to the end of
// its segment, nil if there is nothing. It is a part of the mapped file.
func (c *Code) Bytes(addr uint64) []byte { return c.m.image.bytesAt(addr) }

func (m *image) bytesAt(addr uint64) []byte {
	for _, p := range m.elf.Progs {
		if p.Type == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return m.rawBytes(p.Off+(addr-p.Vaddr), p.Filesz-(addr-p.Vaddr))
		}
	}
	return nil
}

// IsExecutable reports whether an address lies in a segment with code.
func (c *Code) IsExecutable(addr uint64) bool { return c.m.image.isExecutable(addr) }

// JumpsTo returns where code of the module has instructions that jump to a target; see [processor.Processor.JumpsTo].
func (c *Code) JumpsTo(p *processor.Processor, target uint64) (out []uint64) {
	for _, s := range c.m.image.elf.Progs {
		if s.Type == elf.PT_LOAD && s.Flags&elf.PF_X != 0 {
			out = append(out, p.JumpsTo(c.m.image.bytesAt(s.Vaddr), s.Vaddr, target)...)
		}
	}
	return out
}

// IsInTable reports whether an address of the module is in its data when the program starts, as those of virtual functions are in tables: a
// call through a pointer may go there.
func (c *Code) IsInTable(addr uint64) bool {
	c.m.mu.Lock()
	moved := slices.ContainsFunc(c.m.relocations(), func(s slot) bool { return s.addr == addr })
	c.m.mu.Unlock()
	if moved || c.m.image.elf.Type == elf.ET_DYN {
		return moved
	}
	for _, s := range c.m.image.elf.Sections { // a program that is not moved has the addresses themselves
		if s.Type == elf.SHT_PROGBITS && s.Flags&(elf.SHF_ALLOC|elf.SHF_EXECINSTR) == elf.SHF_ALLOC {
			words := c.m.image.bytesAt(s.Addr)
			for words = words[:min(uint64(len(words)), s.Size)]; len(words) >= 8; words = words[8:] {
				if c.m.image.elf.ByteOrder.Uint64(words) == addr {
					return true
				}
			}
		}
	}
	return false
}

// IsWritable reports whether an address lies in memory that the program may write,
// once the loader is done.
func (c *Code) IsWritable(addr uint64) bool {
	writable := false
	for _, p := range c.m.image.elf.Progs {
		in := addr >= p.Vaddr && addr-p.Vaddr < p.Memsz
		switch {
		case in && p.Type == elf.PT_GNU_RELRO:
			return false
		case in && p.Type == elf.PT_LOAD && p.Flags&elf.PF_W != 0:
			writable = true
		}
	}
	return writable
}

// GuardReads runs f, which reads what Bytes returned: the fault on a page of a file
// that was cut after it was mapped becomes an error.
func (c *Code) GuardReads(f func() error) error { return guardFile(c.m.image.path, f) }

// Function is a range of code.
type Function struct {
	Lo, Hi uint64
	Name   string // linker name, "" unknown
}

// FunctionAt returns the function around pc: from the symbols, or else from the
// unwinding information, which has no names.
func (c *Code) FunctionAt(pc uint64) (Function, bool) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	for _, t := range c.m.tables {
		if x, ok := t.funcs.find(pc); ok && x.size > 0 {
			return Function{x.addr, x.addr + x.size, t.bestName(x)}, true
		}
	}
	lo, hi, ok := c.m.image.unwindRange(pc)
	return Function{Lo: lo, Hi: hi}, ok
}

// NextFunction returns the start of the first function behind an address that the
// symbols know, 0 if there is none.
func (c *Code) NextFunction(addr uint64) uint64 {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	next := uint64(0)
	for _, t := range c.m.tables {
		for i := t.funcs.countBefore(addr); i < len(t.funcs.list); i++ {
			if s := t.funcs.list[i]; s.item.size > 0 {
				if next == 0 || s.lo < next {
					next = s.lo
				}
				break
			}
		}
	}
	return next
}

// ObjectRange returns the range of the variable around addr, as the symbols have it.
func (c *Code) ObjectRange(addr uint64) (lo, hi uint64, ok bool) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	x, _, ok := c.m.objectAt(addr)
	return x.addr, x.addr + x.size, ok
}

// ObjectName returns the linker name of the variable that begins at addr, "" if the
// symbols know none there.
func (c *Code) ObjectName(addr uint64) string {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if x, name, ok := c.m.objectAt(addr); ok && x.addr == addr {
		return name
	}
	return ""
}

// VariableAddress returns the address of the variable with that linker name.
func (c *Code) VariableAddress(name string) (addr uint64, ok bool) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.m.loadObjects()
	for _, t := range c.m.objects {
		if addr, ok := t.addressOf(name); ok {
			return addr, true
		}
	}
	return 0, false
}

func (m *module) loadObjects() {
	if m.objects == nil {
		m.objects = []symbols{}
		m.addNotes(guardFile(m.image.path, m.readObjects))
	}
}

func (m *module) objectAt(addr uint64) (x sym, name string, ok bool) {
	m.loadObjects()
	for _, t := range m.objects {
		if x, ok := t.funcs.find(addr); ok {
			return x, t.bestName(x), true
		}
	}
	return sym{}, "", false
}

func (m *module) readObjects() error {
	for _, img := range m.images {
		for _, kind := range []elf.SectionType{elf.SHT_SYMTAB, elf.SHT_DYNSYM} {
			t, err := img.pickSymbols(kind, img.decodeObject)
			if err != nil {
				return err
			}
			m.objects = append(m.objects, t)
		}
	}
	return nil
}

// CallLevels returns the logical levels at pc, innermost first, with names for
// display; nil if the debug information has no line there.
func (c *Code) CallLevels(pc uint64) []Call {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	if c.m.debug == nil {
		return nil
	}
	calls, _, err := c.m.debug.lookupCalls(pc)
	if err != nil {
		return nil
	}
	for i := range calls {
		shown := c.m.displayName(calls[i].Function)
		calls[i].Function, calls[i].Signature = shown.Function, shown.Signature
	}
	return calls
}

// maxShown bounds the names that a module keeps: to take one apart costs more than to
// find where it is.
const maxShown = 1 << 14

// displayName is the name for a screen, and the full one.
func (m *module) displayName(linker string) Call {
	c, ok := m.shown[linker]
	if ok {
		return c
	}
	c.Function, c.Signature = displayNames(linker)
	if m.shown == nil || len(m.shown) >= maxShown {
		m.shown = map[string]Call{}
	}
	m.shown[linker] = c
	return c
}

// DisplayName is the name of a function for a screen, without parameters.
func (c *Code) DisplayName(linker string) string {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return c.m.displayName(linker).Function
}

// FunctionAddress returns the address of the function with that linker name.
func (c *Code) FunctionAddress(name string) (addr uint64, ok bool) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	for _, t := range c.m.tables {
		if addr, ok := t.addressOf(name); ok {
			return addr, true
		}
	}
	return 0, false
}

// addressOf returns the address of the symbol with that name.
func (s symbols) addressOf(name string) (addr uint64, ok bool) {
	for _, x := range s.funcs.list {
		if x.item.size > 0 && s.isNamed(x.item, name) {
			return x.lo, true
		}
	}
	return 0, false
}

// isNamed reports whether a symbol has that name, without its version.
func (s symbols) isNamed(x sym, name string) bool {
	if uint64(x.name)+uint64(len(name)) >= uint64(len(s.names)) {
		return false
	}
	rest := s.names[x.name:]
	end := rest[len(name)]
	return string(rest[:len(name)]) == name && (end == 0 || end == '@')
}

// ImportName returns the name of the symbol whose address the loader puts into the
// eight bytes at slot, "" if it is none.
func (c *Code) ImportName(slot uint64) string {
	s, ok := c.slotAt(slot)
	if !ok {
		return ""
	}
	return s.name
}

// ImportsAny reports whether the loader puts the address of such a symbol somewhere.
func (c *Code) ImportsAny(such func(name string) bool) bool {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return slices.ContainsFunc(c.m.relocations(), func(s slot) bool { return s.name != "" && such(s.name) })
}

// PointerAt returns the address in this module that is in the eight bytes at
// slot when the program starts.
func (c *Code) PointerAt(slot uint64) (addr uint64, ok bool) {
	if s, ok := c.slotAt(slot); ok {
		return s.addr, s.addr != 0
	}
	b := c.Bytes(slot)
	if len(b) < 8 {
		return 0, false
	}
	addr = c.m.image.elf.ByteOrder.Uint64(b)
	return addr, addr != 0 && c.m.image.bytesAt(addr) != nil
}

// slot is what the loader puts at an address.
type slot struct {
	at   uint64
	name string // of a symbol, "" none
	addr uint64 // 0: in another module
}

func (c *Code) slotAt(at uint64) (slot, bool) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	return c.m.slotAt(at)
}

// relocKinds are the relocations that the loader applies to pointers.
type relocKinds struct{ absolute, copied, data, jump, relative uint64 }

// relocations are those of the processors whose code is read: of x86-64 from its ABI,
// section 4.4, and of AArch64 from ELF for the Arm 64-bit Architecture, section 5.7.
var relocations = map[elf.Machine]relocKinds{
	elf.EM_X86_64:  {1, 5, 6, 7, 8},
	elf.EM_AARCH64: {257, 1024, 1025, 1026, 1027},
}

const (
	relocSize    = 24
	maxRelocName = 4096
)

// relocations reads what the loader will fill in. The result is sorted, and
// never nil.
func (m *image) relocations() []slot {
	out := []slot{}
	order, kinds := m.elf.ByteOrder, relocations[m.elf.Machine]
	for _, s := range m.elf.Sections {
		if s.Type != elf.SHT_RELA || s.Flags&elf.SHF_ALLOC == 0 {
			continue
		}
		names := m.relocationSymbols(int(s.Link))
		for b := m.rawBytes(s.Offset, s.FileSize); len(b) >= relocSize; b = b[relocSize:] {
			at, info, addend := order.Uint64(b), order.Uint64(b[8:]), order.Uint64(b[16:])
			switch info & 0xffffffff {
			case kinds.relative:
				out = append(out, slot{at: at, addr: addend})
			case kinds.absolute, kinds.data, kinds.jump, kinds.copied:
				name, addr := names.symbolAt(info >> 32)
				out = append(out, slot{at, name, addr})
			}
		}
	}
	slices.SortStableFunc(out, func(x, y slot) int { return cmp.Compare(x.at, y.at) })
	return out
}

// linkedSymbols is a symbol table that relocations refer to.
type linkedSymbols struct {
	m          *image
	table, str []byte
	left       int // bytes of names that may still be copied
}

func (m *image) relocationSymbols(section int) *linkedSymbols {
	l := &linkedSymbols{m: m, left: len(m.data)}
	if section <= 0 || section >= len(m.elf.Sections) {
		return l
	}
	s := m.elf.Sections[section]
	if int(s.Link) < len(m.elf.Sections) {
		str := m.elf.Sections[s.Link]
		l.table, l.str = m.rawBytes(s.Offset, s.FileSize), m.rawBytes(str.Offset, str.FileSize)
	}
	return l
}

func (l *linkedSymbols) symbolAt(n uint64) (name string, addr uint64) {
	if n >= uint64(len(l.table)/elf.Sym64Size) {
		return "", 0
	}
	b := l.table[n*elf.Sym64Size:]
	order := l.m.elf.ByteOrder
	c := cursor.Cursor{Bytes: l.str, Off: min(int(order.Uint32(b)), len(l.str)), Order: order}
	if text := c.Text(); len(text) <= maxRelocName && len(text) <= l.left {
		l.left -= len(text)
		name, _, _ = strings.Cut(string(text), "@")
	}
	if elf.SectionIndex(order.Uint16(b[6:])) != elf.SHN_UNDEF {
		addr = order.Uint64(b[8:])
	}
	return name, addr
}
