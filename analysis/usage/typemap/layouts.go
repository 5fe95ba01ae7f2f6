package typemap

import (
	"strings"

	"laggard/analysis/usage/recorded"
)

// Layouts are those of the datatypes of a Trace, each made when it is asked for.
type Layouts struct {
	types []*recorded.Datatype
	made  []*Layout
	busy  []bool
	rows  map[row]*Layout // of buffers, the last maxRows of them
}

// row is a number of elements of a type.
type row struct {
	datatype int
	count    int64
}

// maxRows bounds the layouts of buffers that are kept: a program has few.
const maxRows = 1 << 12

// NewLayouts prepares the layouts of types.
func NewLayouts(types []*recorded.Datatype) *Layouts {
	return &Layouts{types, make([]*Layout, len(types)), make([]bool, len(types)), map[row]*Layout{}}
}

// OfType returns the layout of one element of type i; an unknown type has an empty one.
func (s *Layouts) OfType(i int) *Layout {
	if i < 0 || i >= len(s.types) || s.busy[i] {
		return &Layout{opaque: true}
	}
	if s.made[i] == nil {
		s.busy[i] = true // bad input may have a type that contains itself
		s.made[i] = s.newLayout(s.types[i])
		s.busy[i] = false
	}
	return s.made[i]
}

// OfBuffer returns the layout of count elements of type i.
func (s *Layouts) OfBuffer(i int, count int64) *Layout {
	one := s.OfType(i)
	if count == 1 || i < 0 || i >= len(s.types) {
		return one
	}
	l := s.rows[row{i, count}]
	if l == nil {
		if len(s.rows) == maxRows {
			clear(s.rows)
		}
		l = repeatLayout("", count, s.types[i].Extent, placed{0, one})
		s.rows[row{i, count}] = l
	}
	return l
}

func (s *Layouts) newLayout(d *recorded.Datatype) *Layout {
	if d.Name != "" {
		return predefinedLayout(d)
	}
	l := s.OfDerived(d)
	if l == nil || l.Bytes != d.Size {
		return opaqueLayout(d) // the contents are not what the standard says
	}
	return l
}

// predefinedLayout returns the layout of a basic type, or of a pair of them (MPI-3.1 §5.9.4).
func predefinedLayout(d *recorded.Datatype) *Layout {
	pair, ok := pairs[d.Name]
	if !ok {
		return basicLayout(d.Name, d.Size)
	}
	first := basicLayout(pair[0], d.Size/2)
	second := basicLayout(pair[1], d.Size/2)
	if pair[1] == "MPI_INT" {
		first, second = basicLayout(pair[0], d.Size-4), basicLayout(pair[1], 4)
	}
	at := d.Extent - second.Bytes
	if pair[0] == "MPI_LONG" || pair[0] == "MPI_DOUBLE" || pair[0] == "MPI_LONG_DOUBLE" {
		at = first.Bytes
	}
	return repeatLayout("", 1, 0, placed{0, first}, placed{at, second})
}

var pairs = map[string][2]string{
	"MPI_FLOAT_INT":         {"MPI_FLOAT", "MPI_INT"},
	"MPI_DOUBLE_INT":        {"MPI_DOUBLE", "MPI_INT"},
	"MPI_LONG_INT":          {"MPI_LONG", "MPI_INT"},
	"MPI_SHORT_INT":         {"MPI_SHORT", "MPI_INT"},
	"MPI_LONG_DOUBLE_INT":   {"MPI_LONG_DOUBLE", "MPI_INT"},
	"MPI_2INT":              {"MPI_INT", "MPI_INT"},
	"MPI_2REAL":             {"MPI_REAL", "MPI_REAL"},
	"MPI_2DOUBLE_PRECISION": {"MPI_DOUBLE_PRECISION", "MPI_DOUBLE_PRECISION"},
	"MPI_2INTEGER":          {"MPI_INTEGER", "MPI_INTEGER"},
}

