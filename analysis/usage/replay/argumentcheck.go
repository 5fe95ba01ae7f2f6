package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/typemap"
	"laggard/model"
	"laggard/model/mpi"
)

// wrongArgument is what is wrong with a parameter.
type wrongArgument struct {
	class    string // invalid_argument if ""
	message  string
	standard string // "" as the class says
	change   string
	other    int // another call that takes part, -1 none
	role     string
	early    string // what other freed too early, "" if that is not it
}

// arguments checks what the calls of the rank are given.
type arguments struct {
	*reporter
	layouts     *typemap.Layouts
	objects     *objects
	datatypes   *datatypes
	groups      *groups
	nullOutputs map[uint64]*recorded.Note // by Begin of the call
	refused     []args                    // calls in which MPI ended the job
}

func newArguments(r *reporter, l *typemap.Layouts, o *objects, d *datatypes, g *groups) *arguments {
	return &arguments{reporter: r, layouts: l, objects: o, datatypes: d, groups: g, nullOutputs: nullOutputs(r.t)}
}

// withChange sets what to change.
func (w *wrongArgument) withChange(change string) *wrongArgument {
	w.change = change
	return w
}

func invalidArgument(standard, format string, values ...any) *wrongArgument {
	return &wrongArgument{message: fmt.Sprintf(format, values...), standard: standard, other: -1}
}

// checkCall reports the first parameter of a call that is wrong.
func (s *arguments) checkCall(a args, buffers []buffer) {
	if a.c.Func.Class == mpi.ClassAbort {
		return
	}
	for i, p := range a.c.Func.Params {
		if i >= len(a.c.In) || a.c.In[i] == nil || a.isIgnored(p.Name) {
			continue
		}
		for k, v := range a.c.In[i] {
			if w := s.checkValue(a, i, v); w != nil {
				name := p.Name
				if strings.Contains(p.Type, "[") {
					name = fmt.Sprintf("%s[%d]", name, k)
				}
				s.reportArgument(a, name, w)
				return
			}
		}
	}
	for _, check := range []func(args) *wrongArgument{s.checkOp, checkConstructor, checkTopology, s.groups.checkRanks,
		checkWindow} {
		if w := check(a); w != nil {
			s.reportArgument(a, "", w)
			return
		}
	}
	if n := s.nullOutputs[a.c.Begin]; n != nil && n.NullParam(a.c) != "" {
		s.reportArgument(a, n.NullParam(a.c), invalidArgument("§2.3", "is null: MPI has no place for what it returns there").
			withChange("pass the address of a variable"))
		return
	}
	s.checkBuffers(a, buffers)
}

// nullOutputs are the notes about parameters that return something and were null.
func nullOutputs(t *recorded.Trace) map[uint64]*recorded.Note {
	out := map[uint64]*recorded.Note{}
	for i := range t.Notes {
		if n := &t.Notes[i]; n.Kind == recorded.NoPlace {
			out[n.Call] = n
		}
	}
	return out
}

// reportArgument reports what is wrong with parameter name, "" if that is several together.
func (s *arguments) reportArgument(a args, name string, w *wrongArgument) {
	class := cmp.Or(w.class, "invalid_argument")
	message := a.c.Func.Name + ": " + w.message
	if name != "" {
		message = fmt.Sprintf("%s of %s %s", name, a.c.Func.Name, w.message)
	}
	places := []finding.Place{s.Place(a.i, "call")}
	if w.other >= 0 {
		places = append(places, s.Place(w.other, w.role))
	}
	if w.early != "" { // that is the mistake, and comes first
		message = fmt.Sprintf("%s frees a %s too early: %s of %s names it afterwards",
			s.nameOf(w.other), w.early, name, a.c.Func.Name)
		places[0].Role = "use"
		slices.Reverse(places)
	}
	f := s.report(class, message, places...)
	if w.standard != "" {
		f.Standard = "MPI-3.1 " + w.standard
	}
	f.Change = cmp.Or(w.change, changeOf(name), f.Change)
	s.wrong[a.i] = true
}

// changeOf says what to pass for a parameter.
func changeOf(name string) string {
	name, _, _ = strings.Cut(name, "[")
	switch name {
	case "dest", "source", "target_rank", "rank":
		return "pass a rank from 0 to the size of the communicator minus one, or MPI_PROC_NULL for no peer"
	case "root", "local_leader", "remote_leader":
		return "pass a rank of the communicator, the same at all members"
	case "tag", "sendtag", "recvtag":
		return "use tags from 0 to MPI_TAG_UB, which MPI_Comm_get_attr returns"
	case "color":
		return "pass zero or more, or MPI_UNDEFINED to get no communicator"
	}
	return ""
}

