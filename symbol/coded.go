package symbol

// CodedLines are the source lines that have code, of the units that were added.
// The zero value is empty.
type CodedLines struct {
	units map[*unit]bool
	lines map[string]map[int]bool
}

// Of returns the lines of a file; the caller must not change it.
func (l *CodedLines) Of(file string) map[int]bool { return l.lines[file] }

// Add adds the compilation unit around an address of a module. Without debug
// information there it adds nothing.
func (l *CodedLines) Add(c *Code, pc uint64) {
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	f := c.m.debug
	if f == nil {
		return
	}
	u, ok := f.byPC.find(pc)
	if !ok || l.units[u] {
		return
	}
	if l.units == nil {
		l.units, l.lines = map[*unit]bool{}, map[string]map[int]bool{}
	}
	l.units[u] = true
	c.m.note(guard(f.img.path, func() error {
		t, err := f.lines(u)
		if err == nil {
			l.add(t)
		}
		return err
	}))
}

func (l *CodedLines) add(t *lineTable) {
	for _, seq := range t.seqs.list {
		for i, r := range seq.item {
			if i+1 < len(seq.item) && seq.item[i+1].addr == r.addr {
				continue // a line that the compiler only mentions
			}
			name := t.file(int64(r.file))
			if l.lines[name] == nil {
				l.lines[name] = map[int]bool{}
			}
			l.lines[name][int(r.line)] = true
		}
	}
}