// OfDerived returns the layout of one element of a derived datatype from what
// MPI_Type_get_contents gives (MPI-3.1 §4.1.13), whatever its size and bounds are
// said to be; nil if that is not whole.
func (s *Layouts) OfDerived(d *recorded.Datatype) *Layout {
	in := contents{d: d, ints: d.Ints, addresses: d.Addresses}
	combiner := strings.TrimSuffix(strings.TrimPrefix(d.Combiner, "MPI_COMBINER_"), "_INTEGER")
	if combiner == "STRUCT" {
		return s.structLayout(&in)
	}
	if len(d.Types) != 1 || d.Types[0] < 0 || d.Types[0] >= len(s.types) {
		return nil
	}
	old, one := s.types[d.Types[0]], s.OfType(d.Types[0])
	var l *Layout
	switch combiner {
	case "DUP", "RESIZED":
		return one
	case "CONTIGUOUS":
		l = repeatLayout("element", in.nextInt(), old.Extent, placed{0, one})
	case "VECTOR", "HVECTOR":
		count, length := in.nextInt(), in.nextInt()
		stride := in.nextDisplacement()
		if combiner == "VECTOR" {
			stride *= old.Extent
		}
		l = repeatLayout("block", count, stride, placed{0, blockLayout(length, old, one)})
	case "INDEXED", "HINDEXED", "INDEXED_BLOCK", "HINDEXED_BLOCK":
		l = indexedLayout(&in, combiner, old, one)
	case "SUBARRAY":
		l = subarrayLayout(&in, old, one)
	case "DARRAY":
		l = darrayLayout(&in, old, one)
	}
	if in.short {
		return nil
	}
	return l
}

func blockLayout(length int64, old *recorded.Datatype, one *Layout) *Layout {
	if length == 1 {
		return one
	}
	return repeatLayout("element", length, old.Extent, placed{0, one})
}

// indexedLayout makes the layout of the four combiners that list displacements.
func indexedLayout(in *contents, combiner string, old *recorded.Datatype, one *Layout) *Layout {
	inBytes, same := strings.HasPrefix(combiner, "H"), strings.HasSuffix(combiner, "_BLOCK")
	n := in.nextCount()
	lengths := make([]int64, n)
	for i := range lengths {
		if lengths[i] = 0; i == 0 || !same {
			lengths[i] = in.nextInt()
		} else {
			lengths[i] = lengths[0]
		}
	}
	if same && n == 0 {
		in.nextInt()
	}
	parts := make([]placed, n)
	for i := range parts {
		at := in.nextDisplacement()
		if !inBytes {
			at *= old.Extent
		}
		parts[i] = placed{at, blockLayout(lengths[i], old, one)}
	}
	return repeatLayout("block", 1, 0, parts...)
}

func (s *Layouts) structLayout(in *contents) *Layout {
	n := in.nextCount()
	if len(in.d.Types) < n {
		return nil
	}
	lengths := make([]int64, n)
	for i := range lengths {
		lengths[i] = in.nextInt()
	}
	var parts []placed
	for i := range lengths {
		at, t := in.nextDisplacement(), in.d.Types[i]
		if t < 0 || t >= len(s.types) {
			return nil
		}
		parts = append(parts, placed{at, blockLayout(lengths[i], s.types[t], s.OfType(t))})
	}
	if in.short {
		return nil
	}
	return repeatLayout("member", 1, 0, parts...)
}

// contents reads the integers and addresses of a datatype one after the other.
type contents struct {
	d               *recorded.Datatype
	ints, addresses []int64
	short           bool // there was less than asked for
}

func (c *contents) nextInt() int64 {
	if len(c.ints) == 0 {
		c.short = true
		return 0
	}
	v := c.ints[0]
	c.ints = c.ints[1:]
	return v
}

// nextCount is int for the length of a list, which cannot be longer than what there is.
func (c *contents) nextCount() int {
	n := c.nextInt()
	if n < 0 || n > int64(len(c.ints)+len(c.addresses)+len(c.d.Types)) {
		c.short = true
		return 0
	}
	return int(n)
}

// nextDisplacement is one of the addresses, or an integer behind the others.
func (c *contents) nextDisplacement() int64 {
	if len(c.addresses) == 0 {
		return c.nextInt()
	}
	v := c.addresses[0]
	c.addresses = c.addresses[1:]
	return v
}

func (c *contents) nextInts(n int) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = c.nextInt()
	}
	return out
}