// isIgnored reports whether MPI does not look at a parameter at this rank: those of a
// buffer that only the root has, or whose place MPI_IN_PLACE has taken; those of the
// origin where an access only fetches.
func (a args) isIgnored(name string) bool {
	buffer := ""
	switch {
	case strings.HasPrefix(name, "send") && name != "sendtag" && name != "sendbuf", name == "sdispls":
		buffer = "sendbuf"
	case strings.HasPrefix(name, "recv") && name != "recvtag" && name != "recvbuf", name == "rdispls":
		buffer = "recvbuf"
	case name == "displs" && a.c.Func.HasTrait(mpi.FromRoot):
		buffer = "sendbuf"
	case name == "displs":
		buffer = "recvbuf"
	case name == "origin_count" || name == "origin_datatype":
		return a.isNoOp()
	case name == "peer_comm" || name == "remote_leader":
		c := a.t.Comm(a.handle("local_comm"))
		return c == nil || int64(c.Rank) != a.intOr(-1, "local_leader")
	}
	if buffer == "" || !a.has(buffer) || a.c.Func.HasTrait(mpi.Local) {
		return false
	}
	address, _ := a.int(buffer)
	return address == recorded.InPlace || !a.isSignificant(buffer)
}

// checkValue checks one value of parameter i.
func (s *arguments) checkValue(a args, i int, v int64) *wrongArgument {
	p := a.c.Func.Params[i]
	if kind := handleKind(p.Type); kind != "" {
		return s.checkHandle(a, kind, p, v)
	}
	switch p.Name {
	case "dest", "source", "target_rank", "root", "rank", "local_leader", "remote_leader":
		return checkRank(a, p.Name, v)
	case "tag", "sendtag", "recvtag":
		return checkTag(a, p.Name, v)
	case "keyval", "comm_keyval", "type_keyval", "win_keyval":
		return s.checkKeyval(a, v)
	case "color":
		if v < 0 && v != undefined {
			return invalidArgument("§6.4.2", "is %d: it must not be negative, or MPI_UNDEFINED", v)
		}
	case "disp_unit":
		if v <= 0 {
			return invalidArgument("§11.2.1", "is %d: it must be positive", v).withChange("pass the bytes of an element, or 1")
		}
	case "target_disp", "size", "nnodes", "partitions", "outsize", "insize":
		return checkNonNegative(v)
	case "offset":
		if a.c.Func.OnFile() && a.c.Func.ParamIndex("whence") < 0 { // else it counts from somewhere
			return checkNonNegative(v)
		}
	}
	if counts[p.Name] && !strings.HasPrefix(a.c.Func.Name, "MPI_Status_") {
		return checkNonNegative(v)
	}
	return nil
}

// undefined is MPI_UNDEFINED, the same in all MPIs.
const undefined = -32766

func checkNonNegative(v int64) *wrongArgument {
	if v < 0 {
		return invalidArgument("", "is negative: %d", v).withChange("pass zero or more; look where the number is computed")
	}
	return nil
}

// counts are the parameters that count something.
var counts = map[string]bool{
	"count": true, "sendcount": true, "recvcount": true, "sendcounts": true, "recvcounts": true, "incount": true,
	"outcount": true, "origin_count": true, "target_count": true, "result_count": true, "blocklength": true,
	"array_of_blocklengths": true, "ndims": true, "maxprocs": true, "indegree": true, "outdegree": true,
	"degrees": true, "weights": true,
}

func checkRank(a args, name string, v int64) *wrongArgument {
	c := a.comm()
	if name == "remote_leader" {
		c = a.t.Comm(a.handle("peer_comm"))
	}
	if c == nil || name == "rank" && a.c.Func.Name == "MPI_Type_create_darray" {
		return nil
	}
	n, known := peerCount(c)
	if name == "rank" || name == "local_leader" {
		n, known = int64(max(c.Size, len(c.Members))), max(c.Size, len(c.Members)) > 0
	}
	switch {
	case v == model.ProcNull && name != "local_leader" && name != "remote_leader" &&
		(name != "root" || c.Kind == model.Inter):
		return nil
	case v == model.Any && name == "source" && a.c.Func.Name != "MPI_Precv_init":
		return nil
	case name == "root" && c.Kind == model.Inter && v < 0:
		return nil // MPI_ROOT
	case v == model.Any:
		return invalidArgument("§3.2.4", "is MPI_ANY_SOURCE: only a receive or a probe may have it")
	case v < 0:
		return invalidArgument("§3.2.3", "is not a rank: %s", rankText(v))
	case known && v >= n:
		return invalidArgument("§3.2.3", "is %d: the communicator has ranks 0 to %d", v, n-1)
	}
	return nil
}

// rankText prints a number, by name where it is a special one.
func rankText(v int64) string {
	switch v {
	case model.ProcNull:
		return "MPI_PROC_NULL"
	case model.Any:
		return "the wildcard"
	}
	return fmt.Sprint(v)
}

