package native

import (
	"laggard/slicing"
	"laggard/slicing/calls"
)

// communicated goes to the calls of other ranks that may have sent what the
// call received. The part of the message that is asked for is the same there.
func (r *run) communicated(it item, m calls.Model, e effect) {
	f := it.a.f
	buffer := f.arg(it.i, e.arg)
	for n, site := range r.criterion.Peers {
		if !calls.Delivers(site.Call, m.Name) {
			continue
		}
		a, i := r.peer(n)
		if a == nil || r.differ(it, m, a.f, i, site.Call) {
			continue
		}
		at := item{nodeKey: nodeKey{a, i}, kind: slicing.Communication, distance: it.distance + 1, from: it.from}
		r.push(at)
		r.sentData(r.near(at), site.Call, it.place, buffer)
	}
}

// peer finds a site of the criterion in the code.
func (r *run) peer(n int) (*activation, int) {
	site := r.criterion.Peers[n]
	if a, ok := r.sent[n]; ok {
		return a, r.sentAt[n]
	}
	levels, _ := r.levels(site.Stack, false, false)
	r.sent[n] = nil
	if len(levels) == 0 {
		return nil, 0
	}
	r.sent[n], r.sentAt[n] = r.chain(levels), levels[0].i
	return r.sent[n], r.sentAt[n]
}

// sentData asks for the data of a send.
func (r *run) sentData(it item, call string, want place, buffer value) {
	m, ok := calls.Lookup(call)
	if !ok {
		return
	}
	f := it.a.f
	for n := range f.modelArgs(m) {
		if _, data := m.Role(n).Reads(); !data {
			continue
		}
		x := f.arg(it.i, n)
		if x.base == noBase {
			r.argument(it, n)
			continue
		}
		p := f.values().span(x, 0)
		if want.exact() && !buffer.any && !x.any && want.base == buffer.base {
			p = f.values().span(value{base: x.base, off: x.off + want.lo - buffer.off}, want.hi-want.lo)
		}
		if x.any || x.base != stackBase && x.base != constBase {
			r.argument(it, n)
		}
		r.memory(it, p)
	}
}

// differ tells whether the tags of a receive and a send are constants that are
// not the same.
func (r *run) differ(it item, recv calls.Model, f *function, i int, call string) bool {
	send, _ := calls.Lookup(call)
	in, out := calls.Tag(recv.Name, false), calls.Tag(send.Name, true)
	if in < 0 || out < 0 || recv.ByReference || send.ByReference {
		return false
	}
	a, b := it.a.f.arg(it.i, in), f.arg(i, out)
	if a.base != constBase || b.base != constBase || a.any || b.any {
		return false
	}
	return int32(a.off) >= 0 && int32(a.off) != int32(b.off)
}
