package between

import (
	"encoding/binary"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// shape is what a rank brings to a collective, as far as the others must fit.
type shape struct {
	name string // of the function, without the suffix _c
	flow flow
	// root as given, model.None without one. In the root's group of an
	// intercommunicator it is model.ProcNull, or another negative number at the
	// root.
	root int
	op   string // "" without one
	// give are the buffers for the members, take those expected of them, indices
	// into Digest.buffers: one for all, or one for each. Nil: none, or not known.
	give, take []int32
	// settings are other arguments that all must agree in; names are theirs.
	settings []int64
	names    []string
}

// flow says which buffers of a collective must fit which (MPI-3.1 §5).
type flow uint8

const (
	noFlow     flow = iota
	sameFlow        // all give the same
	gatherFlow      // the root takes what each gives
	scatterFlow
	eachFlow      // each takes what each gives
	neighbourFlow // likewise along the edges of the topology
)

// flowOf returns the flow of a collective.
func flowOf(f *mpi.Function) flow {
	switch {
	case !f.HasTrait(mpi.Sends):
		return noFlow
	case f.HasTrait(mpi.Neighbours):
		return neighbourFlow
	case f.HasTrait(mpi.Same), f.IsFormOf("MPI_Bcast"):
		return sameFlow
	case f.HasTrait(mpi.ToRoot):
		return gatherFlow
	case f.HasTrait(mpi.FromRoot):
		return scatterFlow
	}
	return eachFlow
}

// shapeIndex returns the index of what a call brings to a collective on a communicator.
func (d *Digester) shapeIndex(c *recorded.Call, comm *model.Comm) int32 {
	s := shape{name: c.Func.Narrow.Name, flow: flowOf(c.Func), root: model.None}
	if root, ok := c.InputInt("root"); ok {
		s.root = int(root)
	}
	if op, ok := c.InputInt("op"); ok {
		s.op = opName(d.trace, op)
	}
	for _, name := range c.Func.Alike {
		if v := inputValues(c, name); v != nil {
			s.names = append(s.names, name)
			s.settings = append(append(s.settings, int64(len(v))), v...)
		}
	}
	if c.Func.Class == mpi.ClassWinColl {
		said, _ := c.InputInt("assert")
		s.addAsserts(said)
	}
	d.addBuffers(&s, c, comm)
	return d.internShape(s)
}

// addAsserts adds what MPI_Win_fence asserts, where that must be the same at all ranks (§11.5.5).
func (s *shape) addAsserts(said int64) {
	for _, m := range []struct {
		bit  int64
		name string
	}{{mpi.ModeNoprecede, "MPI_MODE_NOPRECEDE"}, {mpi.ModeNosucceed, "MPI_MODE_NOSUCCEED"}} {
		given := int64(0)
		if said&m.bit != 0 {
			given = 1
		}
		s.names = append(s.names, m.name)
		s.settings = append(s.settings, 1, given)
	}
}

// opName names an operation of a reduction; those of users have handles that say
// nothing to other ranks.
func opName(t *recorded.Trace, op int64) string {
	if name := t.Names["MPI_Op"][op]; name != "" {
		return name
	}
	return "a user-defined operation"
}

// inputValues returns parameter name as it was before the call, nil if it was not
// recorded.
func inputValues(c *recorded.Call, name string) recorded.Value {
	for i, p := range c.Func.Params {
		if p.Name == name && i < len(c.In) {
			return c.In[i]
		}
	}
	return nil
}

// isRoot reports whether the own rank is the root; of an intercommunicator, in the
// group of the root.
func isRoot(s *shape, comm *model.Comm) bool {
	if comm.Kind == model.Inter {
		return s.root < 0 && s.root != model.ProcNull && s.root != model.None
	}
	return s.root == comm.Rank
}

func (d *Digester) addBuffers(s *shape, c *recorded.Call, comm *model.Comm) {
	atRoot := isRoot(s, comm)
	aside := comm.Kind == model.Inter && s.root == model.ProcNull
	switch {
	case aside:
	case s.flow == sameFlow:
		s.give = d.paramBuffers(c, "count", "datatype")
		if s.give == nil {
			s.give = d.reduceScatterBuffers(c, comm)
		}
	case s.flow == gatherFlow:
		if !inPlace(c, "sendbuf") && !(comm.Kind == model.Inter && atRoot) {
			s.give = d.paramBuffers(c, "sendcount", "sendtype")
		}
		if atRoot {
			s.take = d.sideBuffers(c, "recv")
		}
	case s.flow == scatterFlow:
		if !inPlace(c, "recvbuf") && !(comm.Kind == model.Inter && atRoot) {
			s.take = d.paramBuffers(c, "recvcount", "recvtype")
		}
		if atRoot {
			s.give = d.sideBuffers(c, "send")
		}
	case s.flow != noFlow:
		if s.take = d.sideBuffers(c, "recv"); !inPlace(c, "sendbuf") {
			s.give = d.sideBuffers(c, "send")
		} else if c.Func.HasTrait(mpi.SendsBlocks | mpi.SendsSum | mpi.SendsEach) {
			s.give = s.take
		} else if comm.Rank >= 0 && len(s.take) > 0 {
			s.give = s.take[min(comm.Rank, len(s.take)-1):][:1]
		}
	}
}

// reduceScatterBuffers returns what a member of MPI_Reduce_scatter and its like reduces. In an intercommunicator each group
// scatters the whole in its own way, and only the whole must be the same (§5.10).
func (d *Digester) reduceScatterBuffers(c *recorded.Call, comm *model.Comm) []int32 {
	counts, each := inputValues(c, "recvcounts"), inputValues(c, "recvcount")
	types := inputValues(c, "datatype")
	switch {
	case comm.Kind != model.Inter && len(counts) > 0:
		return d.paramBuffers(c, "recvcounts", "datatype")
	case comm.Kind != model.Inter:
		return d.paramBuffers(c, "recvcount", "datatype")
	case len(types) == 0:
		return nil
	}
	var whole int64
	for _, n := range counts {
		whole += n
	}
	if len(each) > 0 {
		whole = each[0] * int64(max(comm.Size, len(comm.Members)))
	}
	if b := d.bufferIndex(int(types[0]), whole); b >= 0 {
		return []int32{b}
	}
	return nil
}

func inPlace(c *recorded.Call, name string) bool {
	v, ok := c.InputInt(name)
	return ok && v == recorded.InPlace
}

// sideBuffers returns the buffers of the side "send" or "recv", whichever way the
// function gives them.
func (d *Digester) sideBuffers(c *recorded.Call, side string) []int32 {
	for _, count := range []string{side + "count", side + "counts"} {
		for _, typ := range []string{side + "type", side + "types"} {
			if b := d.paramBuffers(c, count, typ); b != nil {
				return b
			}
		}
	}
	return nil
}

// paramBuffers returns the buffers of one parameter for counts and one for types.
func (d *Digester) paramBuffers(c *recorded.Call, count, typ string) []int32 {
	counts, types := inputValues(c, count), inputValues(c, typ)
	if len(counts) == 0 || len(types) == 0 {
		return nil
	}
	out := make([]int32, len(counts))
	for i, n := range counts {
		t := types[min(i, len(types)-1)]
		if out[i] = d.bufferIndex(int(t), n); out[i] < 0 && n != 0 {
			return nil
		}
	}
	return out
}

func (d *Digester) internShape(s shape) int32 {
	key := string(s.key(func(b int32) []byte { return binary.AppendVarint(nil, int64(b)) }))
	return numberOf(d.shapeOf, key, func() { d.shapes = append(d.shapes, s) })
}

// key is the same for shapes that are the same; buffer names a buffer.
func (s *shape) key(buffer func(int32) []byte) []byte {
	key := append([]byte(s.name), 0)
	key = binary.AppendVarint(key, int64(s.root))
	key = append(append(key, s.op...), 0)
	for _, side := range [][]int32{s.give, s.take} {
		key = binary.AppendVarint(key, int64(len(side)))
		for _, b := range side {
			key = append(key, buffer(b)...)
		}
	}
	for _, v := range s.settings {
		key = binary.AppendVarint(key, v)
	}
	return key
}
