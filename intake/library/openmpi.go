package library

import (
	"bytes"
	"slices"
	"strings"

	"laggard/model"
)

// ompi reads Open MPI: handles are addresses of objects, each of which says its class.
type ompi struct {
	*Process
	classes  map[uint64]*class
	header   int // offset of the class in an object
	group    groupOf
	groups   [2]int // offsets of the groups of a communicator
	contexts int    // offset of its number
	list     uint64 // of all communicators, by number
	listed   int
	procs    []uint64               // the members of MPI_COMM_WORLD as groups have them
	peer     int                    // offset of the rank of such a member in what it points to
	comms    map[uint64]*model.Comm // by address
	ready    bool

	predefined [2]uint64 // their addresses; in Fortran they are 0 and 1
}

// class is what Open MPI says of a kind of objects.
type class struct {
	name   string
	parent uint64
	size   int
}

// groupOf are the offsets in a group.
type groupOf struct{ size, procs int }

const (
	maxName    = 64 // of a class
	maxClass   = 1 << 13
	maxListed  = 1 << 20
	maxParents = 8
)

func openOpenMPI(p *Process) Library {
	o := &ompi{Process: p, classes: map[uint64]*class{}, comms: map[uint64]*model.Comm{}}
	world, ok := p.Variable("ompi_mpi_comm_world")
	self, also := p.Variable("ompi_mpi_comm_self")
	if !ok || !also || p.Rank < 0 || p.Rank >= p.Size {
		return unknown{}
	}
	o.predefined = [2]uint64{world, self}
	o.comms[world], o.comms[self] = p.worldComm(), p.selfComm()
	o.ready = o.findHeader(world) && o.findGroups(world, self) && o.findContext(world, self)
	return o
}

// classOf returns the class of an object, nil if it has none.
func (o *ompi) classOf(addr uint64) *class { return o.classAt(o.readWord(addr + uint64(o.header))) }

func (o *ompi) classAt(at uint64) *class {
	if c, ok := o.classes[at]; ok || at == 0 || at%8 != 0 {
		return c
	}
	var out *class
	// opal_class_t: name, parent, two functions, two ints, two tables, size.
	if w := o.readWords(at, 8); w != nil {
		name := o.readName(w[0])
		if size := int(w[7]); strings.HasSuffix(name, "_t") && size > 0 && size < maxClass {
			out = &class{name, w[1], size}
		}
	}
	o.classes[at] = out
	return out
}

// readName reads a name, "" if there is none.
func (o *ompi) readName(addr uint64) string {
	b := o.readBytes(addr, maxName)
	n := bytes.IndexByte(b, 0)
	if n <= 0 || slices.ContainsFunc(b[:n], func(c byte) bool { return c < '0' || c > 'z' }) {
		return ""
	}
	return string(b[:n])
}

// classDerivedFrom returns the class of an object that has this name, or is derived from one that has.
func (o *ompi) classDerivedFrom(addr uint64, name string) *class {
	c := o.classOf(addr)
	for range maxParents {
		if c == nil || c.name == name {
			return c
		}
		c = o.classAt(c.parent)
	}
	return nil
}

// findHeader finds where objects have their class.
func (o *ompi) findHeader(world uint64) bool {
	for _, o.header = range []int{0, 8} {
		if o.classDerivedFrom(world, "ompi_communicator_t") != nil {
			return true
		}
	}
	return false
}

// findGroups finds where communicators have their groups, and groups their members.
func (o *ompi) findGroups(world, self uint64) bool {
	size := o.classOf(world).size
	a, b := o.readBytes(world, size), o.readBytes(self, size)
	var offsets []int
	for off := 0; off+8 <= min(len(a), len(b)); off += 8 {
		if o.classDerivedFrom(wordAt(a, off), "ompi_group_t") != nil && o.classDerivedFrom(wordAt(b, off), "ompi_group_t") != nil {
			offsets = append(offsets, off)
		}
	}
	if len(offsets) < 2 {
		return false
	}
	o.groups = [2]int{offsets[0], offsets[1]} // of the own side, and of the other one
	return o.findMembers(wordAt(a, offsets[0]), wordAt(b, offsets[0]))
}

func (o *ompi) findMembers(world, self uint64) bool {
	size := o.classOf(world).size
	a, b := o.readBytes(world, size), o.readBytes(self, size)
	if a == nil || b == nil {
		return false
	}
	var sizes, lists []int
	for off := 0; off+8 <= size; off += 4 {
		if int32At(a, off) == o.Size && int32At(a, off+4) == o.Rank && int32At(b, off) == 1 && int32At(b, off+4) == 0 {
			sizes = append(sizes, off)
		}
	}
	for off := 0; off+8 <= size; off += 8 {
		all, one := o.readWords(wordAt(a, off), o.Size), o.readWord(wordAt(b, off))
		if all != nil && all[o.Rank] == one && o.classDerivedFrom(one, "opal_proc_t") != nil &&
			len(slices.Compact(slices.Sorted(slices.Values(all)))) == o.Size {
			lists = append(lists, off)
			o.procs = all
		}
	}
	if len(sizes) != 1 || len(lists) != 1 {
		return false
	}
	o.group = groupOf{sizes[0], lists[0]}
	o.peer = o.findPeer()
	return true
}

