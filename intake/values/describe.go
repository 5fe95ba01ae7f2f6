package values

import (
	"encoding/binary"
	"io"
	"math"
	"strconv"

	"laggard/binary/expression"
	"laggard/internal/bound"
	"laggard/model/values"
	"laggard/symbol"
)

// describer writes down what variables hold.
type describer struct {
	code       *symbol.Code
	memory     io.ReaderAt
	dot, arrow string // between an object and its member, a pointer and a member
	shared     bool   // what is looked at now is, see values.Value
	out        []values.Value
	left       *bound.Budget // of members to look at
}

// How far structs are followed.
const (
	maxDepth    = 3 // structs in structs
	maxPointers = 2 // pointers on the way
	maxLevels   = (maxDepth + 1) * (maxPointers + 1)
	maxStructs  = 20_000 // of a frame
)

// addVariable adds a variable.
func (d *describer) addVariable(name string, t *symbol.Type, at expression.Datum) {
	switch {
	case name == "" || len(name) > 64:
	case name == "this" && t.Pointer: // its members need no name in front
		if to, ok := d.readPointer(t, at); ok {
			defer d.share()()
			d.addMembers("", d.code.TargetOf(t), expression.Datum{Address: to}, maxDepth, maxPointers-1)
		}
	default:
		d.addValue(name, t, at, maxDepth, maxPointers)
	}
}

func (d *describer) addValue(name string, t *symbol.Type, at expression.Datum, depth, pointers int) {
	switch {
	case t == nil || len(d.out) >= maxNames || depth < 0:
	case t.Number != symbol.None:
		if text := d.formatNumber(t, at); text != "" {
			d.out = append(d.out, values.Value{Name: name, Value: text, Shared: d.shared})
		}
	case t.Pointer:
		d.addPointee(name, t, at, depth, pointers)
	case t.Elem == nil:
		d.addMembers(name+d.dot, t, at, depth, pointers)
	}
}

// addMembers adds those of a struct. Those of its bases are written as its own.
func (d *describer) addMembers(prefix string, t *symbol.Type, at expression.Datum, depth, pointers int) {
	if !d.left.Enter() {
		return
	}
	defer d.left.Leave()
	if t == nil || at.Value != nil && int64(len(at.Value)) < t.Size {
		return
	}
	for _, f := range t.Fields {
		inner := expression.Datum{Address: at.Address + uint64(f.Offset)}
		if at.Value != nil {
			inner.Value = at.Value[min(f.Offset, int64(len(at.Value))):]
		}
		if f.Name != "" {
			d.addValue(prefix+f.Name, f.Type, inner, depth-1, pointers)
		} else if len(f.Type.Fields) > 0 && depth > 0 {
			d.addMembers(prefix, f.Type, inner, depth-1, pointers)
		}
	}
}

// addPointee adds what a pointer leads to, and that it leads nowhere.
func (d *describer) addPointee(name string, t *symbol.Type, at expression.Datum, depth, pointers int) {
	to, ok := d.readPointer(t, at)
	if ok && to != 0 {
		defer d.share()()
	}
	switch {
	case !ok:
	case to == 0:
		d.out = append(d.out, values.Value{Name: name, Value: "null", Shared: d.shared})
	case pointers == 0:
	case t.Reference:
		d.addValue(name, d.code.TargetOf(t), expression.Datum{Address: to}, depth, pointers-1)
	default:
		target := d.code.TargetOf(t)
		if target == nil || target.Number != symbol.None || target.Pointer || target.Elem != nil {
			return // of how many elements is not known
		}
		d.addMembers(name+d.arrow, target, expression.Datum{Address: to}, depth, pointers-1)
	}
}

// share says that what is looked at until the function is called that it returns is shared.
func (d *describer) share() func() {
	before := d.shared
	d.shared = true
	return func() { d.shared = before }
}

func (d *describer) readPointer(t *symbol.Type, at expression.Datum) (uint64, bool) {
	b := d.readBytes(t.Size, at)
	if len(b) != 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}

// readBytes are those of a variable, nil if they cannot be read.
func (d *describer) readBytes(size int64, at expression.Datum) []byte {
	switch {
	case size <= 0 || size > 8 || at.Value != nil && int64(len(at.Value)) < size:
		return nil
	case at.Value != nil:
		return at.Value[:size]
	}
	b := make([]byte, size)
	if n, _ := d.memory.ReadAt(b, int64(at.Address)); int64(n) < size {
		return nil
	}
	return b
}

// formatNumber is the text of a number, "" if it cannot be told.
func (d *describer) formatNumber(t *symbol.Type, at expression.Datum) string {
	b := d.readBytes(t.Size, at)
	if b == nil {
		return ""
	}
	var whole [8]byte
	copy(whole[:], b)
	bits := binary.LittleEndian.Uint64(whole[:])
	shift := 64 - 8*t.Size
	signed := int64(bits<<shift) >> shift
	switch t.Number {
	case symbol.Boolean:
		return strconv.FormatBool(bits&1 != 0)
	case symbol.Float:
		return formatFloat(bits, t.Size)
	case symbol.SignedChar:
		return strconv.FormatInt(signed, 10) + charSuffix(bits)
	case symbol.UnsignedChar:
		return strconv.FormatUint(bits, 10) + charSuffix(bits)
	case symbol.Unsigned:
		return strconv.FormatUint(bits, 10)
	case symbol.Enumeration:
		if name := d.code.Enumerator(t, signed); name != "" {
			return name
		}
	}
	return strconv.FormatInt(signed, 10)
}

// charSuffix is how a number looks as one, "" if it does not.
func charSuffix(bits uint64) string {
	if bits < '!' || bits > '~' {
		return ""
	}
	return " " + strconv.QuoteRune(rune(bits))
}

func formatFloat(bits uint64, size int64) string {
	switch size {
	case 4:
		return strconv.FormatFloat(float64(math.Float32frombits(uint32(bits))), 'g', -1, 32)
	case 8:
		return strconv.FormatFloat(math.Float64frombits(bits), 'g', -1, 64)
	}
	return ""
}
