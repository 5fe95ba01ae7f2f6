package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"laggard/analysis/usage/recorded"
	"laggard/model"
)

// objects are those that the rank made and has to free.
type objects struct {
	living map[objectKey]*object
	freed  map[objectKey]int // the call that freed the last one of that handle
}

// objectKey names an object: the C type of its handle, and its value.
type objectKey struct {
	kind  string
	value int64
}

// object is an object that was made and not freed. MPI may hand out the same
// handle again, and counts how often it must be freed: made has a place for each
// time.
type object struct {
	made      []int // calls
	committed bool  // of a datatype
	members   []int // of a group: world ranks; nil unknown
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

func newObjects() objects {
	return objects{living: map[objectKey]*object{}, freed: map[objectKey]int{}}
}

// follow keeps the registries after a call that did its work.
func (r *replay) follow(a args) {
	if !a.ended() {
		return
	}
	name := a.c.Func.Name
	switch {
	case name == "MPI_Type_commit":
		if o := r.objects.living[objectKey{"MPI_Datatype", int64(a.handle("datatype"))}]; o != nil {
			o.committed = true
		}
		return
	case frees(name):
		r.freeObject(a)
		return
	}
	if makes(name) {
		r.makeObjects(a)
	}
	r.followBuffered(a)
	r.endWindow(a)
}

func frees(name string) bool {
	switch name {
	case "MPI_File_close", "MPI_Comm_disconnect", "MPI_Keyval_free":
		return true
	}
	return (strings.HasSuffix(name, "_free") || strings.HasSuffix(name, "_free_keyval")) && name != "MPI_Request_free"
}

// makes tells whether the output handle of a function is a new object, which the
// caller has to free, or only refers to one.
func makes(name string) bool {
	switch name {
	case "MPI_Comm_get_parent", "MPI_Type_match_size", "MPI_Type_create_f90_complex", "MPI_Type_create_f90_integer",
		"MPI_Type_create_f90_real":
		return false
	}
	return true
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

func (r *replay) makeObjects(a args) {
	for i, p := range a.c.Func.Params {
		kind, pointer := kindOf(p.Type, p.Name)
		if kind == "" || i >= len(a.c.Out) {
			if strings.HasPrefix(p.Type, "MPI_Datatype [") &&
				strings.HasPrefix(a.c.Func.Name, "MPI_Type_get_contents") && i < len(a.c.Out) {
				for _, v := range a.c.Out[i] {
					r.makeObject(a, "MPI_Datatype", v)
				}
			}
			continue
		}
		if v := a.c.Out[i]; pointer && len(v) == 1 {
			r.makeObject(a, kind, v[0])
		}
	}
}

func (r *replay) makeObject(a args, kind string, value int64) {
	if value == recorded.Null || value == recorded.Invalid || r.predefinedObject(kind, value) {
		return
	}
	key := objectKey{kind, value}
	o := r.objects.living[key]
	if o == nil {
		o = &object{}
		r.objects.living[key] = o
		if t := r.t.Datatype(value); kind == "MPI_Datatype" && t != nil && a.has("oldtype") &&
			t.Combiner == "MPI_COMBINER_DUP" {
			o.committed = r.committed(a.num(recorded.Invalid, "oldtype")) // MPI-3.1 §4.1.10
		}
	}
	if kind == "MPI_Datatype" && !a.has("newtype") {
		o.committed = true // told of by MPI: it is one that was in use
	}
	o.made = append(o.made, a.i)
	delete(r.objects.freed, key)
	switch kind {
	case "MPI_Group":
		o.members = r.groupOf(a)
	case "MPI_Win":
		r.windows[int(value)] = newWindow(a)
	case "MPI_File":
		r.files[int(value)] = r.newFile(a)
	}
}

// committed reports whether a datatype may be used for communication, as far as is
// known.
func (r *replay) committed(datatype int64) bool {
	o := r.objects.living[objectKey{"MPI_Datatype", datatype}]
	return o == nil || o.committed
}

// predefinedObject reports whether MPI itself made an object.
func (r *replay) predefinedObject(kind string, value int64) bool {
	switch kind {
	case "MPI_Comm":
		c := r.t.Comm(int(value))
		return c != nil && (c.Kind == model.World || c.Kind == model.Self)
	case "MPI_Datatype":
		t := r.t.Datatype(value)
		return t != nil && (t.Name != "" || strings.HasPrefix(t.Combiner, "MPI_COMBINER_F90_"))
	}
	_, is := r.t.Predefined(kind, value)
	return is
}

// freeObject follows a call that frees its first parameter.
func (r *replay) freeObject(a args) {
	if len(a.c.Func.Params) == 0 || len(a.c.In) == 0 || len(a.c.In[0]) == 0 {
		return
	}
	p := a.c.Func.Params[0]
	kind, _ := kindOf(p.Type, p.Name)
	key := objectKey{kind, a.c.In[0][0]}
	o := r.objects.living[key]
	if o == nil {
		return
	}
	if o.made = o.made[:len(o.made)-1]; len(o.made) > 0 {
		return
	}
	delete(r.objects.living, key)
	r.objects.freed[key] = a.i
	switch kind {
	case "MPI_Win":
		delete(r.windows, int(key.value))
	case "MPI_File":
		delete(r.files, int(key.value))
	}
}

// leaks reports the objects that live at the end.
func (r *replay) leaks() {
	for _, k := range kinds {
		left := map[int64]*object{}
		for key, o := range r.objects.living {
			if key.kind == k.handle {
				left[key.value] = o
			}
		}
		for _, v := range slices.Sorted(maps.Keys(left)) {
			for _, made := range left[v].made {
				f := r.report("leak",
					fmt.Sprintf("%s of %s was not freed before MPI_Finalize", k.word, r.t.Calls[made].Func.Name),
					r.Place(made, "creation"), r.Place(r.life.finalized, "finalize"))
				f.Change = fmt.Sprintf("call %s when the %s is no longer used",
					freeOf(k.handle, k.free, r.t.Calls[made].Func.Name), k.word)
				f.Standard = "MPI-3.1 " + k.section
			}
		}
	}
	if b := r.buffers.call; b >= 0 {
		f := r.report("leak", "the buffer that MPI_Buffer_attach attached was not detached before MPI_Finalize",
			r.Place(b, "creation"), r.Place(r.life.finalized, "finalize"))
		f.Change = "call MPI_Buffer_detach, which also waits for what is still in the buffer"
		f.Standard = "MPI-3.1 §3.6"
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
