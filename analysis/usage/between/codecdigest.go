package between

import (
	"fmt"

	"laggard/model/wire"
)

// code writes or reads a digest.
func (d *Digest) code(c *wire.Coder) {
	wire.Int(c, &d.Rank)
	wire.Int(c, &d.Size)
	wire.Int(c, &d.phase)
	wire.Int(c, &d.end)
	wire.Int(c, &d.threads)
	c.Flags(&d.complete, &d.finished)
	wire.List(c, &d.comms, codeComm)
	wire.List(c, &d.sites, codeSite)
	wire.List(c, &d.types, codeDatatype)
	wire.List(c, &d.buffers, func(b *buffer, c *wire.Coder) { wire.Int(c, &b.typ); wire.Int(c, &b.count) })
	wire.List(c, &d.kinds, (*step).code)
	wire.Ints(c, &d.steps)
	wire.Ints(c, &d.ends)
	wire.List(c, &d.channels, (*channel).code)
	var at int32
	known := forms{}
	wire.List(c, &d.messages, func(m *message, c *wire.Coder) { m.code(c, &at, known) })
	wire.List(c, &d.shapes, (*shape).code)
	wire.List(c, &d.entries, func(e *entry, c *wire.Coder) { e.code(c, &at) })
	wire.List(c, &d.waits, func(x *waiting, c *wire.Coder) {
		wire.Int(c, &x.step)
		c.Flags(&x.any, &x.loop, &x.other)
		wire.Ints(c, &x.messages)
		wire.Ints(c, &x.entries)
	})
	d.windows.code(c)
}

func (s *step) code(c *wire.Coder) {
	f := s.fn()
	if codeFunction(c, &f); c.IsReading() {
		s.function = functions()[f]
	}
	wire.Int(c, &s.site)
	wire.Int(c, &s.thread)
	c.Flags(&s.muted, &s.returned)
}

func (ch *channel) code(c *wire.Coder) {
	c.Flags(&ch.send)
	wire.Int(c, &ch.comm)
	wire.Int(c, &ch.peer)
	wire.Int(c, &ch.tag)
	wire.Int(c, &ch.askedPeer)
	wire.Int(c, &ch.askedTag)
	wire.Int(c, &ch.pair)
}

// code writes or reads a message behind one of step last; what is read shares its form with those that are known.
func (m *message) code(c *wire.Coder, last *int32, known forms) {
	var f form
	if !c.IsReading() {
		f = *m.form
	}
	wire.Int(c, &f.kind)
	wire.Int(c, &f.mode)
	c.Flags(&f.blocking, &f.cancelled, &f.withdrawn)
	wire.Int(c, &f.channel)
	wire.Int(c, &f.buffer)
	wire.Int(c, &f.request)
	wire.Int(c, &f.bytes)
	wire.Int(c, &f.probe)
	wire.Delta(c, &m.step, *last)
	wire.Delta(c, &m.done, m.step)
	if c.IsReading() {
		m.form = known.share(f)
	}
	*last = m.step
}

func (s *shape) code(c *wire.Coder) {
	c.Text(&s.name)
	c.Text(&s.op)
	wire.Int(c, &s.flow)
	wire.Int(c, &s.root)
	wire.Ints(c, &s.give)
	wire.Ints(c, &s.take)
	wire.Ints(c, &s.settings)
	wire.List(c, &s.names, func(n *string, c *wire.Coder) { c.Text(n) })
}

func (e *entry) code(c *wire.Coder, last *int32) {
	wire.Delta(c, &e.step, *last)
	wire.Delta(c, &e.made, e.step)
	wire.Delta(c, &e.done, e.step)
	wire.Int(c, &e.comm)
	wire.Int(c, &e.number)
	wire.Int(c, &e.shape)
	c.Flags(&e.refused)
	*last = e.step
}

func (v *windows) code(c *wire.Coder) {
	wire.List(c, &v.memory, func(r *region, c *wire.Coder) {
		wire.Int(c, &r.comm)
		wire.Int(c, &r.step)
		wire.Int(c, &r.freed)
		wire.Int(c, &r.base)
		wire.Int(c, &r.size)
		wire.Int(c, &r.unit)
		c.Flags(&r.dynamic)
	})
	wire.List(c, &v.accesses, func(a *access, c *wire.Coder) {
		wire.Int(c, &a.kind)
		wire.Int(c, &a.fence)
		c.Flags(&a.locked, &a.stray)
		wire.Int(c, &a.comm)
		wire.Int(c, &a.step)
		wire.Int(c, &a.done)
		wire.Int(c, &a.target)
		wire.Int(c, &a.disp)
		wire.Int(c, &a.buffer)
		c.Text(&a.op)
	})
	wire.List(c, &v.noPutFences, func(f *fence, c *wire.Coder) {
		wire.Int(c, &f.step)
		wire.Int(c, &f.comm)
		wire.Int(c, &f.number)
	})
	wire.List(c, &v.fencedLocks, func(a *fencedLock, c *wire.Coder) {
		a.lock.code(c)
		wire.Int(c, &a.fence)
	})
	wire.List(c, &v.mutexes, func(a *mutex, c *wire.Coder) {
		a.lock.code(c)
		wire.Int(c, &a.last)
	})
	wire.List(c, &v.held, (*lock).code)
	wire.List(c, &v.waits, (*lock).code)
}

