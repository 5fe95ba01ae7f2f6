package between

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// ErrEvidence is wrapped by errors about encoded evidence.
var ErrEvidence = errors.New("across: damaged evidence")

// Encode writes evidence as bytes, for Decode.
func Encode(e *Evidence) ([]byte, error) {
	w := newWire()
	body := &wire{tables: w.tables, writing: true}
	list(body, &e.digests, body.digest)
	w.writing = true
	w.writeTables()
	return append(w.data, body.data...), w.err
}

// Decode reads what Encode wrote.
func Decode(data []byte) (*Evidence, error) {
	w := newWire()
	w.data = data
	w.readTables()
	e := &Evidence{}
	list(w, &e.digests, w.digest)
	for i, d := range e.digests {
		if w.err == nil {
			w.err = d.check()
		}
		if w.err != nil {
			return nil, fmt.Errorf("%w: rank %d of %d: %w", ErrEvidence, i, len(e.digests), w.err)
		}
	}
	if w.err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEvidence, w.err)
	}
	if len(w.data) > 0 {
		return nil, fmt.Errorf("%w: %d bytes too many", ErrEvidence, len(w.data))
	}
	e.sort()
	return e, nil
}

// wire writes or reads; the same functions do both, so that they agree. What many
// ranks have in common is written once, in tables.
type wire struct {
	*tables
	writing bool
	data    []byte // what was written, or is still to be read
	err     error
}

// tables are what the ranks have in common.
type tables struct {
	texts    []string
	modules  []*model.Module
	groups   [][]int
	textOf   map[string]int
	moduleOf map[string]int
	groupOf  map[string]int
}

func newWire() *wire {
	return &wire{tables: &tables{textOf: map[string]int{}, moduleOf: map[string]int{}, groupOf: map[string]int{}}}
}

func (w *wire) fail(what string) {
	if w.err == nil {
		w.err = errors.New(what)
	}
	w.data = nil
}

type integer interface {
	~int | ~int32 | ~int64 | ~uint8 | ~uint32 | ~uint64
}

// num writes or reads a number.
func num[T integer](w *wire, v *T) {
	if w.writing {
		w.data = binary.AppendVarint(w.data, int64(*v))
		return
	}
	n, size := binary.Varint(w.data)
	if size <= 0 {
		w.fail("it ends within a number")
		return
	}
	w.data = w.data[size:]
	if *v = T(n); int64(*v) != n {
		w.fail("a number is too large")
	}
}

// flags writes or reads truth values, as one number.
func (w *wire) flags(all ...*bool) {
	n := 0
	for i, f := range all {
		if *f {
			n |= 1 << i
		}
	}
	num(w, &n)
	for i, f := range all {
		*f = n>>i&1 == 1
	}
}

// list writes or reads a list, nil or not as it is.
func list[T any](w *wire, all *[]T, one func(*T)) {
	n := len(*all) + 1
	if *all == nil {
		n = 0
	}
	num(w, &n)
	if !w.writing {
		if n < 0 || n-1 > len(w.data) { // each has a byte at least
			w.fail("a list is longer than what follows")
			return
		}
		*all = nil
		if n > 0 {
			*all = make([]T, n-1)
		}
	}
	for i := range *all {
		if w.err == nil {
			one(&(*all)[i])
		}
	}
}

func nums[T integer](w *wire, all *[]T) { list(w, all, func(v *T) { num(w, v) }) }

// text writes or reads a text by its place in the table.
func (w *wire) text(s *string) {
	at, ok := w.textOf[*s]
	if w.writing && !ok {
		at = len(w.texts)
		w.textOf[*s] = at
		w.texts = append(w.texts, *s)
	}
	if num(w, &at); at < 0 || at >= len(w.texts) {
		w.fail("there is no such text")
		return
	}
	*s = w.texts[at]
}

func (w *wire) module(m **model.Module) {
	at := -1
	if *m != nil {
		key := (*m).BuildID + "\x00" + (*m).Path
		known, ok := w.moduleOf[key]
		if !ok {
			known = len(w.modules)
			w.moduleOf[key] = known
			w.modules = append(w.modules, *m)
		}
		at = known
	}
	if num(w, &at); at < -1 || at >= len(w.modules) {
		w.fail("there is no such module")
		return
	}
	if *m = nil; at >= 0 {
		*m = w.modules[at]
	}
}

// group writes or reads a list of ranks, which many communicators of many ranks
// share.
func (w *wire) group(g *[]int) {
	at := -1
	if *g != nil {
		key := string(runs(*g))
		known, ok := w.groupOf[key]
		if !ok {
			known = len(w.groups)
			w.groupOf[key] = known
			w.groups = append(w.groups, *g)
		}
		at = known
	}
	if num(w, &at); at < -1 || at >= len(w.groups) {
		w.fail("there is no such group")
		return
	}
	if *g = nil; at >= 0 {
		*g = w.groups[at]
	}
}

