package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/analysis/usage/recorded"
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

// to sets what to change.
func (w *wrongArgument) to(change string) *wrongArgument {
	w.change = change
	return w
}

func invalid(standard, format string, values ...any) *wrongArgument {
	return &wrongArgument{message: fmt.Sprintf(format, values...), standard: standard, other: -1}
}

// checkArguments reports the first parameter of a call that is wrong.
func (r *replay) checkArguments(a args, buffers []buffer) {
	if a.c.Func.Class == mpi.ClassAbort {
		return
	}
	for i, p := range a.c.Func.Params {
		if i >= len(a.c.In) || a.c.In[i] == nil || r.ignored(a, p.Name) {
			continue
		}
		for k, v := range a.c.In[i] {
			if w := r.checkValue(a, i, v); w != nil {
				name := p.Name
				if strings.Contains(p.Type, "[") {
					name = fmt.Sprintf("%s[%d]", name, k)
				}
				r.argument(a, name, w)
				return
			}
		}
	}
	for _, check := range []func(args) *wrongArgument{r.checkOp, r.checkConstructor, r.checkTopology, r.checkGroup,
		checkWindow} {
		if w := check(a); w != nil {
			r.argument(a, "", w)
			return
		}
	}
	if name := r.nowhere[a.i]; name != "" {
		r.argument(a, name, invalid("§2.3", "is null: MPI has no place for what it returns there").
			to("pass the address of a variable"))
		return
	}
	r.checkBuffers(a, buffers)
}

// nowhere names, by call, the parameters that return something and were null.
func nowhere(t *recorded.Trace) map[int]string {
	out := map[int]string{}
	for _, n := range t.Notes {
		if n.Kind == recorded.NoPlace {
			out[n.Call] = t.Calls[n.Call].Func.Params[n.Value].Name
		}
	}
	return out
}

func (r *replay) argument(a args, name string, w *wrongArgument) {
	class := w.class
	if class == "" {
		class = "invalid_argument"
	}
	message := a.c.Func.Name + ": " + w.message
	if name != "" {
		message = fmt.Sprintf("%s of %s %s", name, a.c.Func.Name, w.message)
	}
	places := []finding.Place{r.Place(a.i, "call")}
	if w.other >= 0 {
		places = append(places, r.Place(w.other, w.role))
	}
	if w.early != "" { // that is the mistake, and comes first
		message = fmt.Sprintf("%s frees a %s too early: %s of %s names it afterwards",
			r.t.Calls[w.other].Func.Name, w.early, name, a.c.Func.Name)
		places[0].Role = "use"
		slices.Reverse(places)
	}
	f := r.report(class, message, places...)
	if w.standard != "" {
		f.Standard = "MPI-3.1 " + w.standard
	}
	f.Change = cmp.Or(w.change, changeOf(name), f.Change)
	r.wrong[a.i] = true
}

// changeOf says what to pass for a parameter.
func changeOf(name string) string {
	name, _, _ = strings.Cut(name, "[")
	switch name {
	case "dest", "source", "target_rank", "rank":
		return "pass a rank from 0 to the size of the communicator less one, or MPI_PROC_NULL for no peer"
	case "root", "local_leader", "remote_leader":
		return "pass a rank of the communicator, the same at all members"
	case "tag", "sendtag", "recvtag":
		return "use tags from 0 to MPI_TAG_UB, which MPI_Comm_get_attr tells"
	case "color":
		return "pass zero or more, or MPI_UNDEFINED to get no communicator"
	}
	return ""
}

// ignored reports whether MPI does not look at a parameter at this rank: those of a
// buffer that only the root has, or whose place MPI_IN_PLACE has taken; those of the
// origin where an access only fetches.
func (r *replay) ignored(a args, name string) bool {
	buffer := ""
	switch {
	case strings.HasPrefix(name, "send") && name != "sendtag" && name != "sendbuf", name == "sdispls":
		buffer = "sendbuf"
	case strings.HasPrefix(name, "recv") && name != "recvtag" && name != "recvbuf", name == "rdispls":
		buffer = "recvbuf"
	case name == "displs" && a.shape.base == "Scatterv":
		buffer = "sendbuf"
	case name == "displs":
		buffer = "recvbuf"
	case name == "origin_count" || name == "origin_datatype":
		return r.noOp(a)
	case name == "peer_comm" || name == "remote_leader":
		c := r.t.Comm(a.handle("local_comm"))
		return c == nil || int64(c.Rank) != a.num(-1, "local_leader")
	}
	if buffer == "" || !a.has(buffer) || strings.HasPrefix(a.shape.base, "Reduce_scatter") {
		return false
	}
	address, _ := a.int(buffer)
	return address == recorded.InPlace || !r.significant(a, buffer)
}

