package symbol

import (
	"bytes"
	"path"
	"sort"
	"strings"

	"laggard/internal/lateregexp"
)

// Extension modules of Python are mostly stripped, but each of their functions that a program
// can call stands with its name in a table for the interpreter: a PyMethodDef has the name,
// the function, flags and a text, and ends with an entry of zeroes. A class of such
// functions refers to its table.
const (
	methodSize     = 32
	methodFunction = 8
	methodFlags    = 16
	maxMethodFlags = 0x800 // above all METH_ flags
	maxMethodName  = 256

	typeName    = 24 // in a PyTypeObject: its name,
	typeMethods = 232
)

var (
	extensionModule = lateregexp.New(`\.(cpython-3\d+[^/]*|abi3)\.so$`)
	methodName      = lateregexp.New(`^[A-Za-z_][A-Za-z0-9_]*$`)
	className       = lateregexp.New(`^[A-Za-z_][A-Za-z0-9_.]*$`)
)

// pythonMethod returns how a program in Python calls the function that begins at an address, "" if
// no table has it: "Class.method", or the name alone.
func (m *module) pythonMethod(start uint64) string {
	if !extensionModule.MatchString(path.Base(m.path)) {
		return ""
	}
	if m.methods == nil {
		m.methods = map[uint64]string{}
		m.addNotes(guardFile(m.image.path, func() error { m.readMethods(); return nil }))
	}
	return m.methods[start]
}

func (m *module) readMethods() {
	slots := m.relocations()
	owners := map[uint64][]uint64{} // where the address of a table stands
	for _, s := range slots {
		owners[s.addr] = append(owners[s.addr], s.at)
	}
	class, next := "", uint64(0)
	for _, s := range slots {
		name, function := m.methodAt(s)
		if name == "" {
			continue
		}
		if s.at != next { // a table begins
			class = m.classOf(owners[s.at])
		}
		next = s.at + methodSize
		if _, known := m.methods[function]; !known {
			m.methods[function] = class + name
		}
	}
}

// methodAt returns what an entry that begins at a slot says, "" if none does.
func (m *module) methodAt(s slot) (name string, function uint64) {
	f, ok := m.slotAt(s.at + methodFunction)
	flags := m.image.bytesAt(s.at + methodFlags)
	if s.addr == 0 || !ok || !m.image.isExecutable(f.addr) || len(flags) < 8 {
		return "", 0
	}
	if n := m.image.elf.ByteOrder.Uint64(flags); n == 0 || n >= maxMethodFlags {
		return "", 0
	}
	if name = m.cString(s.addr); !methodName.MatchString(name) {
		return "", 0
	}
	return name, f.addr
}

// classOf returns the name of a class whose table is referred to from one of these places,
// with a dot behind it; "" if there is none.
func (m *module) classOf(places []uint64) string {
	for _, at := range places {
		s, ok := m.slotAt(at - typeMethods + typeName)
		if !ok || s.addr == 0 {
			continue
		}
		if name := m.cString(s.addr); className.MatchString(name) {
			return name[strings.LastIndexByte(name, '.')+1:] + "."
		}
	}
	return ""
}

// cString is the C string at a file address.
func (m *module) cString(addr uint64) string {
	b := m.image.bytesAt(addr)
	b = b[:min(len(b), maxMethodName)]
	n := bytes.IndexByte(b, 0)
	return string(b[:max(n, 0)])
}

// slotAt returns what the loader puts at an address.
func (m *module) slotAt(at uint64) (slot, bool) {
	slots := m.relocations()
	i := sort.Search(len(slots), func(i int) bool { return slots[i].at >= at })
	if i == len(slots) || slots[i].at != at {
		return slot{}, false
	}
	return slots[i], true
}

// relocations are all slots, by their addresses. m.mu is held.
func (m *module) relocations() []slot {
	if m.slots == nil {
		m.addNotes(guardFile(m.image.path, func() error {
			m.slots = m.image.relocations()
			return nil
		}))
	}
	return m.slots
}
