package nodefile

import (
	"encoding/binary"
	"fmt"
	"sync"

	"laggard/model"
)

// stateCache keeps the states that slots of one load have recorded, by what the
// record says and the modules that its frames refer to: nearly every slot has
// the same ones, and to find one is cheaper than to make it. The zero value is
// ready to use, by several goroutines.
type stateCache struct {
	mu     sync.RWMutex
	tables map[string]uint32 // lists of modules, numbered
	states map[string]*model.State
}

// moduleListID returns the number of a list of modules. Addresses do not count.
func (c *stateCache) moduleListID(modules *table[*model.Module]) uint32 {
	var key []byte
	for i, index := range modules.recordedIndices() {
		m := modules.list[i]
		key = binary.LittleEndian.AppendUint32(key, index)
		key = binary.LittleEndian.AppendUint32(key, uint32(len(m.BuildID)))
		key = binary.LittleEndian.AppendUint32(key, uint32(len(m.Path)))
		key = append(append(key, m.BuildID...), m.Path...)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	n, known := c.tables[string(key)]
	if !known {
		if c.tables == nil {
			c.tables, c.states = map[string]uint32{}, map[string]*model.State{}
		}
		n = uint32(len(c.tables))
		c.tables[string(key)] = n
	}
	return n
}

// find returns the state of a key, nil if there is none yet.
func (c *stateCache) find(key []byte) *model.State {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.states[string(key)]
}

// add keeps a state, unless another goroutine was faster, and returns the one
// that is kept.
func (c *stateCache) add(key []byte, s *model.State) *model.State {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.states[string(key)]; first != nil {
		return first
	}
	c.states[string(key)] = s
	return s
}

// interner keeps one of everything that many ranks have alike.
type interner struct {
	modules map[model.Module]*model.Module
	states  map[model.StateID]*model.State
	groups  map[string][]int
	budget  int64 // members that may still be listed
	// Folded slots share their lists with the slot they are like: each list is
	// gone through once.
	lists map[**model.State]bool
	same  map[**model.Module]map[*model.Module]*model.Module
	cache stateCache
}

// newInterner returns an interner for a load from files of so many bytes. A
// communicator of a million consecutive ranks takes twelve bytes in a file, so
// the bytes are no bound for a single one, but they are for all different ones
// together: each rank has a first chunk of its own.
func newInterner(bytes int64) *interner {
	return &interner{
		modules: map[model.Module]*model.Module{}, states: map[model.StateID]*model.State{}, groups: map[string][]int{},
		budget: max(bytes, 1<<16), lists: map[**model.State]bool{}, same: map[**model.Module]map[*model.Module]*model.Module{},
	}
}

// internRank replaces the modules and states of a rank by those that others have too.
func (in *interner) internRank(r *model.Rank) {
	same := in.internModules(r)
	for _, t := range r.Threads {
		in.internStates(&t.Model, same)
		if t.Captured != nil {
			replaceModules(t.Captured.Stack, same)
		}
		if t.Raised != nil {
			replaceModules(t.Raised.Stack, same)
		}
		for _, b := range t.Buffers {
			replaceModules(b.Variable, same)
		}
	}
	for _, o := range r.Others {
		replaceModules(o.Stack, same)
	}
	for _, x := range r.Thrown {
		replaceModules(x.Stack, same)
	}
}

// clearLists lets go of the lists of slots that were read.
func (in *interner) clearLists() {
	clear(in.lists)
	clear(in.same)
}

// internModules replaces the modules of a rank and tells by which.
func (in *interner) internModules(r *model.Rank) map[*model.Module]*model.Module {
	if len(r.Modules) == 0 {
		return nil
	}
	if same := in.same[&r.Modules[0]]; same != nil {
		return same
	}
	same := map[*model.Module]*model.Module{}
	in.same[&r.Modules[0]] = same
	for i, m := range r.Modules {
		kept := in.modules[*m]
		if kept == nil {
			kept = m
			in.modules[*m] = m
		}
		same[m] = kept
		r.Modules[i] = kept
	}
	return same
}

func (in *interner) internStates(m *model.Model, same map[*model.Module]*model.Module) {
	if len(m.States) == 0 || in.lists[&m.States[0]] {
		return
	}
	in.lists[&m.States[0]] = true
	for i, s := range m.States {
		m.States[i] = in.internState(s, same)
	}
}

func (in *interner) internState(s *model.State, same map[*model.Module]*model.Module) *model.State {
	if kept := in.states[s.ID]; kept != nil {
		return kept
	}
	replaceModules(s.Stack, same)
	in.states[s.ID] = s
	return s
}

func replaceModules(stack []model.Frame, same map[*model.Module]*model.Module) {
	for i, f := range stack {
		if kept := same[f.Module]; kept != nil {
			stack[i].Module = kept
		}
	}
}

// memberList lists the world ranks of a group; nil ranges are an unknown group, an
// empty one has no list either.
func (in *interner) memberList(ranges []byte, size int) ([]int, error) {
	if len(ranges) == 0 && (ranges == nil || size == 0) {
		return nil, nil
	}
	if list := in.groups[string(ranges)]; len(list) > 0 && len(list) == size {
		return list, nil
	}
	if err := memberCount(ranges, size); err != nil || size == 0 {
		return nil, err
	}
	if size == 1 {
		return expandRanges(ranges, 1), nil // MPI_COMM_SELF of each rank
	}
	if int64(size) > in.budget {
		return nil, fmt.Errorf("%w: group of %d ranks, more than the size of the files allows", model.ErrCorrupt, size)
	}
	in.budget -= int64(size)
	list := expandRanges(ranges, size)
	in.groups[string(ranges)] = list
	return list, nil
}
