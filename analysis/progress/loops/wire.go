package loops

import "laggard/model/wire"

// Code writes or reads a flow.
func (f *Flow) Code(c *wire.Coder) {
	wire.SortedList(c, &f.Sites, (*Site).code, compareSites)
	wire.SortedList(c, &f.Arcs, (*Arc).code, compareArcs)
	for i := 0; c.IsReading() && i < len(f.Arcs); i++ {
		if a := &f.Arcs[i]; f.SiteOf(a.From) == nil || f.SiteOf(a.To) == nil {
			c.Fail("arc %d leads to no site", i)
		}
	}
}

func (s *Site) code(c *wire.Coder) {
	c.State(&s.ID)
	c.Flags(&s.Poll)
	s.Visits.code(c)
	s.Iterations.code(c)
}

func (s *Spread) code(c *wire.Coder) {
	wire.Uint(c, &s.Ranks)
	wire.Uint(c, &s.Sum)
	wire.Uint(c, &s.Squares)
	wire.Uint(c, &s.Least)
	wire.Uint(c, &s.Most)
}

func (a *Arc) code(c *wire.Coder) {
	c.State(&a.From)
	c.State(&a.To)
	wire.Uint(c, &a.Forward)
	wire.Uint(c, &a.Back)
	wire.Uint(c, &a.Depth)
}
