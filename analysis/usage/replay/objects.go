package replay

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// objects follows those that the rank made and has to free.
type objects struct {
	*reporter
	// living are the calls that made each: MPI may hand out the same handle again, and
	// counts how often it must be freed.
	living map[objectKey][]int
	freed  map[objectKey]int // the call that freed the last one of that handle
}

// objectKey names an object: the C type of its handle, and its value.
type objectKey struct {
	kind  string
	value int64
}

// kinds are those of the objects that are followed.
var kinds = []struct {
	handle, word, free, section string
}{
	{"MPI_Comm", "communicator", "MPI_Comm_free", "§6.4.3"},
	{"MPI_Group", "group", "MPI_Group_free", "§6.3.3"},
	{"MPI_Datatype", "datatype", "MPI_Type_free", "§4.1.9"},
	{"MPI_Win", "window", "MPI_Win_free", "§11.2.5"},
	{"MPI_File", "file", "MPI_File_close", "§13.2.2"},
	{"MPI_Op", "reduction operation", "MPI_Op_free", "§5.9.5"},
	{"MPI_Info", "info object", "MPI_Info_free", "§9"},
	{"MPI_Errhandler", "error handler", "MPI_Errhandler_free", "§8.3.4"},
	{"keyval", "attribute key", "MPI_Comm_free_keyval", "§6.7.2"},
}

func newObjects(r *reporter) *objects {
	return &objects{reporter: r, living: map[objectKey][]int{}, freed: map[objectKey]int{}}
}

// isAlive reports whether the rank made an object that it has not freed.
func (o *objects) isAlive(kind string, handle int64) bool {
	return o.living[objectKey{kind, handle}] != nil
}

// madeOnce reports whether an object lives that MPI handed out once.
func (o *objects) madeOnce(kind string, handle int64) bool {
	return len(o.living[objectKey{kind, handle}]) == 1
}

// endCall follows the return of a call that makes or frees objects.
func (o *objects) endCall(a args) {
	switch {
	case !a.succeeded():
	case a.c.Func.HasTrait(mpi.Frees):
		o.trackFree(a)
	default:
		for kind, handle := range returnedObjects(a) {
			o.trackNew(kind, handle, a.i)
		}
	}
}

// kindOf returns the kind of object that a parameter of the C type names; pointer
// tells an output from an input.
func kindOf(ctype, name string) (kind string, pointer bool) {
	base, pointer := strings.CutSuffix(strings.TrimSpace(ctype), "*")
	base = strings.TrimSpace(base)
	if pointer && base == "int" && strings.HasSuffix(name, "keyval") {
		return "keyval", true
	}
	for _, k := range kinds {
		if k.handle == base {
			return base, pointer
		}
	}
	return "", false
}

// returnedObjects are the objects that a call returned, by kind and handle.
func returnedObjects(a args) iter.Seq2[string, int64] {
	return func(yield func(string, int64) bool) {
		for _, p := range a.shape.objectParams {
			if p.at >= len(a.c.Out) || !p.list && len(a.c.Out[p.at]) != 1 {
				continue
			}
			for _, handle := range a.c.Out[p.at] {
				if !predefined(a.t, p.kind, handle) && !yield(p.kind, handle) {
					return
				}
			}
		}
	}
}

// objectParam is a parameter in which a function returns an object, or a list of them.
type objectParam struct {
	at   int
	kind string
	list bool
}

// objectParams returns the parameters in which a function returns new objects.
func objectParams(f *mpi.Function) []objectParam {
	if f.HasTrait(mpi.Refers | mpi.Frees) {
		return nil
	}
	var out []objectParam
	for i, p := range f.Params {
		if kind, pointer := kindOf(p.Type, p.Name); kind != "" && pointer {
			out = append(out, objectParam{i, kind, false})
		} else if strings.HasPrefix(p.Type, "MPI_Datatype [") && f.IsFormOf("MPI_Type_get_contents") {
			out = append(out, objectParam{i, "MPI_Datatype", true})
		}
	}
	return out
}

// trackNew adds an object that a call made.
func (o *objects) trackNew(kind string, handle int64, call int) {
	key := objectKey{kind, handle}
	o.living[key] = append(o.living[key], call)
	delete(o.freed, key)
}

// predefined reports whether MPI itself made an object, or a handle names none.
func predefined(t *recorded.Trace, kind string, handle int64) bool {
	if handle == recorded.Null || handle == recorded.Invalid {
		return true
	}
	switch kind {
	case "MPI_Comm":
		c := t.Comm(int(handle))
		return c != nil && (c.Kind == model.World || c.Kind == model.Self)
	case "MPI_Datatype":
		d := t.Datatype(handle)
		return d != nil && (d.Name != "" || strings.HasPrefix(d.Combiner, "MPI_COMBINER_F90_"))
	}
	_, is := t.Predefined(kind, handle)
	return is
}

// trackFree follows a call that frees its first parameter.
func (o *objects) trackFree(a args) {
	if len(a.c.Func.Params) == 0 || len(a.c.In) == 0 || len(a.c.In[0]) == 0 {
		return
	}
	p := a.c.Func.Params[0]
	kind, _ := kindOf(p.Type, p.Name)
	key := objectKey{kind, a.c.In[0][0]}
	switch makers := o.living[key]; len(makers) {
	case 0:
	case 1:
		delete(o.living, key)
		o.freed[key] = a.i
	default:
		o.living[key] = makers[:len(makers)-1]
	}
}

// reportLeftovers reports the objects that live when call finalize leaves MPI.
func (o *objects) reportLeftovers(finalize int) {
	for _, k := range kinds {
		left := map[int64][]int{}
		for key, makers := range o.living {
			if key.kind == k.handle {
				left[key.value] = makers
			}
		}
		for _, v := range slices.Sorted(maps.Keys(left)) {
			for _, call := range left[v] {
				maker := o.nameOf(call)
				f := o.report("leak", fmt.Sprintf("%s of %s was not freed before MPI_Finalize", k.word, maker),
					o.Place(call, "creation"), o.Place(finalize, "finalize"))
				f.Change = fmt.Sprintf("call %s when the %s is no longer used", freeOf(k.handle, k.free, maker), k.word)
				f.Standard = "MPI-3.1 " + k.section
			}
		}
	}
}

// freeOf returns the function that frees what a function made.
func freeOf(kind, free, maker string) string {
	if kind == "keyval" {
		return strings.Replace(strings.Replace(maker, "_create_keyval", "_free_keyval", 1), "Keyval_create",
			"Keyval_free", 1)
	}
	return free
}
