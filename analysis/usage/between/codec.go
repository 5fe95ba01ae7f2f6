package between

import (
	"errors"
	"fmt"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
	"laggard/model/wire"
)

// ErrEvidence is wrapped by errors about encoded evidence.
var ErrEvidence = errors.New("across: damaged evidence")

// Encode writes evidence as bytes, for Decode.
func Encode(e *Evidence) ([]byte, error) { return wire.Encode(e.code) }

// Decode reads what Encode wrote.
func Decode(data []byte) (*Evidence, error) {
	e := &Evidence{}
	if err := wire.Decode(data, e.code); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrEvidence, err)
	}
	for i, d := range e.digests {
		if err := d.checkIndices(); err != nil {
			return nil, fmt.Errorf("%w: rank %d of %d: %w", ErrEvidence, i, len(e.digests), err)
		}
	}
	e.sortByRank()
	return e, nil
}

func (e *Evidence) code(c *wire.Coder) {
	wire.List(c, &e.digests, func(d **Digest, c *wire.Coder) {
		if *d == nil {
			*d = &Digest{}
		}
		(*d).code(c)
	})
}

// codeFunction codes a function by its name.
func codeFunction(c *wire.Coder, f **mpi.Function) {
	name := ""
	if *f != nil {
		name = (*f).Name
	}
	if c.Text(&name); c.IsReading() {
		if *f = mpi.FindFunction(name); *f == nil {
			c.Fail("%q is not a function", name)
		}
	}
}

func codeDatatype(t **recorded.Datatype, c *wire.Coder) {
	if *t == nil {
		*t = &recorded.Datatype{}
	}
	d := *t
	c.Text(&d.Name)
	c.Text(&d.Combiner)
	for _, n := range []*int64{&d.Size, &d.LB, &d.Extent, &d.TrueLB, &d.TrueExtent} {
		wire.Int(c, n)
	}
	wire.Ints(c, &d.Ints)
	wire.Ints(c, &d.Addresses)
	wire.Ints(c, &d.Types)
	c.Flags(&d.Cut)
}

func codeComm(p **model.Comm, c *wire.Coder) {
	if *p == nil {
		*p = &model.Comm{}
	}
	m := *p
	wire.Uint(c, &m.ID)
	wire.Uint(c, &m.Kind)
	graph := m.Neighbours != nil
	c.Flags(&m.Forming, &graph)
	wire.Int(c, &m.Rank)
	c.Group(&m.Members)
	c.Group(&m.Remote)
	if !graph {
		return
	}
	if m.Neighbours == nil {
		m.Neighbours = &model.Neighbours{}
	}
	c.Group(&m.Neighbours.Sources)
	c.Group(&m.Neighbours.Dests)
}

func codeSite(s *recorded.Site, c *wire.Coder) {
	wire.Uint(c, &s.Binding)
	c.Stack(&s.Stack)
}
