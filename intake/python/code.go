package python

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"laggard/binary/cpython"
)

// Limits of what is read of a code object.
const (
	maxLines  = 1 << 16 // bytes of a table of lines
	maxFile   = 3000    // characters of the name of a file,
	maxName   = 900     // and of a function
	codeBytes = 256     // of the object itself
	typeNames = 16      // bytes of the name of a type
)

// isOfType reports whether an object is of the type of that name.
func (p *Interpreter) isOfType(object uint64, name string) bool {
	if object == 0 || object%8 != 0 {
		return false
	}
	kind, ok := p.memory.readWord(object + uint64(p.ObjectType))
	if !ok {
		return false
	}
	if p.typeCache[name] == kind && kind != 0 {
		return true
	}
	at, ok := p.memory.readWord(kind + uint64(p.TypeName))
	if !ok || p.memory.readCString(at, typeNames) != name {
		return false
	}
	p.typeCache[name] = kind
	return true
}

// describeFrame is what a frame executes, false if that cannot be told, or it is the interpreter's own.
func (p *Interpreter) describeFrame(f frame) (Frame, bool) {
	need := int(max(p.CodeLines, p.CodeName, p.CodeFile, p.CodeFirst)) + 8
	if need > codeBytes || !p.isOfType(f.code, "code") {
		return Frame{}, false
	}
	b := p.memory.readBytes(f.code, need)
	if b == nil {
		return Frame{}, false
	}
	file, name := wordAt(b, int(p.CodeFile)), wordAt(b, int(p.CodeName))
	if file == name {
		return Frame{}, false // a frame that the interpreter makes for itself has one text for both
	}
	out := Frame{at: f.at, entry: f.entry}
	out.File = p.readString(file, maxFile)
	out.Function = strings.ReplaceAll(p.readString(name, maxName), ":", ".")
	start := uint64(0)
	if p.CodeBytes != cpython.Absent {
		start = f.code + uint64(p.CodeBytes)
	}
	first := int(int32(binary.LittleEndian.Uint32(b[p.CodeFirst:])))
	table := p.readBytesObject(wordAt(b, int(p.CodeLines)))
	if table != nil {
		out.Line = lineAt(p.Minor, table, first, int64(f.instruction-start))
	}
	return out, out.File != "" && out.Function != ""
}

// readBytesObject is what an object of the type bytes holds, nil if it is none.
func (p *Interpreter) readBytesObject(object uint64) []byte {
	if !p.isOfType(object, "bytes") {
		return nil
	}
	n, ok := p.memory.readWord(object + uint64(p.Length))
	if !ok || n > maxLines {
		return nil
	}
	return p.memory.readBytes(object+uint64(p.Bytes), int(n))
}

// The bits of the state of a text; how wide its characters are stands in kindBits.
const (
	kindShift = 2
	kindBits  = 7
	compact   = 1 << 5
	ascii     = 1 << 6
	notASCII  = 16 // bytes that lie before the characters of other texts, more than before ASCII
)

// readString reads a text of at most so many characters, "" if it cannot be read. Control characters become
// dots.
func (p *Interpreter) readString(object uint64, most int) string {
	if !p.isOfType(object, "str") {
		return ""
	}
	length, ok := p.memory.readWord(object + uint64(p.Length))
	b := p.memory.readBytes(object+uint64(p.TextState), 4)
	if !ok || b == nil {
		return ""
	}
	state := binary.LittleEndian.Uint32(b)
	wide := int(state >> kindShift & kindBits)
	// Of other texts, such as those of a class derived from str, the characters are elsewhere.
	if state&compact == 0 || wide != 1 && wide != 2 && wide != 4 {
		return ""
	}
	from := object + uint64(p.TextAscii)
	if state&ascii == 0 {
		from += notASCII
		if p.Minor < 12 {
			from += 8 // up to 3.11 there is one word more
		}
	}
	raw := p.memory.readBytes(from, wide*int(min(length, uint64(most))))
	var out strings.Builder
	for ; len(raw) >= wide; raw = raw[wide:] {
		var whole [4]byte
		copy(whole[:], raw[:wide])
		c := rune(binary.LittleEndian.Uint32(whole[:]))
		if c < ' ' || utf16.IsSurrogate(c) || !utf8.ValidRune(c) {
			c = '.'
		}
		out.WriteRune(c)
	}
	return out.String()
}
