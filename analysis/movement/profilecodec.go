package movement

const profileMark = "laggard movement profile 1"

// Encode writes the profile; equal profiles give equal bytes.
func (p Profile) Encode() ([]byte, error) {
	p = p.normal()
	w := &writer{}
	w.text(profileMark)
	w.count(len(p.groups))
	for _, g := range p.groups {
		w.group(g)
	}
	w.count(len(p.rows))
	for _, r := range p.rows {
		w.count(len(r))
		for _, c := range r {
			w.index(c.group)
			w.uint(c.count)
		}
	}
	return w.b, nil
}

func (w *writer) group(g Group) {
	w.count(len(g.Ops))
	for i, op := range g.Ops {
		w.uint(uint64(op.Kind))
		for _, s := range []string{op.Site, op.Partner, op.Source, op.Dest} {
			w.text(s)
		}
		w.uint(g.sums[i])
	}
	w.uint(g.Count)
	w.uint(g.covered)
}

// DecodeProfile reads what Encode wrote. Errors wrap ErrEncoding.
func DecodeProfile(b []byte) (Profile, error) {
	r := newReader(b)
	r.mark(profileMark)
	var p Profile
	for range r.count(9) {
		g := r.group()
		if n := len(p.groups); r.err == nil && n > 0 && p.groups[n-1].compare(g) >= 0 {
			r.fail("groups out of order")
		}
		if r.err != nil {
			break
		}
		p.groups = append(p.groups, g)
	}
	for range r.count(3) {
		line := r.row(len(p.groups))
		if n := len(p.rows); r.err == nil && n > 0 && p.rows[n-1].compare(line) >= 0 {
			r.fail("distributions out of order")
		}
		if r.err != nil {
			break
		}
		p.rows = append(p.rows, line)
	}
	if err := r.end(); err != nil {
		return Profile{}, err
	}
	return p, nil
}

func (r *reader) group() Group {
	var g Group
	n := r.count(6)
	if n == 0 || n > maxLength {
		r.fail("a chain of %d operations", n)
	}
	for range n {
		op := Operation{Kind: Kind(r.index(int(Network) + 1)), Site: r.text(), Partner: r.text(), Source: r.text(), Dest: r.text()}
		if op.Kind < Single {
			r.fail("an operation of no kind")
		}
		sum := r.uint()
		if r.err != nil {
			return g
		}
		g.Ops, g.sums = append(g.Ops, op), append(g.sums, sum)
	}
	g.Count, g.covered = r.uint(), r.uint()
	if r.err == nil && (g.Count == 0 || g.covered == 0) {
		r.fail("a group of no chains")
	}
	return g
}

func (r *reader) row(groups int) row {
	var out row
	n := r.count(2)
	if n == 0 {
		r.fail("a rank without chains")
	}
	last := int32(-1)
	for range n {
		c := cell{r.index(groups), r.uint()}
		if c.group <= last || c.count == 0 {
			r.fail("cells out of order")
		}
		if r.err != nil {
			return nil
		}
		out = append(out, c)
		last = c.group
	}
	return out
}