// findPeer finds where a member has its rank in MPI_COMM_WORLD, 0 if that cannot be told.
func (o *ompi) findPeer() int {
	var objects [][]byte
	var ranks []int
	for i, at := range o.procs {
		if c := o.classDerivedFrom(at, "opal_proc_t"); at%2 == 0 && c != nil {
			objects, ranks = append(objects, o.readBytes(at, c.size)), append(ranks, i)
		}
	}
	if len(objects) < 2 {
		return 0
	}
	for off := 8; off+4 <= len(objects[0]); off += 4 {
		right := true
		for i, b := range objects {
			right = right && int32At(b, off) == ranks[i]
		}
		if right {
			return off
		}
	}
	return 0
}

// findContext finds where communicators have their number: it is that in the list of all.
// Where the name is not in front of it, the number is not the same at all members.
func (o *ompi) findContext(world, self uint64) bool {
	a, b := o.readBytes(world, o.classOf(world).size), o.readBytes(self, o.classOf(self).size)
	name := bytes.Index(a, []byte("MPI_COMM_WORLD\x00"))
	if name < 0 || name != bytes.Index(b, []byte("MPI_COMM_SELF\x00")) {
		return false
	}
	off := name + maxName
	if int32At(a, off) != 0 || int32At(a, off+4) != o.Rank || int32At(b, off) != 1 || int32At(b, off+4) != 0 {
		return false
	}
	o.contexts = off
	all, ok := o.Variable("ompi_mpi_communicators")
	if !ok {
		return false
	}
	o.list, o.listed = o.findHandleTable(all, world, self)
	return o.list != 0
}

// findHandleTable reads a table of handles that begins with two objects: where it is, and how long.
func (o *ompi) findHandleTable(at, first, second uint64) (list uint64, n int) {
	b := o.readBytes(at, 160)
	for off := 40; off+8 <= len(b); off += 8 {
		// The size is the third of five ints, then come an address, and the list.
		size := int32At(b, off-24)
		w := o.readWords(wordAt(b, off), 2)
		if w != nil && w[0] == first && w[1] == second && size >= 2 && size < maxListed {
			return wordAt(b, off), size
		}
	}
	return 0, 0
}

// handleTable returns the table of handles of a name: where it is, and how long.
func (o *ompi) handleTable(name string) (list uint64, n int) {
	at, ok := o.Variable(name)
	if !ok {
		return 0, 0
	}
	b := o.readBytes(at, 160)
	for off := 40; off+8 <= len(b); off += 8 {
		size := int32At(b, off-24)
		if size > 0 && size < maxListed && o.classOf(o.readWord(wordAt(b, off))) != nil {
			return wordAt(b, off), size
		}
	}
	return 0, 0
}

// fortranHandle turns a handle of Fortran into an address.
func (o *ompi) fortranHandle(name string, handle uint64) uint64 {
	index := uint64(uint32(handle))
	if list, n := o.handleTable(name); index < uint64(n) {
		return o.readWord(list + 8*index)
	}
	return 0
}

func (o *ompi) ResolveComm(handle uint64, fortran bool) *model.Comm {
	switch {
	case fortran && uint32(handle) < 2:
		handle = o.predefined[uint32(handle)]
	case fortran:
		handle = o.fortranHandle("ompi_comm_f_to_c_table", handle)
	}
	if c, ok := o.comms[handle]; ok {
		return c
	}
	c := o.readComm(handle)
	o.comms[handle] = c
	return c
}

func (o *ompi) readComm(at uint64) *model.Comm {
	if !o.ready {
		return nil
	}
	c := o.classDerivedFrom(at, "ompi_communicator_t")
	if c == nil {
		return nil
	}
	b := o.readBytes(at, c.size)
	context := int32At(b, o.contexts)
	if context < 0 || context >= o.listed || o.readWord(o.list+8*uint64(context)) != at {
		return nil
	}
	mine, theirs := wordAt(b, o.groups[0]), wordAt(b, o.groups[1])
	local := o.groupMembers(mine)
	var remote []int
	if theirs != mine {
		if remote = o.groupMembers(theirs); remote == nil {
			return nil
		}
	}
	return o.Process.newComm(uint64(context), int32At(b, o.contexts+4), local, remote)
}

