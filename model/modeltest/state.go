package modeltest

import "laggard/model"

// StateAt makes a state of a call of an MPI function at a place, which gives it its ID.
func StateAt(call, place string) *model.State {
	s := &model.State{Call: call}
	copy(s.ID[:], place)
	return s
}
