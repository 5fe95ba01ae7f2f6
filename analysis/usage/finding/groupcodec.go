package finding

import (
	"errors"
	"fmt"

	"laggard/model/wire"
)

// ErrFindings is wrapped by errors about encoded findings.
var ErrFindings = errors.New("usage: damaged findings")

// EncodeGroup writes a group as bytes, for DecodeGroup; the same bytes in whatever order
// the findings came.
func EncodeGroup(g *Group) ([]byte, error) {
	findings := g.WorstFirst()
	return wire.Encode(func(c *wire.Coder) { wire.List(c, &findings, (*Finding).code) })
}

// DecodeGroup reads what EncodeGroup wrote.
func DecodeGroup(data []byte) (*Group, error) {
	var findings []Finding
	if err := wire.Decode(data, func(c *wire.Coder) { wire.List(c, &findings, (*Finding).code) }); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFindings, err)
	}
	return NewGroup(findings...), nil
}

func (f *Finding) code(c *wire.Coder) {
	for _, s := range []*string{&f.Class, &f.Severity, &f.Message, &f.Change, &f.Standard} {
		c.Text(s)
	}
	c.Set(&f.Ranks)
	wire.Int(c, &f.Count)
	c.Flags(&f.Returned)
	wire.List(c, &f.Places, (*Place).code)
}

func (p *Place) code(c *wire.Coder) {
	wire.Int(c, &p.Rank)
	c.Text(&p.Call)
	c.Text(&p.Role)
	c.Flags(&p.Muted)
	wire.Uint(c, &p.Site.Binding)
	c.Stack(&p.Site.Stack)
}
