package between

import "fmt"

// digest writes or reads a digest.
func (w *wire) digest(p **Digest) {
	if *p == nil {
		*p = &Digest{}
	}
	d := *p
	num(w, &d.Rank)
	num(w, &d.Size)
	num(w, &d.phase)
	num(w, &d.end)
	num(w, &d.threads)
	w.flags(&d.complete, &d.finished)
	list(w, &d.comms, w.comm)
	list(w, &d.sites, w.site)
	list(w, &d.types, w.datatype)
	list(w, &d.buffers, func(b *buffer) { num(w, &b.typ); num(w, &b.count) })
	list(w, &d.steps, w.step)
	list(w, &d.channels, w.channel)
	var at int32
	list(w, &d.messages, func(m *message) { w.message(m, &at) })
	list(w, &d.shapes, w.shape)
	list(w, &d.entries, func(e *entry) { w.entry(e, &at) })
	list(w, &d.waits, func(x *waiting) {
		num(w, &x.step)
		w.flags(&x.any, &x.loop, &x.other)
		nums(w, &x.messages)
		nums(w, &x.entries)
	})
	w.window(&d.windows)
}

// delta writes or reads a number as its distance to another.
func delta[T integer](w *wire, v *T, from T) {
	n := *v - from
	num(w, &n)
	*v = from + n
}

func (w *wire) step(s *step) {
	f := s.fn()
	if w.function(&f); f != nil {
		s.function = functions()[f]
	}
	num(w, &s.site)
	num(w, &s.thread)
	w.flags(&s.muted, &s.returned)
}

func (w *wire) channel(c *channel) {
	w.flags(&c.send)
	num(w, &c.comm)
	num(w, &c.peer)
	num(w, &c.tag)
	num(w, &c.askedPeer)
	num(w, &c.askedTag)
}

func (w *wire) message(m *message, last *int32) {
	num(w, &m.kind)
	num(w, &m.mode)
	w.flags(&m.blocking, &m.cancelled)
	num(w, &m.channel)
	delta(w, &m.step, *last)
	delta(w, &m.made, m.step)
	delta(w, &m.done, m.step)
	num(w, &m.buffer)
	num(w, &m.bytes)
	num(w, &m.probe)
	*last = m.step
}

func (w *wire) shape(s *shape) {
	w.text(&s.name)
	w.text(&s.op)
	num(w, &s.flow)
	num(w, &s.root)
	nums(w, &s.give)
	nums(w, &s.take)
	nums(w, &s.settings)
	list(w, &s.names, w.text)
}

func (w *wire) entry(e *entry, last *int32) {
	delta(w, &e.step, *last)
	delta(w, &e.made, e.step)
	delta(w, &e.done, e.step)
	num(w, &e.comm)
	num(w, &e.number)
	num(w, &e.shape)
	*last = e.step
}

func (w *wire) window(v *windows) {
	list(w, &v.memory, func(r *region) {
		num(w, &r.comm)
		num(w, &r.base)
		num(w, &r.size)
		num(w, &r.unit)
		w.flags(&r.dynamic)
	})
	list(w, &v.accesses, func(a *access) {
		num(w, &a.kind)
		w.flags(&a.locked, &a.stray)
		num(w, &a.comm)
		num(w, &a.step)
		num(w, &a.done)
		num(w, &a.target)
		num(w, &a.disp)
		num(w, &a.buffer)
		w.text(&a.op)
	})
	for _, locks := range []*[]lock{&v.held, &v.waits} {
		list(w, locks, func(l *lock) {
			num(w, &l.step)
			num(w, &l.comm)
			num(w, &l.target)
		})
	}
}

// checker finds indices that point nowhere.
type checker struct{ err error }

func (c *checker) index(what string, at int32, least int32, n int) {
	if c.err == nil && (at < least || int(at) >= n) {
		c.err = fmt.Errorf("%s %d of %d", what, at, n)
	}
}

// check makes sure that all indices of a digest point to something.
func (d *Digest) check() error {
	c := &checker{}
	steps, comms, buffers := len(d.steps), len(d.comms), len(d.buffers)
	for _, b := range d.buffers {
		c.index("type", b.typ, 0, len(d.types))
	}
	for i := range d.steps {
		c.index("place", d.steps[i].site, 0, len(d.sites))
	}
	for i := range d.channels {
		c.index("communicator", d.channels[i].comm, 0, comms)
	}
	for i := range d.messages {
		m := &d.messages[i]
		c.index("channel", m.channel, 0, len(d.channels))
		c.index("call", m.step, 0, steps)
		c.index("call", m.made, 0, steps)
		c.index("call", m.done, -1, steps)
		c.index("buffer", m.buffer, -1, buffers)
		c.index("probe", m.probe, -1, len(d.messages))
	}
	for i := range d.shapes {
		d.shapes[i].check(c, buffers)
	}
	for i := range d.entries {
		e := &d.entries[i]
		c.index("call", e.step, 0, steps)
		c.index("call", e.made, 0, steps)
		c.index("call", e.done, -1, steps)
		c.index("communicator", e.comm, 0, comms)
		c.index("shape", e.shape, 0, len(d.shapes))
	}
	for i := range d.waits {
		d.waits[i].check(c, d)
	}
	d.windows.check(c, d)
	return c.err
}

func (s *shape) check(c *checker, buffers int) {
	for _, side := range [][]int32{s.give, s.take} {
		for _, b := range side {
			c.index("buffer", b, -1, buffers)
		}
	}
	v := s.settings
	for range s.names {
		if len(v) == 0 || v[0] < 0 || v[0] >= int64(len(v)) {
			c.index("setting", int32(len(v)), 0, 0)
			return
		}
		v = v[1+v[0]:]
	}
}

func (x *waiting) check(c *checker, d *Digest) {
	c.index("call", x.step, 0, len(d.steps))
	for _, m := range x.messages {
		c.index("message", m, 0, len(d.messages))
	}
	for _, e := range x.entries {
		c.index("collective", e, 0, len(d.entries))
	}
}

func (v *windows) check(c *checker, d *Digest) {
	for i := range v.memory {
		c.index("window", v.memory[i].comm, 0, len(d.comms))
	}
	for i := range v.accesses {
		a := &v.accesses[i]
		c.index("window", a.comm, 0, len(d.comms))
		c.index("call", a.step, 0, len(d.steps))
		c.index("call", a.done, -1, len(d.steps))
		c.index("buffer", a.buffer, 0, len(d.buffers))
	}
	for _, l := range append(append([]lock{}, v.held...), v.waits...) {
		c.index("window", l.comm, 0, len(d.comms))
		c.index("call", l.step, 0, len(d.steps))
	}
}
