package facts

import (
	"reflect"
	"testing"
	"unsafe"

	"laggard/model"
)

// TestShareWaits: ranks that wait for the same share their waits; what differs in any field is not the same.
func TestShareWaits(t *testing.T) {
	waits := func() []Wait {
		return []Wait{{Kind: model.Collective, Call: "MPI_Barrier",
			Wants: []Want{{Kind: model.Collective, Call: "MPI_Barrier", Comm: 7, Peer: model.None, Tag: model.None, Seq: 3}}}}
	}
	first := waits()
	if got := shareWaits(waits(), first); unsafe.SliceData(got) != unsafe.SliceData(first) {
		t.Error("not shared")
	}
	differs := func(name string, change func(w *Wait)) {
		other := waits()
		change(&other[0])
		if got := shareWaits(other, first); unsafe.SliceData(got) != unsafe.SliceData(other) {
			t.Errorf("shared although %s differs", name)
		}
	}
	for field := range fieldsOf[Wait]() {
		if field != "Wants" {
			differs(field, func(w *Wait) { changeField(reflect.ValueOf(w).Elem().FieldByName(field)) })
		}
	}
	for field := range fieldsOf[Want]() {
		if field != "Sources" && field != "Dests" { // Neighbourhood says that there are any
			differs("want: "+field, func(w *Wait) { changeField(reflect.ValueOf(&w.Wants[0]).Elem().FieldByName(field)) })
		}
	}
	differs("the number of wants", func(w *Wait) { w.Wants = append(w.Wants, Want{}) })
}

func fieldsOf[T any]() map[string]bool {
	out := map[string]bool{}
	for field := range reflect.TypeFor[T]().Fields() {
		out[field.Name] = true
	}
	return out
}

// changeField gives a field another value.
func changeField(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	case v.Kind() == reflect.String:
		v.SetString(v.String() + "x")
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
	case v.Kind() == reflect.Struct:
		changeField(v.FieldByName("Number"))
	}
}