// leastTagUB is the least upper bound of tags that an MPI may have (MPI-3.1 §8.1.2).
const leastTagUB = 32767

func checkTag(a args, name string, v int64) *wrongArgument {
	receives := name == "recvtag"
	switch a.c.Func.Class {
	case mpi.ClassRecv, mpi.ClassIrecv, mpi.ClassProbe, mpi.ClassIprobe, mpi.ClassMprobe, mpi.ClassImprobe:
		receives = true
	case mpi.ClassRecvInit:
		receives = a.c.Func.Name != "MPI_Precv_init"
	}
	switch {
	case v == model.Any && receives:
		return nil
	case v == model.Any:
		return invalidArgument("§3.2.3", "is MPI_ANY_TAG: only a receive or a probe may have it")
	case v < 0:
		return invalidArgument("§3.2.3", "is %d: tags are 0 to MPI_TAG_UB", v)
	case v > leastTagUB && a.hasFailed():
		return invalidArgument("§3.2.3", "is %d, above MPI_TAG_UB", v)
	}
	return nil
}

// checkBuffers finds buffers that are null or that MPI_IN_PLACE cannot stand for.
func (s *arguments) checkBuffers(a args, buffers []buffer) {
	for _, b := range buffers {
		if low := b.Span().Lo; b.addr == 0 && low < firstPage {
			w := invalidArgument("§3.2.2", "is null and %d bytes of it are to be %s", b.totalBytes(),
				map[bool]string{true: "written", false: "read"}[b.writes])
			w.change = "pass the address of a buffer"
			s.reportArgument(a, b.name, w)
			return
		}
	}
	for _, n := range bufferNames {
		if v, ok := a.int(n.buffer); ok && v == recorded.InPlace && !a.allowsInPlace(n.buffer) {
			s.reportArgument(a, n.buffer, invalidArgument("§5.2.1", "is MPI_IN_PLACE, which it must not be here").
				withChange("pass a buffer, or MPI_IN_PLACE for the other one, at the ranks where this collective allows it"))
			return
		}
	}
	if a.c.Func.InClass(mpi.ClassNewwin) {
		if v, ok := a.int("base"); ok && (v == 0 || v == recorded.Bottom) && a.intOr(0, "size") > 0 {
			s.reportArgument(a, "base", invalidArgument("§11.2.1", "is null and size is %d", a.intOr(0, "size")).
				withChange("pass memory of that size, or size 0"))
		}
	}
}

// firstPage is never mapped: no buffer begins below it.
const firstPage = 4096

func (b *buffer) totalBytes() int64 {
	var sum int64
	for _, k := range b.blocks {
		sum += k.layout.Bytes
	}
	return sum
}

// allowsInPlace reports whether MPI_IN_PLACE may stand for a buffer (MPI-3.1 §5.2.1).
func (a args) allowsInPlace(name string) bool {
	c := a.comm()
	if c == nil {
		return true
	}
	if c.Kind == model.Inter {
		return !a.isSignificant(name)
	}
	root := int64(c.Rank) == a.intOr(0, "root")
	switch f := a.c.Func; {
	case !f.InClass(mpi.ClassColl, mpi.ClassIcoll, mpi.ClassCollInit), f.HasTrait(mpi.Neighbours), f.IsFormOf("MPI_Bcast"):
		return false
	case f.HasTrait(mpi.ToRoot):
		return name == "sendbuf" && root || name == "recvbuf" && !root
	case f.HasTrait(mpi.FromRoot):
		return name == "recvbuf" && root || name == "sendbuf" && !root
	}
	return name == "sendbuf"
}

// reportRefusals reports calls in which MPI ended the job with an error, where nothing else is known to be wrong with them.
// Only of calls whose own arguments decide: others end so, too, for what other ranks did.
func (s *arguments) reportRefusals() {
	for _, a := range s.refused {
		if s.wrong[a.i] || !dependsOnlyOnArgs(a.c.Func) {
			continue
		}
		f := s.report("invalid_argument",
			fmt.Sprintf("MPI reported an error in %s and ended the job", a.c.Func.Name), s.Place(a.i, "call"))
		f.Change = "see the error that MPI printed, and what the function requires of its arguments"
	}
}

// dependsOnlyOnArgs reports whether a function of MPI works at one rank by itself, with nothing but its arguments: not with files,
// ports, processes that failed, or functions of the program that may themselves report an error.
func dependsOnlyOnArgs(f *mpi.Function) bool {
	return !f.HasTrait(mpi.External) && f.InClass(mpi.ClassLocal, mpi.ClassNewtype, mpi.ClassTypeCommit, mpi.ClassTypeFree)
}
