package python

import (
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Limits of what is read of a code object.
const (
	maxLines  = 1 << 16 // bytes of a table of lines
	maxFile   = 3000    // characters of the name of a file,
	maxName   = 900     // and of a function
	codeBytes = 256     // of the object itself
	typeNames = 16      // bytes of the name of a type
)

// isOf tells whether an object is of the type of that name.
func (p *Interpreter) isOf(object uint64, name string) bool {
	if object == 0 || object%8 != 0 {
		return false
	}
	kind, ok := p.memory.word(object + uint64(p.objectType))
	if !ok {
		return false
	}
	if p.met[name] == kind && kind != 0 {
		return true
	}
	at, ok := p.memory.word(kind + uint64(p.typeName))
	if !ok || p.memory.name(at, typeNames) != name {
		return false
	}
	p.met[name] = kind
	return true
}

// named is what a frame executes, false if that cannot be told, or it is the interpreter's own.
func (p *Interpreter) named(f frame) (Frame, bool) {
	need := int(max(p.codeLines, p.codeName, p.codeFile, p.codeFirst)) + 8
	if need > codeBytes || !p.isOf(f.code, "code") {
		return Frame{}, false
	}
	b := p.memory.bytes(f.code, need)
	if b == nil {
		return Frame{}, false
	}
	file, name := word(b, int(p.codeFile)), word(b, int(p.codeName))
	if file == name {
		return Frame{}, false // a frame that the interpreter makes for itself has one text for both
	}
	out := Frame{at: f.at, entry: f.entry}
	out.File = p.text(file, maxFile)
	out.Function = strings.ReplaceAll(p.text(name, maxName), ":", ".")
	start := uint64(0)
	if p.codeBytes != absent {
		start = f.code + uint64(p.codeBytes)
	}
	first := int(int32(binary.LittleEndian.Uint32(b[p.codeFirst:])))
	table := p.raw(word(b, int(p.codeLines)))
	if table != nil {
		out.Line = lineAt(p.minor, table, first, int64(f.instruction-start))
	}
	return out, out.File != "" && out.Function != ""
}

// raw is what an object of the type bytes holds, nil if it is none.
func (p *Interpreter) raw(object uint64) []byte {
	if !p.isOf(object, "bytes") {
		return nil
	}
	n, ok := p.memory.word(object + uint64(p.length))
	if !ok || n > maxLines {
		return nil
	}
	return p.memory.bytes(object+uint64(p.bytes), int(n))
}

// The bits of the state of a text; how wide its characters are stands in kindBits.
const (
	kindShift = 2
	kindBits  = 7
	compact   = 1 << 5
	ascii     = 1 << 6
	notASCII  = 16 // bytes that lie before the characters of other texts, more than before ASCII
)

// text reads a text of at most so many characters, "" if it cannot be read. Control characters become
// dots.
func (p *Interpreter) text(object uint64, most int) string {
	if !p.isOf(object, "str") {
		return ""
	}
	length, ok := p.memory.word(object + uint64(p.length))
	b := p.memory.bytes(object+uint64(p.textState), 4)
	if !ok || b == nil {
		return ""
	}
	state := binary.LittleEndian.Uint32(b)
	wide := int(state >> kindShift & kindBits)
	// Of other texts, such as those of a class derived from str, the characters are elsewhere.
	if state&compact == 0 || wide != 1 && wide != 2 && wide != 4 {
		return ""
	}
	from := object + uint64(p.textASCII)
	if state&ascii == 0 {
		from += notASCII
		if p.minor < 12 {
			from += 8 // up to 3.11 there is one word more
		}
	}
	raw := p.memory.bytes(from, wide*int(min(length, uint64(most))))
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
