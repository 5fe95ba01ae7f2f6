package argument

// Value is what is known of a number: its low Bits, in Number. The zero value is
// unknown.
type Value struct {
	Number uint64
	Bits   int // 0, 8, 16, 32 or 64
	// Inferred: it was read from memory that may have changed since the call.
	Inferred bool
}

// Int returns the value as a C int; ok is false if that is not known.
func (v Value) Int() (n int, ok bool) { return int(int32(v.Number)), v.Bits >= 32 }

// Word returns all 64 bits; ok is false if they are not known.
func (v Value) Word() (n uint64, ok bool) { return v.Number, v.Bits == 64 }

// lowBits is the low bits of a value; unknown if it has fewer.
func (v Value) lowBits(bits int) Value {
	if v.Bits < bits {
		return Value{}
	}
	v.Number, v.Bits = v.Number&bitMask(bits), bits
	return v
}

func bitMask(bits int) uint64 {
	if bits >= 64 {
		return ^uint64(0)
	}
	return 1<<uint(bits) - 1
}

// asSigned is the number with the sign of its highest known bit.
func (v Value) asSigned() int64 {
	shift := uint(64 - v.Bits)
	return int64(v.Number<<shift) >> shift
}

// knownValue is a known value of some bits.
func knownValue(n uint64, bits int, inferred bool) Value {
	return Value{n & bitMask(bits), bits, inferred}
}

// joinValues joins values of two ways to the same place.
func joinValues(a, b Value) Value {
	bits := min(a.Bits, b.Bits)
	if a, b = a.lowBits(bits), b.lowBits(bits); bits > 0 && a.Number == b.Number {
		return Value{a.Number, bits, a.Inferred || b.Inferred}
	}
	return Value{}
}