// groupMembers are the ranks of a group, nil if they are not known.
func (o *ompi) groupMembers(group uint64) []int {
	c := o.classDerivedFrom(group, "ompi_group_t")
	if c == nil {
		return nil
	}
	b := o.readBytes(group, c.size)
	n := int32At(b, o.group.size)
	if n < 1 || n > o.Size {
		return nil
	}
	procs := o.readWords(wordAt(b, o.group.procs), n)
	var out []int
	for _, at := range procs {
		rank := slices.Index(o.procs, at)
		if rank < 0 {
			rank = o.rankOf(at)
		}
		out = append(out, rank)
	}
	return out
}

// rankOf is the rank of a member that MPI_COMM_WORLD has in another form: groups point to
// members that they had to do with, and have names of the others. A name begins with a mark
// and the number of the job, which must be that of the own process.
func (o *ompi) rankOf(at uint64) int {
	if o.peer == 0 {
		return -1
	}
	if at%2 == 0 && o.classDerivedFrom(at, "opal_proc_t") != nil {
		return o.readInt(at + uint64(o.peer))
	}
	job := uint32(o.readInt(o.procs[o.Rank] + uint64(o.peer) - 4))
	if begin := job&0xffff0000 | job&0x7fff<<1 | 1; uint32(at) == begin {
		return int(at >> 32)
	}
	return -1
}

func (o *ompi) ResolveFile(handle uint64, fortran bool) *model.Comm {
	if fortran {
		handle = o.fortranHandle("ompi_file_f_to_c_table", handle)
	}
	c := o.classDerivedFrom(handle, "ompi_file_t")
	if c == nil || !o.ready {
		return nil
	}
	return commWithKind(o.firstComm(o.readBytes(handle, c.size)), model.File)
}

// firstComm is the communicator that an object points to first.
func (o *ompi) firstComm(b []byte) *model.Comm {
	for off := 0; off+8 <= len(b); off += 8 {
		if at := wordAt(b, off); at != 0 && o.classDerivedFrom(at, "ompi_communicator_t") != nil {
			return o.ResolveComm(at, false)
		}
	}
	return nil
}

func (o *ompi) ResolveRequest(handle uint64, fortran bool) (Request, bool) {
	if fortran {
		handle = o.fortranHandle("ompi_request_f_to_c_table", handle)
	}
	null, ok := o.Variable("ompi_request_null")
	c := o.classDerivedFrom(handle, "ompi_request_t")
	if !ok || c == nil || !o.ready {
		return Request{}, false
	}
	base := o.classAt(c.parent) // what a request is made of begins behind it
	if base == nil {
		return Request{}, false
	}
	state := func(at uint64) (complete uint64, state int) {
		// A type, a status of 24 bytes, a mark of completion, a state.
		return o.readWord(at + uint64(base.size) + 32), o.readInt(at + uint64(base.size) + 40)
	}
	const completed, inactive, active, cancelled = 1, 1, 2, 3
	if done, s := state(null); done != completed || s != inactive {
		return Request{}, false
	}
	out := Request{Peer: -1, Tag: model.None}
	switch done, s := state(handle); {
	case done == completed || s == inactive:
		out.Done = true
		return out, true
	case s != active && s != cancelled:
		return Request{}, false
	}
	o.fillRequest(&out, handle, c.size)
	return out, true
}

// fillRequest reads what a request that is not complete is for.
func (o *ompi) fillRequest(out *Request, handle uint64, request int) {
	whole := o.classOf(handle)
	base := o.classDerivedFrom(handle, "mca_pml_base_request_t")
	if base == nil {
		if strings.HasPrefix(whole.name, "ompi_coll") {
			if b := o.readBytes(handle, whole.size); b != nil {
				out.Kind, out.Comm = model.Collective, o.firstComm(b[request:])
			}
		}
		return
	}
	switch {
	case o.classDerivedFrom(handle, "mca_pml_base_send_request_t") != nil:
		out.Kind = model.Send
	case o.classDerivedFrom(handle, "mca_pml_base_recv_request_t") != nil:
		out.Kind = model.Recv
	default:
		return
	}
	b := o.readBytes(handle, base.size)
	if b == nil {
		return
	}
	comm := o.firstComm(b[request:])
	if comm == nil {
		return
	}
	// The last words are peer and tag, the member, and a number.
	end := base.size - 24
	peer, tag, proc := int32At(b, end), int32At(b, end+4), wordAt(b, end+8)
	const any = -1
	switch {
	case tag < any || tag == any && out.Kind != model.Recv:
		return
	case peer == any && proc == 0 && out.Kind == model.Recv:
		out.Peer = model.Any
	case proc != 0 && o.worldRank(proc) >= 0 && comm.WorldRank(peer) == o.worldRank(proc):
		out.Peer = peer
	default:
		return
	}
	out.Comm, out.Tag = comm, tag
	if tag == any {
		out.Tag = model.Any
	}
}

// worldRank is that of a member in MPI_COMM_WORLD, -1 if it is not known.
func (o *ompi) worldRank(proc uint64) int {
	if i := slices.Index(o.procs, proc); i >= 0 {
		return i
	}
	return o.rankOf(proc)
}