// runs writes a list of ranks as runs of equal distance.
func runs(ranks []int) []byte {
	var out []byte
	for len(ranks) > 0 {
		n, stride := 1, 0
		if len(ranks) > 1 {
			stride = ranks[1] - ranks[0]
			for n < len(ranks) && ranks[n]-ranks[n-1] == stride {
				n++
			}
		}
		for _, v := range []int{ranks[0], stride, n} {
			out = binary.AppendVarint(out, int64(v))
		}
		ranks = ranks[n:]
	}
	return out
}

func (w *wire) writeTables() {
	n := len(w.texts)
	num(w, &n)
	for _, s := range w.texts {
		w.raw(&s)
	}
	list(w, &w.modules, func(m **model.Module) { w.moduleBody(*m) })
	n = len(w.groups)
	num(w, &n)
	for _, g := range w.groups {
		s := string(runs(g))
		w.raw(&s)
	}
}

func (w *wire) readTables() {
	list0(w, &w.texts, w.raw)
	list(w, &w.modules, func(m **model.Module) { *m = &model.Module{}; w.moduleBody(*m) })
	list0(w, &w.groups, func(g *[]int) {
		var s string
		w.raw(&s)
		*g = w.ranks([]byte(s))
	})
}

// list0 reads a list that was written with its plain length.
func list0[T any](w *wire, all *[]T, one func(*T)) {
	var n int
	if num(w, &n); n < 0 || n > len(w.data) {
		w.fail("a list is longer than what follows")
		return
	}
	*all = make([]T, n)
	for i := range *all {
		if w.err == nil {
			one(&(*all)[i])
		}
	}
}

func (w *wire) moduleBody(m *model.Module) {
	w.raw(&m.BuildID)
	w.raw(&m.Path)
	num(w, &m.Base)
	num(w, &m.Size)
}

// raw writes or reads a text itself.
func (w *wire) raw(s *string) {
	n := len(*s)
	num(w, &n)
	if w.writing {
		w.data = append(w.data, *s...)
		return
	}
	if n < 0 || n > len(w.data) {
		w.fail("a text is longer than what follows")
		return
	}
	*s, w.data = string(w.data[:n]), w.data[n:]
}

// ranks reads what runs wrote.
func (w *wire) ranks(data []byte) []int {
	out := []int{}
	for len(data) > 0 {
		var v [3]int64
		for i := range v {
			n, size := binary.Varint(data)
			if size <= 0 {
				w.fail("a group is cut")
				return nil
			}
			v[i], data = n, data[size:]
		}
		if v[2] < 1 || v[2] > model.MaxRank || int64(len(out))+v[2] > 1<<24 {
			w.fail("a group is too large")
			return nil
		}
		for i := range v[2] {
			out = append(out, int(v[0]+i*v[1]))
		}
	}
	return out
}

// function writes or reads a function by its name.
func (w *wire) function(f **mpi.Function) {
	name := ""
	if *f != nil {
		name = (*f).Name
	}
	w.text(&name)
	if *f = mpi.Find(name); *f == nil {
		w.fail(fmt.Sprintf("%q is no function", name))
	}
}

func (w *wire) datatype(t **recorded.Datatype) {
	if *t == nil {
		*t = &recorded.Datatype{}
	}
	d := **t // the recording's own stays as it is
	w.text(&d.Name)
	w.text(&d.Combiner)
	for _, n := range []*int64{&d.Size, &d.LB, &d.Extent, &d.TrueLB, &d.TrueExtent} {
		num(w, n)
	}
	nums(w, &d.Ints)
	nums(w, &d.Addresses)
	nums(w, &d.Types)
	w.flags(&d.Cut)
	*t = &d
}

func (w *wire) comm(c **model.Comm) {
	if *c == nil {
		*c = &model.Comm{}
	}
	d := **c
	num(w, &d.ID)
	num(w, &d.Kind)
	w.flags(&d.Forming)
	num(w, &d.Rank)
	w.group(&d.Members)
	w.group(&d.Remote)
	graph := d.Neighbours != nil
	if w.flags(&graph); graph {
		n := model.Neighbours{}
		if d.Neighbours != nil {
			n = *d.Neighbours
		}
		w.group(&n.Sources)
		w.group(&n.Dests)
		d.Neighbours = &n
	}
	*c = &d
}

func (w *wire) site(s *recorded.Site) {
	num(w, &s.Binding)
	s.Stack = slices.Clone(s.Stack)
	list(w, &s.Stack, func(f *model.Frame) {
		w.module(&f.Module)
		num(w, &f.Offset)
	})
}
