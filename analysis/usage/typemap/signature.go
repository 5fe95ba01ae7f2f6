package typemap

import (
	"fmt"
	"hash/fnv"
	"math/bits"
	"strings"
)

// Signature is the type signature of a message or buffer: its sequence of basic
// types (MPI-3.1 §4.1), as a number. Two that are equal are the same sequence, but
// for a chance of 2⁻⁶¹.
type Signature struct {
	Elements int64
	Hash     uint64
	Known    bool // false: a type in it is not known
}

// Signature returns that of the layout.
func (l *Layout) Signature() Signature { return Signature{l.Elements, l.hash, !l.opaque} }

// OnlyType returns the basic type if there is no other, else "".
func (l *Layout) OnlyType() string {
	if l.opaque || l.Elements == 0 {
		return ""
	}
	one, _ := l.ElementAt(0)
	if repeatHash(basicHash(one), 1, l.Elements) == l.hash {
		return one
	}
	return ""
}

// PrefixSignature returns the signature of the first n elements.
func (l *Layout) PrefixSignature(n int64) Signature {
	n = min(n, l.Elements)
	return Signature{n, l.prefixHash(n), !l.opaque}
}

func (l *Layout) prefixHash(n int64) uint64 {
	if n >= l.Elements {
		return l.hash
	}
	if n <= 0 || l.count == 0 {
		return 0
	}
	each := l.Elements / l.count
	var unit uint64
	for _, p := range l.parts {
		unit = joinHash(unit, p.layout.hash, p.layout.Elements)
	}
	hash, rest := repeatHash(unit, each, n/each), n%each
	for _, p := range l.parts {
		take := min(rest, p.layout.Elements)
		hash = joinHash(hash, p.layout.prefixHash(take), take)
		if rest -= take; rest == 0 {
			break
		}
	}
	return hash
}

// ElementAt returns the basic type of element n, from 0, and the path to it through
// the nested type, outermost first, such as "block 3 of MPI_Type_vector".
func (l *Layout) ElementAt(n int64) (basic string, path []string) {
	for l.count > 0 && n < l.Elements {
		each := l.Elements / l.count
		i := n / each
		n %= each
		k := 0
		for n >= l.parts[k].layout.Elements {
			n -= l.parts[k].layout.Elements
			k++
		}
		if l.name != "" {
			if l.count == 1 {
				i = int64(k)
			}
			path = append(path, fmt.Sprintf("%s %d", l.name, i))
		}
		l = l.parts[k].layout
	}
	return l.basic, path
}

// FirstDifference returns the first element in which the signatures differ, and
// false if one is the beginning of the other.
func (l *Layout) FirstDifference(m *Layout) (element int64, differ bool) {
	low, high := int64(0), min(l.Elements, m.Elements)
	if l.PrefixSignature(high) == m.PrefixSignature(high) {
		return high, false
	}
	for low+1 < high { // the first low elements agree, the first high do not
		if mid := low + (high-low)/2; l.prefixHash(mid) == m.prefixHash(mid) {
			low = mid
		} else {
			high = mid
		}
	}
	return low, true
}

// DescribeElement names element n for a reader: «MPI_INT, block 2 of MPI_Type_vector».
func (l *Layout) DescribeElement(n int64) string {
	basic, path := l.ElementAt(n)
	return strings.Join(append([]string{basic}, path...), ", ")
}

// The hash of a sequence s1…sn is Σ si·base^(n−i) modulo the prime 2⁶¹−1, so that
// the hash of a sequence of sequences comes from theirs.
const (
	hashPrime = 1<<61 - 1
	hashBase  = 0x1d3f84a1b7c95e21 % hashPrime
)

func basicHash(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(canonicalName(name)))
	return h.Sum64()%(hashPrime-1) + 1
}

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return addMod(lo&hashPrime, lo>>61|hi<<3)
}

func addMod(a, b uint64) uint64 { return (a%hashPrime + b%hashPrime) % hashPrime }

// hashPower returns base^n.
func hashPower(n int64) uint64 {
	out, factor := uint64(1), uint64(hashBase)
	for ; n > 0; n >>= 1 {
		if n&1 == 1 {
			out = mulMod(out, factor)
		}
		factor = mulMod(factor, factor)
	}
	return out
}

// joinHash returns the hash of a sequence with hash a and one of n elements with hash b behind it.
func joinHash(a, b uint64, n int64) uint64 { return addMod(mulMod(a, hashPower(n)), b) }

// repeatHash returns the hash of count times a sequence of n elements with hash h.
func repeatHash(h uint64, n, count int64) uint64 {
	var out uint64
	for length := n; count > 0; count >>= 1 {
		if count&1 == 1 {
			out = joinHash(out, h, length)
		}
		h = joinHash(h, h, length)
		length *= 2
	}
	return out
}

// canonicalName returns the one name of a basic type that has several.
func canonicalName(name string) string {
	if other, ok := synonyms[name]; ok {
		return other
	}
	return name
}

var synonyms = map[string]string{
	"MPI_LONG_LONG":   "MPI_LONG_LONG_INT",
	"MPI_C_COMPLEX":   "MPI_C_FLOAT_COMPLEX",
	"MPI_CXX_COMPLEX": "MPI_CXX_FLOAT_COMPLEX",
}
