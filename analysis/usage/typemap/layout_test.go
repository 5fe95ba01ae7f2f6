package typemap

import (
	"math/rand/v2"
	"testing"

	"laggard/analysis/usage/recorded"
	"laggard/internal/musttest"
)

// element is a basic element of a type, found by brute force.
type element struct {
	basic string
	at    int64
	size  int64
}

// flattenElements lists the elements of a layout placed at an address.
func flattenElements(l *Layout, at int64, to []element) []element {
	if l.count == 0 {
		if l.Elements == 0 {
			return to
		}
		return append(to, element{l.basic, at, l.Bytes})
	}
	for i := range l.count {
		for _, p := range l.parts {
			to = flattenElements(p.layout, at+i*l.stride+p.at, to)
		}
	}
	return to
}

// randomTypes makes derived datatypes of derived datatypes, as their constructors
// would describe them.
func randomTypes(rng *rand.Rand) []*recorded.Datatype {
	types := []*recorded.Datatype{
		{Name: "MPI_INT", Size: 4, Extent: 4, TrueExtent: 4},
		{Name: "MPI_DOUBLE", Size: 8, Extent: 8, TrueExtent: 8},
		{Name: "MPI_CHAR", Size: 1, Extent: 1, TrueExtent: 1},
	}
	for range 1 + rng.IntN(4) {
		old := rng.IntN(len(types))
		n, m := rng.Int64N(4), rng.Int64N(3)
		d := &recorded.Datatype{Types: []int{old}}
		switch rng.IntN(7) {
		case 0:
			d.Combiner, d.Ints = "MPI_COMBINER_CONTIGUOUS", []int64{n}
		case 1:
			d.Combiner, d.Ints = "MPI_COMBINER_VECTOR", []int64{n, m, rng.Int64N(7) - 3}
		case 2:
			d.Combiner, d.Ints, d.Addresses = "MPI_COMBINER_HVECTOR", []int64{n, m}, []int64{rng.Int64N(64) - 32}
		case 3:
			d.Combiner, d.Ints = "MPI_COMBINER_INDEXED", []int64{2, n, m, rng.Int64N(9), rng.Int64N(9)}
		case 4:
			d.Combiner, d.Ints = "MPI_COMBINER_HINDEXED_BLOCK", []int64{2, m}
			d.Addresses = []int64{rng.Int64N(40), rng.Int64N(40)}
		case 5:
			d.Combiner, d.Ints, d.Addresses = "MPI_COMBINER_STRUCT", []int64{2, n, m}, []int64{0, rng.Int64N(64)}
			d.Types = []int{old, rng.IntN(len(types))}
		case 6:
			d.Combiner, d.Ints = "MPI_COMBINER_SUBARRAY", []int64{2, 3, 4, 2, 1 + m, 1, 1, rng.Int64N(2)}
		}
		types = append(types, d)
		l := NewLayouts(types).OfDerived(d)
		d.Size, d.TrueLB, d.TrueExtent = l.Bytes, l.Lo, l.Hi-l.Lo
		d.LB, d.Extent = d.TrueLB, d.TrueExtent+rng.Int64N(3)
	}
	return types
}

// randomBuffer returns a random buffer of one of the types.
func randomBuffer(rng *rand.Rand, types []*recorded.Datatype) *Layout {
	return NewLayouts(types).OfBuffer(rng.IntN(len(types)), 1+rng.Int64N(4))
}

func TestLayoutAgainstElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	met := map[bool]int{}
	for range 3000 {
		types := randomTypes(rng)
		a, b := randomBuffer(rng, types), randomBuffer(rng, types)
		x, shift := flattenElements(a, 0, nil), rng.Int64N(80)-40
		y := flattenElements(b, shift, nil)
		var bytes int64
		for _, e := range x {
			bytes += e.size
			if e.at < a.Lo || e.at+e.size > a.Hi {
				t.Fatalf("element at %d is outside [%d,%d)", e.at, a.Lo, a.Hi)
			}
		}
		if int64(len(x)) != a.Elements || bytes != a.Bytes {
			t.Fatalf("%d elements of %d bytes, the layout says %d and %d", len(x), bytes, a.Elements, a.Bytes)
		}
		want := shareByte(x, y)
		met[want]++
		musttest.Equal(t, want, !a.Overlap(0, b, shift).Empty(), "overlap of", x, "and", y)
		if got, want := !a.SelfOverlap().Empty(), twiceByte(x); got != want {
			t.Fatalf("Twice is %v: %v", got, x)
		}
	}
	if met[true] < 100 || met[false] < 100 {
		t.Errorf("the cases are one-sided: %v", met)
	}
}

