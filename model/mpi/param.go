package mpi

import (
	"slices"
	"strings"
)

// Kind says what the value of a parameter is.
type Kind uint8

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind?"
}

// AllKinds are all kinds there are.
func AllKinds() []Kind {
	out := make([]Kind, 0, len(kindNames))
	for k := Int; int(k) < len(kindNames); k++ {
		out = append(out, k)
	}
	return out
}

var kindNames = [...]string{"", "int", "count", "aint", "offset", "logical", "rank", "tag", "index", "comm", "win",
	"file", "datatype", "request", "message", "group", "op", "info", "errhandler", "session", "buffer", "pointer",
	"status", "string", "callback", "other", "lock_type", "amode", "assert", "order", "distribution"}

// The kinds of parameters. A handle, or a number that MPI writes, is passed by
// pointer: Param.Ref.
const (
	Int Kind = iota + 1
	Count
	Aint
	Offset
	Logical // int in C, LOGICAL in Fortran
	Rank    // in a communicator or window, or a constant such as MPI_ANY_SOURCE
	Tag
	Index // of an element of another parameter: from 0, in Fortran from 1
	Comm
	Win
	File
	Datatype
	Request
	Message
	Group
	Op
	Info
	Errhandler
	Session
	Buffer  // address of data
	Pointer // address where MPI puts an address
	Status
	String
	Callback
	Other // means nothing to an analysis: argc, extra state, weights
	// Constants, which a run directory has by the numbers of Open MPI. The numbers of
	// kinds are in run directories, too, so new ones come last.
	LockType     // one of the set Locks
	AccessMode   // a sum of the set AccessModes
	Assert       // a sum of the set Assertions
	ArrayOrder   // order_c or order_fortran
	Distribution // of one dimension of a distributed array
)

// isNumeric reports whether values of the kind are numbers or handles, which C passes by value.
func (k Kind) isNumeric() bool { return k < Buffer || k > Other }

// Direction says whether MPI reads or writes a parameter.
type Direction uint8

// The directions. Of a Buffer they are those of the data; its address is given.
const (
	In Direction = iota + 1
	Out
	InOut
)

// Length is how many values a parameter has.
type Length struct {
	Kind LengthKind
	By   int // the parameter that Kind refers to
	Only Condition
}

// LengthKind says where the number of values of an array comes from.
type LengthKind uint8

// The kinds of length.
const (
	One          LengthKind = iota // no array
	Unrecorded                     // an array that no analysis needs
	ByParam                        // parameter By
	Triples                        // three times parameter By
	SumOf                          // the sum of the values of By
	LastOf                         // the last value of By
	GroupSize                      // of the communicator; of an intercommunicator its remote group
	LocalSize                      // of the communicator, its local group
	Sources                        // neighbours that are received from
	Destinations                   // neighbours that are sent to
	Dims                           // dimensions of the Cartesian communicator
	Contents                       // datatypes that the datatype was made of
)

// Condition says when an array is read at all.
type Condition uint8

// The conditions.
const (
	Always        Condition = iota
	AtRoot                  // at the root
	UnlessInPlace           // unless the send buffer is MPI_IN_PLACE
)

// IsArray reports whether the parameter is an array.
func (p *Param) IsArray() bool { return p.Len.Kind != One }

// ParamIndex returns the position of the parameter of that name, -1 if there is none.
func (f *Function) ParamIndex(name string) int {
	return slices.IndexFunc(f.Params, func(p Param) bool { return p.Name == name })
}

// oldAddresses are functions of MPI-1 whose addresses are INTEGER in Fortran.
var oldAddresses = []string{"MPI_Type_hvector", "MPI_Type_hindexed", "MPI_Type_struct", "MPI_Type_extent",
	"MPI_Type_lb", "MPI_Type_ub"}

// IsRecorded reports whether a recording of calls has the value that parameter i has
// before the call, or after it. A communicator that is still being made when the
// call returns has no handle yet.
func (f *Function) IsRecorded(i int, after bool) bool {
	p := &f.Params[i]
	switch {
	case p.Kind == String, p.Kind == Callback, p.Kind == Other,
		p.Kind == Comm && p.Dir == Out && f.Class == ClassNewcommNb:
		return false
	case p.Kind == Buffer:
		return !after
	case after:
		return p.Dir != In
	}
	return p.Dir != Out
}

// describeParams gives the parameters of f their kinds, directions and lengths.
func (f *Function) describeParams() {
	for i := range f.Params {
		p := &f.Params[i]
		base := baseType(p.Type)
		p.Kind = f.paramKind(p, base)
		p.Ref = strings.ContainsAny(p.Type, "*[") && (p.Kind.isNumeric() || p.Kind == Status)
		p.Dir = f.paramDirection(p)
		p.FortranInt = p.Kind == Aint && slices.Contains(oldAddresses, f.Name)
	}
	for i := range f.Params { // lengths look at kinds
		f.Params[i].Len = f.arrayLength(&f.Params[i])
	}
}

