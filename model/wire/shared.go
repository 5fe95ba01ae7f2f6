package wire

import "laggard/model"

// maxExpanded bounds the ranks that a few bytes can stand for.
const maxExpanded = 1 << 27

// table has values that occur often: each is written where it first occurs, and
// by its place from then on.
type table[K comparable, V any] struct {
	all []V
	at  map[K]int // place from 1
}

// codeShared codes a value of a table.
func codeShared[K comparable, V any](c *Coder, t *table[K, V], v *V, key func() K, one func(*V)) {
	at := 0
	if !c.reading {
		at = t.at[key()]
	}
	switch Uint(c, &at); {
	case at > len(t.all):
		c.Fail("value %d of %d", at, len(t.all))
		return
	case at > 0:
		if c.reading {
			*v = t.all[at-1]
		}
		return
	}
	one(v)
	t.all = append(t.all, *v)
	if !c.reading {
		if t.at == nil {
			t.at = map[K]int{}
		}
		t.at[key()] = len(t.all)
	}
}

// Text codes a text that is likely to occur again.
func (c *Coder) Text(s *string) {
	codeShared(c, &c.texts, s, func() string { return *s }, c.RawText)
}

// State codes the identity of a state.
func (c *Coder) State(id *model.StateID) {
	codeShared(c, &c.states, id, func() model.StateID { return *id }, func(id *model.StateID) { c.FixedBytes(id[:]) })
}

// moduleKey is what a module is known by in every process; zero: no module.
type moduleKey struct {
	is            bool
	buildID, path string
}

// Module codes a module, or nil. Where it was mapped does not travel: that
// differs from rank to rank.
func (c *Coder) Module(m **model.Module) {
	var key moduleKey
	if !c.reading && *m != nil {
		key = moduleKey{true, (*m).BuildID, (*m).Path}
	}
	codeShared(c, &c.modules, m, func() moduleKey { return key }, func(m **model.Module) {
		if c.Flags(&key.is); key.is {
			c.RawText(&key.buildID)
			c.RawText(&key.path)
		}
		if c.reading {
			*m = key.newModule()
		}
	})
}

func (k moduleKey) newModule() *model.Module {
	if !k.is {
		return nil
	}
	return &model.Module{BuildID: k.buildID, Path: k.path}
}

// Stack codes the frames of a stack.
func (c *Coder) Stack(frames *[]model.Frame) {
	List(c, frames, func(f *model.Frame, c *Coder) {
		c.Module(&f.Module)
		Uint(c, &f.Offset)
	})
}

// Set codes a set of ranks.
func (c *Coder) Set(s *model.RankSet) {
	text := ""
	if !c.reading {
		text = s.String()
	}
	if c.Text(&text); !c.reading {
		return
	}
	set, err := model.ParseRankSet(text)
	if err != nil {
		c.Fail("%v", err)
	}
	*s = set
}

// Group codes ranks in their order, nil or not as they are. What is read is
// shared: do not change it.
func (c *Coder) Group(ranks *[]int) {
	is := *ranks != nil
	if c.Flags(&is); !is {
		*ranks = nil
		return
	}
	var all []run
	if !c.reading {
		all = rankRuns(*ranks)
	}
	key := func() string {
		k := Coder{}
		k.codeRuns(&all)
		return string(k.b)
	}
	codeShared(c, &c.groups, ranks, key, func(ranks *[]int) {
		if c.codeRuns(&all); c.reading {
			*ranks = c.expandRuns(all)
		}
	})
}

// run is n ranks of equal distance.
type run struct{ first, stride, n int }

func rankRuns(ranks []int) []run {
	var out []run
	for len(ranks) > 0 {
		r := run{ranks[0], 0, 1}
		if len(ranks) > 1 {
			r.stride = ranks[1] - ranks[0]
			for r.n < len(ranks) && ranks[r.n]-ranks[r.n-1] == r.stride {
				r.n++
			}
		}
		out, ranks = append(out, r), ranks[r.n:]
	}
	return out
}

func (c *Coder) codeRuns(all *[]run) {
	List(c, all, func(r *run, c *Coder) {
		Int(c, &r.first)
		Int(c, &r.stride)
		Uint(c, &r.n)
	})
}

func (c *Coder) expandRuns(all []run) []int {
	out := []int{}
	for _, r := range all {
		if r.n < 1 || r.n > maxExpanded-c.expanded {
			c.Fail("a group is too large")
			return nil
		}
		c.expanded += r.n
		for i := range r.n {
			out = append(out, r.first+i*r.stride)
		}
	}
	return out
}
