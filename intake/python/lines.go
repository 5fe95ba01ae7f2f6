package python

import "math"

// unit is the size of an instruction in bytes.
const unit = 2

func lineOrNone(line int64) int {
	if line < 1 || line > math.MaxInt32 {
		return 0
	}
	return int(line)
}

// lineAt is the line of an instruction by a table, 0 none; first is that of the function.
func lineAt(minor int, table []byte, first int, instruction int64) int {
	switch {
	case instruction < 0:
		return lineOrNone(int64(first)) // nothing has been executed yet
	case minor < 10:
		return lineByPairs(table, int64(first), instruction)
	case minor == 10:
		return lineByRanges(table, int64(first), instruction)
	}
	return lineByLocations(table, int64(first), instruction)
}

// lineByPairs, up to 3.9: how many bytes further, and then how many lines (Objects/lnotab_notes.txt).
func lineByPairs(p []byte, line, instruction int64) int {
	at := int64(0)
	for ; len(p) > 1; p = p[2:] {
		if at += int64(p[0]); at > instruction {
			break
		}
		line += int64(int8(p[1]))
	}
	return lineOrNone(line)
}

// lineByRanges, 3.10: pairs of how many bytes there are with a line, and how many lines it is
// further; -128: these have none (PEP 626).
func lineByRanges(p []byte, line, instruction int64) int {
	end := int64(0)
	for ; len(p) > 1; p = p[2:] {
		none := int8(p[1]) == math.MinInt8
		end += int64(p[0])
		if !none {
			line += int64(int8(p[1]))
		}
		if instruction < end {
			if none {
				return 0
			}
			return lineOrNone(line)
		}
	}
	return 0
}

// The kinds of entries since 3.11 (Objects/locations.md).
const (
	oneLineFirst = 10
	oneLineLast  = 12
	noColumns    = 13
	longForm     = 14
	noLine       = 15
	startOfEntry = 0x80 // the first byte of an entry has it, the others do not
	moreBytes    = 0x40 // of a number: another byte follows
	bitsOfByte   = 6    // of a number in each byte
	mostBits     = 36
)

// readSignedVarint reads what is added to the line.
func readSignedVarint(p []byte) int64 {
	v := uint64(0)
	for i := 0; i < len(p) && i*bitsOfByte < mostBits; i++ {
		v |= uint64(p[i]&(moreBytes-1)) << (i * bitsOfByte)
		if p[i]&moreBytes == 0 {
			break
		}
	}
	if v&1 != 0 {
		return -int64(v >> 1)
	}
	return int64(v >> 1)
}

func lineByLocations(p []byte, line, instruction int64) int {
	end := int64(0)
	for len(p) > 0 {
		kind := p[0] >> 3 & 15
		end += (int64(p[0]&7) + 1) * unit
		next := 1
		for next < len(p) && p[next]&startOfEntry == 0 {
			next++
		}
		switch {
		case kind >= oneLineFirst && kind <= oneLineLast:
			line += int64(kind - oneLineFirst)
		case kind == noColumns || kind == longForm:
			line += readSignedVarint(p[1:next])
		}
		if instruction < end {
			if kind == noLine {
				return 0
			}
			return lineOrNone(line)
		}
		p = p[next:]
	}
	return 0
}