func shareByte(x, y []element) bool {
	for _, a := range x {
		for _, b := range y {
			if a.at < b.at+b.size && b.at < a.at+a.size {
				return true
			}
		}
	}
	return false
}

func twiceByte(x []element) bool {
	for i := range x {
		if shareByte(x[i:i+1], x[:i]) {
			return true
		}
	}
	return false
}

func TestSignatureAgainstElements(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	equal := 0
	for range 3000 {
		types := randomTypes(rng)
		a, b := randomBuffer(rng, types), randomBuffer(rng, types)
		x, y := flattenElements(a, 0, nil), flattenElements(b, 0, nil)
		first := 0
		for first < min(len(x), len(y)) && x[first].basic == y[first].basic {
			first++
		}
		same := first == len(x) && first == len(y)
		musttest.Equal(t, same, a.Signature() == b.Signature(), "equal signatures of", x, "and", y)
		at, differ := a.FirstDifference(b)
		if differ != (first < min(len(x), len(y))) || int(at) != first {
			t.Fatalf("first difference %d, %v: %v and %v", at, differ, x, y)
		}
		if differ {
			if name, _ := a.ElementAt(at); name != x[first].basic {
				t.Fatalf("element %d is %s: %v", at, name, x)
			}
		}
		if first > 0 && first == len(x) {
			equal++
			if b.PrefixSignature(a.Elements) != a.Signature() {
				t.Fatalf("%v is no prefix of %v", x, y)
			}
		}
	}
	if equal < 100 {
		t.Errorf("only %d were prefixes", equal)
	}
}

func TestElementPath(t *testing.T) {
	types := []*recorded.Datatype{
		{Name: "MPI_INT", Size: 4, Extent: 4}, {Name: "MPI_DOUBLE", Size: 8, Extent: 8},
		{Combiner: "MPI_COMBINER_STRUCT", Ints: []int64{2, 1, 2}, Addresses: []int64{0, 8}, Types: []int{0, 1},
			Size: 20, Extent: 24},
		{Combiner: "MPI_COMBINER_VECTOR", Ints: []int64{3, 2, 4}, Types: []int{2}, Size: 120, Extent: 240},
	}
	l := NewLayouts(types).OfBuffer(3, 2)
	if got, want := l.DescribeElement(22), "MPI_DOUBLE, block 0, element 1, member 1, element 0"; got != want {
		t.Errorf("element 22 is %q, not %q", got, want)
	}
	if NewLayouts(types).OfBuffer(0, 3).OnlyType() != "MPI_INT" || l.OnlyType() != "" {
		t.Error("Only does not tell one basic type from several")
	}
}

// Huge types stay small, and are compared in time.
func TestHugeLayout(t *testing.T) {
	types := []*recorded.Datatype{
		{Name: "MPI_INT", Size: 4, Extent: 4}, {Name: "MPI_DOUBLE", Size: 8, Extent: 8},
		{Combiner: "MPI_COMBINER_STRUCT", Ints: []int64{2, 1, 1}, Addresses: []int64{0, 8}, Types: []int{0, 1},
			Size: 12, Extent: 16},
	}
	l := NewLayouts(types)
	a, b := l.OfBuffer(2, 1<<40), l.OfBuffer(2, 1<<40+1)
	if b.PrefixSignature(a.Elements) != a.Signature() || a.Signature() == b.Signature() {
		t.Error("a prefix of 2⁴¹ elements is not told")
	}
	if at, differ := a.FirstDifference(l.OfBuffer(0, 5)); !differ || at != 1 {
		t.Errorf("first difference at %d", at)
	}
	if !a.Overlap(0, l.OfBuffer(0, 1), 1<<43+4).Empty() || a.Overlap(0, l.OfBuffer(0, 1), 1<<43+8).Empty() {
		t.Error("gaps of a huge type are not told from its bytes")
	}
}

