package chain

// rareRereads: of the times that an operation is done, less than one in this
// many must read what its call site has read before, for that to be no habit.
const rareRereads = 10

// readings counts how often an operation read fresh bytes, and old ones.
type readings struct{ fresh, old uint64 }

func (r readings) rare() bool { return r.old > 0 && r.old*rareRereads < r.fresh+r.old }

func (r readings) plus(old bool, n uint64) readings {
	if old {
		r.old += n
	} else {
		r.fresh += n
	}
	return r
}

// breakRereads lets chains begin anew where an operation, against its habit,
// reads bytes a second time: what should have been written in between is
// missing, so these bytes did not come the way of the first time. The paper's
// table of active chains does so everywhere (§4.2), which tears apart what is
// sent from one buffer to many.
func (v *resolver) breakRereads() {
	copies, sends := v.habits()
	for i := range v.legs {
		l := &v.legs[i]
		if l.to >= 0 && l.reread && sends[v.sender(*l)].rare() {
			l.from, l.path = -1, 0
			continue
		}
		v.breakLeg(l, copies)
	}
}

// sender names a send by call site and buffer.
func (v *resolver) sender(l leg) [2]int32 { return [2]int32{v.sends[l.to].site, v.sends[l.to].alloc} }

// habits counts the readings of copies and of sends.
func (v *resolver) habits() (copies map[symbol]readings, sends map[[2]int32]readings) {
	copies, sends = map[symbol]readings{}, map[[2]int32]readings{}
	legs := make([]uint64, len(v.paths.all))
	for _, l := range v.legs {
		legs[l.path]++
		if l.to >= 0 {
			sends[v.sender(l)] = sends[v.sender(l)].plus(l.reread, 1)
		}
	}
	for path, n := range legs {
		for at := int32(path); n > 0 && at > 0; at = v.paths.all[at].parent {
			s := v.symbols.all[v.paths.all[at].symbol]
			copies[s.class()] = copies[s.class()].plus(s.reread, n)
		}
	}
	return copies, sends
}

// breakLeg cuts off what lies before the last operation that should not have
// read its bytes again.
func (v *resolver) breakLeg(l *leg, habits map[symbol]readings) {
	ops := v.operationsOf(l.path)
	for i := len(ops) - 1; i >= 0; i-- {
		s := v.symbols.all[ops[i]]
		if !s.reread || !habits[s.class()].rare() {
			continue
		}
		l.from, l.path = -1, 0
		for _, op := range ops[i:] {
			l.path = v.paths.extend(l.path, op, v.symbols.all)
		}
		return
	}
}
