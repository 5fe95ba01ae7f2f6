package chain

// rareRereads: of the times that an operation is done, less than one in this
// many must read what its call site has read before, for that to be no habit.
const rareRereads = 10

// readings counts how often an operation read fresh bytes, and old ones.
type readings struct{ fresh, old uint64 }

func (r readings) isRare() bool { return r.old > 0 && r.old*rareRereads < r.fresh+r.old }

func (r readings) withReading(old bool, n uint64) readings {
	if old {
		r.old += n
	} else {
		r.fresh += n
	}
	return r
}

// habit is an operation together with the one that wrote what it reads; the zero
// symbol stands for a receive, and for memory that no known operation wrote. A header that
// is packed once and sent with every message is a habit of its own.
type habit struct{ writer, reader symbol }

// breakRereads lets chains begin anew where an operation, against its habit,
// reads bytes a second time: what should have been written in between is
// missing, so these bytes did not come the way of the first time. The paper's
// table of active chains does so everywhere (§4.2), which tears apart what is
// sent from one buffer to many.
func (v *resolver) breakRereads() {
	again, marked := v.findResends(), make([]bool, len(v.sends))
	habits := v.countReadings()
	for i := range v.legs {
		l := &v.legs[i]
		switch {
		case l.to >= 0 && (again[l.to] || v.wasted[l.to] && l.before != neverRead):
			v.detachLeg(int32(i), 0)
			v.superseded[i] = true
			v.priorSuperseded[i] = l.before != neverRead && marked[l.before]
			marked[l.to] = true
		case l.to >= 0 && v.isStaleSend(*l) && habits[v.sendHabit(*l)].isRare():
			v.detachLeg(int32(i), l.path)
		default:
			v.breakLeg(int32(i), habits)
		}
	}
}

// detachLeg lets a leg begin anew behind a path, of which the last operation was forgotten.
func (v *resolver) detachLeg(l, behind int32) {
	v.legs[l].from, v.legs[l].path = -1, 0
	if behind > 0 {
		v.lost[l] = v.paths.all[behind].symbol
	}
}

// sendHabit is the habit of the send at the end of a leg: its call site and buffer.
func (v *resolver) sendHabit(l leg) habit {
	s := v.sends[l.to]
	return habit{v.lastOperation(l.path), symbol{kind: Network, site: s.site, source: s.alloc}}
}

// lastOperation is the last operation of a path.
func (v *resolver) lastOperation(path int32) symbol {
	if path == 0 {
		return symbol{}
	}
	return v.symbols.all[v.paths.all[path].symbol].class()
}

// countReadings counts the readings of copies and of sends.
func (v *resolver) countReadings() map[habit]readings {
	out := map[habit]readings{}
	legs := make([]uint64, len(v.paths.all))
	for _, l := range v.legs {
		legs[l.path]++
		if l.to >= 0 {
			h := v.sendHabit(l)
			out[h] = out[h].withReading(v.isStaleSend(l), 1)
		}
	}
	for path, n := range legs {
		for at := int32(path); n > 0 && at > 0; at = v.paths.all[at].parent {
			s := v.symbols.all[v.paths.all[at].symbol]
			h := habit{v.lastOperation(v.paths.all[at].parent), s.class()}
			out[h] = out[h].withReading(s.reread, n)
		}
	}
	return out
}

// breakLeg cuts off what lies before the last operation that should not have
// read its bytes again.
func (v *resolver) breakLeg(l int32, habits map[habit]readings) {
	path := v.legs[l].path
	ops := v.operationsOf(path)
	for i := len(ops) - 1; i >= 0; i-- {
		s := v.symbols.all[ops[i]]
		path = v.paths.all[path].parent
		if !s.reread || !habits[habit{v.lastOperation(path), s.class()}].isRare() {
			continue
		}
		v.detachLeg(l, path)
		for _, op := range ops[i:] {
			v.legs[l].path = v.paths.extend(v.legs[l].path, op, v.symbols.all)
		}
		return
	}
}