// Bad contents give a layout of the bounds, not a panic.
func TestBadDatatypes(t *testing.T) {
	types := []*recorded.Datatype{
		{Combiner: "MPI_COMBINER_VECTOR", Ints: []int64{1}, Types: []int{0}, Size: 8, TrueExtent: 8},
		{Combiner: "MPI_COMBINER_STRUCT", Ints: []int64{1 << 40}, Types: []int{7}, Size: 8, TrueExtent: 8},
		{Combiner: "MPI_COMBINER_DARRAY", Ints: []int64{4, 1, 1, 8, 0, -1, 0, 0}, Types: []int{0}, Size: 8,
			TrueExtent: 8},
		{Combiner: "what", Types: []int{1}, Size: 8, TrueExtent: 8},
		{Combiner: "MPI_COMBINER_CONTIGUOUS", Ints: []int64{1 << 62}, Types: []int{3}, Size: 8, Extent: 1 << 62},
	}
	for i := range types {
		if l := NewLayouts(types).OfType(i); l.IsKnown() {
			t.Errorf("type %d counts as known: %+v", i, l)
		}
		NewLayouts(types).OfType(i).Overlap(0, NewLayouts(types).OfType(0), 0)
	}
}

// TestManyBlocks: indexed types of many blocks are compared block by block, whatever their
// order; one element that they share is found.
func TestManyBlocks(t *testing.T) {
	const blocks = 5000
	scattered := func(first int64, order []int) *Layout {
		d := &recorded.Datatype{Combiner: "MPI_COMBINER_INDEXED_BLOCK", Types: []int{0}, Ints: []int64{blocks, 1}}
		for _, i := range order {
			d.Ints = append(d.Ints, first+2*int64(i))
		}
		return NewLayouts([]*recorded.Datatype{{Name: "MPI_INT", Size: 4, Extent: 4, TrueExtent: 4}}).OfDerived(d)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	even, odd := scattered(0, rng.Perm(blocks)), scattered(1, rng.Perm(blocks))
	if s := even.Overlap(0, odd, 0); !s.Empty() {
		t.Errorf("interleaved blocks share %v", s)
	}
	if s := even.Overlap(0, odd, 4-8*(blocks-1)); s != (Span{0, 4}) {
		t.Errorf("the last element of one is the first of the other, and they share %v", s)
	}
	order := rng.Perm(blocks)
	if s := scattered(0, order).SelfOverlap(); !s.Empty() {
		t.Errorf("a type has %v twice", s)
	}
	order[4000] = order[17]
	if s, at := scattered(0, order).SelfOverlap(), 8*int64(order[17]); s != (Span{at, at + 4}) {
		t.Errorf("a type has %v twice, and not the element at %d", s, at)
	}
}

// TestTwiceOfSharedParts: types that have one type twice, in as many levels as are recorded, are not gone through as
// often as they have it.
func TestTwiceOfSharedParts(t *testing.T) {
	types := []*recorded.Datatype{{Name: "MPI_INT", Size: 4, Extent: 4, TrueExtent: 4}}
	for n := range 40 {
		size := int64(8) << n
		types = append(types, &recorded.Datatype{Combiner: "MPI_COMBINER_STRUCT", Types: []int{n, n}, Size: size,
			Ints: []int64{2, 1, 1}, Addresses: []int64{0, size}, Extent: 2 * size, TrueExtent: 2 * size})
	}
	l := NewLayouts(types).OfType(len(types) - 1)
	musttest.Equal(t, 4<<40, l.Bytes, "bytes of the type")
	if s := l.SelfOverlap(); !s.Empty() {
		t.Errorf("it has %v twice", s)
	}
}