func (l *lock) code(c *wire.Coder) {
	wire.Int(c, &l.step)
	wire.Int(c, &l.comm)
	wire.Int(c, &l.target)
}

// checker finds indices that point nowhere.
type checker struct{ err error }

func (c *checker) checkIndex(what string, at int32, least int32, n int) {
	if c.err == nil && (at < least || int(at) >= n) {
		c.err = fmt.Errorf("%s %d of %d", what, at, n)
	}
}

// checkIndices makes sure that all indices of a digest point to something.
func (d *Digest) checkIndices() error {
	c := &checker{}
	steps, comms, buffers := len(d.steps), len(d.comms), len(d.buffers)
	for _, b := range d.buffers {
		c.checkIndex("type", b.typ, 0, len(d.types))
	}
	for i := range d.kinds {
		c.checkIndex("place", d.kinds[i].site, 0, len(d.sites))
	}
	for _, kind := range d.steps {
		c.checkIndex("kind of call", kind, 0, len(d.kinds))
	}
	if len(d.ends) > 0 {
		c.checkIndex("return", int32(len(d.ends)), int32(steps), steps+1)
	}
	for i := range d.channels {
		c.checkIndex("communicator", d.channels[i].comm, 0, comms)
	}
	for i := range d.messages {
		m := &d.messages[i]
		c.checkIndex("channel", m.channel, 0, len(d.channels))
		c.checkIndex("call", m.step, 0, steps)
		c.checkIndex("call", m.request, -1, steps)
		c.checkIndex("call", m.done, -1, steps)
		c.checkIndex("buffer", m.buffer, -1, buffers)
		c.checkIndex("probe", m.probe, -1, len(d.messages))
	}
	for i := range d.shapes {
		d.shapes[i].checkIndices(c, buffers)
	}
	for i := range d.entries {
		e := &d.entries[i]
		c.checkIndex("call", e.step, 0, steps)
		c.checkIndex("call", e.made, 0, steps)
		c.checkIndex("call", e.done, -1, steps)
		c.checkIndex("communicator", e.comm, 0, comms)
		c.checkIndex("shape", e.shape, 0, len(d.shapes))
	}
	for i := range d.waits {
		d.waits[i].checkIndices(c, d)
	}
	d.windows.checkIndices(c, d)
	return c.err
}

func (s *shape) checkIndices(c *checker, buffers int) {
	for _, side := range [][]int32{s.give, s.take} {
		for _, b := range side {
			c.checkIndex("buffer", b, -1, buffers)
		}
	}
	v := s.settings
	for range s.names {
		if len(v) == 0 || v[0] < 0 || v[0] >= int64(len(v)) {
			c.checkIndex("setting", int32(len(v)), 0, 0)
			return
		}
		v = v[1+v[0]:]
	}
}

func (x *waiting) checkIndices(c *checker, d *Digest) {
	c.checkIndex("call", x.step, 0, len(d.steps))
	for _, m := range x.messages {
		c.checkIndex("message", m, 0, len(d.messages))
	}
	for _, e := range x.entries {
		c.checkIndex("collective", e, 0, len(d.entries))
	}
}

func (v *windows) checkIndices(c *checker, d *Digest) {
	for i := range v.memory {
		c.checkIndex("window", v.memory[i].comm, 0, len(d.comms))
		c.checkIndex("call", v.memory[i].step, 0, len(d.steps))
		c.checkIndex("call", v.memory[i].freed, -1, len(d.steps))
	}
	for i := range v.accesses {
		a := &v.accesses[i]
		c.checkIndex("window", a.comm, 0, len(d.comms))
		c.checkIndex("call", a.step, 0, len(d.steps))
		c.checkIndex("call", a.done, -1, len(d.steps))
		c.checkIndex("buffer", a.buffer, 0, len(d.buffers))
	}
	for _, f := range v.noPutFences {
		c.checkIndex("window", f.comm, 0, len(d.comms))
		c.checkIndex("call", f.step, 0, len(d.steps))
	}
	locks := append(append([]lock{}, v.held...), v.waits...)
	for _, a := range v.fencedLocks {
		locks = append(locks, a.lock)
	}
	for _, a := range v.mutexes {
		locks = append(locks, a.lock)
		c.checkIndex("call", a.last, 0, len(d.steps))
	}
	for _, l := range locks {
		c.checkIndex("window", l.comm, 0, len(d.comms))
		c.checkIndex("call", l.step, 0, len(d.steps))
	}
}
