package native

import (
	"laggard/slicing"
	"laggard/slicing/calls"
)

// followPeers goes to the calls of other ranks that may have sent what the
// call received. The part of the message that is asked for is the same there.
func (r *run) followPeers(it item, m calls.Model, e effect) {
	f := it.a.f
	buffer := f.effects().argValue(it.i, e.arg)
	for n, site := range r.criterion.Peers {
		if !calls.Delivers(site.Call, m.Name) {
			continue
		}
		a, i := r.locatePeer(n)
		if a == nil || r.tagsDiffer(it, m, a.f, i, site.Call) {
			continue
		}
		at := item{nodeKey: nodeKey{a, i}, kind: slicing.Communication, distance: it.distance + 1, from: it.from}
		r.push(at)
		r.askSentData(r.reporter().withLineDistance(at), site.Call, it.place, buffer)
	}
}

// locatePeer finds a site of the criterion in the code.
func (r *run) locatePeer(n int) (*activation, int) {
	site := r.criterion.Peers[n]
	if a, ok := r.peerActivations[n]; ok {
		return a, r.peerCalls[n]
	}
	levels, _ := r.locateFrames(site.Stack, false, false)
	r.peerActivations[n] = nil
	if len(levels) == 0 {
		return nil, 0
	}
	r.peerActivations[n], r.peerCalls[n] = r.chainActivations(levels), levels[0].i
	return r.peerActivations[n], r.peerCalls[n]
}

// askSentData asks for the data of a send.
func (r *run) askSentData(it item, call string, want place, buffer value) {
	m, ok := calls.Lookup(call)
	if !ok {
		return
	}
	f := it.a.f
	for n := range f.effects().modelArgs(m) {
		if _, data := m.Role(n).Reads(); !data {
			continue
		}
		x := f.effects().argValue(it.i, n)
		if x.base == noBase {
			r.visitor().askArgument(it, n)
			continue
		}
		p := f.valueFlow().placeAt(x, 0)
		if want.isExact() && !buffer.any && !x.any && want.base == buffer.base {
			p = f.valueFlow().placeAt(value{base: x.base, off: x.off + want.lo - buffer.off}, want.hi-want.lo)
		}
		if x.any || x.base != stackBase && x.base != constBase {
			r.visitor().askArgument(it, n)
		}
		r.visitor().askMemory(it, p)
	}
}

// tagsDiffer reports whether the tags of a receive and a send are constants that are
// not the same.
func (r *run) tagsDiffer(it item, recv calls.Model, f *function, i int, call string) bool {
	send, _ := calls.Lookup(call)
	in, out := calls.TagIndex(recv.Name, false), calls.TagIndex(send.Name, true)
	if in < 0 || out < 0 || recv.ByReference || send.ByReference {
		return false
	}
	a, b := it.a.f.effects().argValue(it.i, in), f.effects().argValue(i, out)
	if a.base != constBase || b.base != constBase || a.any || b.any {
		return false
	}
	return int32(a.off) >= 0 && int32(a.off) != int32(b.off)
}