// baseType is a C type without const, pointers and arrays.
func baseType(t string) string {
	t = strings.TrimPrefix(t, "const ")
	if i := strings.IndexAny(t, "*["); i >= 0 {
		t = t[:i]
	}
	return strings.TrimSpace(t)
}

var handles = map[string]Kind{
	"MPI_Comm": Comm, "MPI_Win": Win, "MPI_File": File, "MPI_Datatype": Datatype, "MPI_Request": Request,
	"MPI_Message": Message, "MPI_Group": Group, "MPI_Op": Op, "MPI_Info": Info, "MPI_Errhandler": Errhandler,
	"MPI_Session": Session, "MPI_Status": Status, "MPI_Count": Count, "MPI_Aint": Aint, "MPI_Offset": Offset,
}

var intNames = map[string]Kind{
	"dest": Rank, "source": Rank, "root": Rank, "rank": Rank, "target_rank": Rank, "rank_source": Rank,
	"rank_dest": Rank, "ranks1": Rank, "ranks2": Rank, "tag": Tag, "sendtag": Tag, "recvtag": Tag,
	"lock_type": LockType, "amode": AccessMode, "assert": Assert,
	"order": ArrayOrder, "array_of_distribs": Distribution,
	"array_of_indices": Index, "flag": Logical, "periods": Logical, "reorder": Logical, "remain_dims": Logical,
	"commute": Logical, "high": Logical, "weighted": Logical, "argc": Other, "weights": Other, "sourceweights": Other,
	"destweights": Other,
}

var voidNames = map[string]Kind{"baseptr": Pointer, "buffer_addr": Pointer, "attribute_val": Other,
	"extra_state": Other, "location": Other, "obj_handle": Other, "user_data": Other, "logical_true": Other,
	"logical_false": Other}

func (f *Function) paramKind(p *Param, base string) Kind {
	switch {
	case handles[base] != 0:
		return handles[base]
	case base == "int":
		return f.intKind(p)
	case base == "void":
		if k, ok := voidNames[p.Name]; ok {
			return k
		}
		return Buffer
	case base == "char" && strings.Count(p.Type, "*")+strings.Count(p.Type, "[") == 1:
		return String
	case strings.HasSuffix(base, "_function") || strings.HasSuffix(base, "_function_c"):
		return Callback
	}
	return Other
}

func (f *Function) intKind(p *Param) Kind {
	k, ok := intNames[p.Name]
	switch {
	case f.Name == "MPIX_Comm_agree":
		return Int // its flag is a number
	case ok:
		return k
	case p.Name == "indx" && f.Class.isOneOf(ClassWaitany, ClassTestany, ClassGetStatus):
		return Index
	}
	return Int
}

// takesHandle reports whether f reads the handle that p points to.
func (f *Function) takesHandle(p *Param) bool {
	return f.Class.isOneOf(ClassMrecv, ClassImrecv) && p.Kind == Message ||
		f.Class.CompletesRequests() || f.Class.isOneOf(ClassStart, ClassStartall, ClassRequestFree, ClassCancel, ClassCommFree,
		ClassWinFree, ClassFileFree, ClassSessionFinalize) ||
		f.Name == "MPI_Type_commit" || f.HasTrait(Frees)
}

// bothWays are numbers that MPI reads and writes.
var bothWays = []string{"position", "buflen", "pset_len"}

// givenArrays are arrays that MPI reads though old prototypes lack the const.
var givenArrays = []string{"array_of_blocklengths", "array_of_displacements", "array_of_types", "ranges",
	"array_of_partitions", "argv", "array_of_commands", "array_of_argv"}

func (f *Function) paramDirection(p *Param) Direction {
	switch {
	case p.Kind == Buffer:
		return f.bufferDirection(p)
	case p.Kind == Callback, p.Kind == Other, !p.Ref && p.Kind.isNumeric(), strings.HasPrefix(p.Type, "const "),
		slices.Contains(givenArrays, p.Name):
		return In
	case slices.Contains(bothWays, p.Name), p.Name == "dims" && f.Name == "MPI_Dims_create",
		f.Name == "MPIX_Comm_agree", strings.HasPrefix(f.Name, "MPI_Status_set"):
		return InOut
	case f.takesHandle(p) && (p.Kind >= Comm && p.Kind <= Session || strings.HasSuffix(p.Name, "keyval")):
		return InOut
	}
	return Out
}

func (f *Function) bufferDirection(p *Param) Direction {
	switch {
	case strings.HasPrefix(p.Type, "const "):
		return In
	case p.Name == "inoutbuf", p.Name == "buffer" && f.Class != ClassLight, p.Name == "base", f.IsFormOf("MPI_Sendrecv_replace"):
		return InOut // of an attached buffer or window, others may write it from now on
	}
	return Out
}