// checkValue checks one value of parameter i.
func (r *replay) checkValue(a args, i int, v int64) *wrongArgument {
	p := a.c.Func.Params[i]
	if kind := handleKind(p.Type); kind != "" {
		return r.checkHandle(a, kind, p.Name, v)
	}
	switch p.Name {
	case "dest", "source", "target_rank", "root", "rank", "local_leader", "remote_leader":
		return r.checkRank(a, p.Name, v)
	case "tag", "sendtag", "recvtag":
		return checkTag(a, p.Name, v)
	case "keyval", "comm_keyval", "type_keyval", "win_keyval":
		return r.checkKeyval(a, v)
	case "color":
		if v < 0 && v != undefined {
			return invalid("§6.4.2", "is %d: it must not be negative, or MPI_UNDEFINED", v)
		}
	case "disp_unit":
		if v <= 0 {
			return invalid("§11.2.1", "is %d: it must be positive", v).to("pass the bytes of an element, or 1")
		}
	case "target_disp", "size", "nnodes", "partitions", "outsize", "insize":
		return negative(v)
	case "offset":
		if strings.HasPrefix(a.c.Func.Name, "MPI_File_") && !strings.Contains(a.c.Func.Name, "_seek") {
			return negative(v)
		}
	}
	if counts[p.Name] && !strings.HasPrefix(a.c.Func.Name, "MPI_Status_") {
		return negative(v)
	}
	return nil
}

// undefined is MPI_UNDEFINED, the same in all MPIs.
const undefined = -32766

func negative(v int64) *wrongArgument {
	if v < 0 {
		return invalid("", "is negative: %d", v).to("pass zero or more; look where the number is computed")
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

func (r *replay) checkRank(a args, name string, v int64) *wrongArgument {
	c := a.comm()
	if name == "remote_leader" {
		c = r.t.Comm(a.handle("peer_comm"))
	}
	if c == nil || name == "rank" && a.c.Func.Name == "MPI_Type_create_darray" {
		return nil
	}
	n, known := peers(c)
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
		return invalid("§3.2.4", "is MPI_ANY_SOURCE: only a receive or a probe may have it")
	case v < 0:
		return invalid("§3.2.3", "is no rank: %s", given(v))
	case known && v >= n:
		return invalid("§3.2.3", "is %d: the communicator has ranks 0 to %d", v, n-1)
	}
	return nil
}

// given prints a number, by name where it is a special one.
func given(v int64) string {
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
		return invalid("§3.2.3", "is MPI_ANY_TAG: only a receive or a probe may have it")
	case v < 0:
		return invalid("§3.2.3", "is %d: tags are 0 to MPI_TAG_UB", v)
	case v > leastTagUB && a.failed():
		return invalid("§3.2.3", "is %d, above MPI_TAG_UB", v)
	}
	return nil
}

// checkBuffers finds buffers that are null or that MPI_IN_PLACE cannot stand for.
func (r *replay) checkBuffers(a args, buffers []buffer) {
	for _, b := range buffers {
		if low := b.Span().Lo; b.addr == 0 && low < firstPage {
			w := invalid("§3.2.2", "is null and %d bytes of it are to be %s", b.bytes(),
				map[bool]string{true: "written", false: "read"}[b.writes])
			w.change = "pass the address of a buffer"
			r.argument(a, b.name, w)
			return
		}
	}
	for _, n := range bufferNames {
		if v, ok := a.int(n.buffer); ok && v == recorded.InPlace && !r.inPlace(a, n.buffer) {
			r.argument(a, n.buffer, invalid("§5.2.1", "is MPI_IN_PLACE, which it must not be here").
				to("pass a buffer, or MPI_IN_PLACE for the other one, at the ranks where this collective allows it"))
			return
		}
	}
	if strings.HasPrefix(a.c.Func.Name, "MPI_Win_create") {
		if v, ok := a.int("base"); ok && (v == 0 || v == recorded.Bottom) && a.num(0, "size") > 0 {
			r.argument(a, "base", invalid("§11.2.1", "is null and size is %d", a.num(0, "size")).
				to("pass memory of that size, or size 0"))
		}
	}
}

// firstPage is never mapped: no buffer begins below it.
const firstPage = 4096

func (b *buffer) bytes() int64 {
	var sum int64
	for _, k := range b.blocks {
		sum += k.layout.Bytes
	}
	return sum
}

// inPlace reports whether MPI_IN_PLACE may stand for a buffer (MPI-3.1 §5.2.1).
func (r *replay) inPlace(a args, name string) bool {
	c := a.comm()
	if c == nil {
		return true
	}
	if c.Kind == model.Inter {
		return !r.significant(a, name)
	}
	root := int64(c.Rank) == a.num(0, "root")
	switch a.shape.base {
	case "Gather", "Gatherv", "Reduce":
		return name == "sendbuf" && root || name == "recvbuf" && !root
	case "Scatter", "Scatterv":
		return name == "recvbuf" && root || name == "sendbuf" && !root
	case "Allgather", "Allgatherv", "Alltoall", "Alltoallv", "Alltoallw", "Allreduce", "Reduce_scatter",
		"Reduce_scatter_block", "Scan", "Exscan":
		return name == "sendbuf"
	}
	return false
}
