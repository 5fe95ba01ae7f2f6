package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
)

// stateID names a state by content; docs/format.md fixes the bytes that are
// hashed, so that other programs come to the same name.
func stateID(s *State) StateID {
	text := make([]byte, 0, 64+len(s.Call)+40*len(s.Stack))
	text = appendText(text, s.Call)
	for _, f := range s.Stack {
		id, path := "", ""
		if f.Module != nil {
			id = f.Module.BuildID
		}
		if f.Module != nil && id == "" {
			path = f.Module.Path
		}
		text = appendText(appendText(text, id), path)
		text = binary.LittleEndian.AppendUint64(text, f.Offset)
	}
	sum := sha256.Sum256(text)
	return StateID(sum[:16])
}

// appendText appends the length in four bytes, then the text: no two lists of
// texts give the same bytes.
func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// String returns the ID in hex.
func (id StateID) String() string { return hex.EncodeToString(id[:]) }

// interner keeps one of everything that many ranks have alike.
type interner struct {
	modules map[Module]*Module
	states  map[StateID]*State
	groups  map[string][]int
	budget  int64 // members that may still be listed
}

// newInterner returns an interner for a load from files of so many bytes. A
// communicator of a million consecutive ranks takes twelve bytes in a file, so
// the bytes are no bound for a single one, but they are for all different ones
// together: each rank has a first chunk of its own.
func newInterner(bytes int64) *interner {
	return &interner{map[Module]*Module{}, map[StateID]*State{}, map[string][]int{}, max(bytes, 1<<16)}
}

// rank replaces the modules and states of a rank by those that others have too.
func (in *interner) rank(r *Rank) {
	same := map[*Module]*Module{}
	for i, m := range r.Modules {
		kept := in.modules[*m]
		if kept == nil {
			kept = m
			in.modules[*m] = m
		}
		same[m] = kept
		r.Modules[i] = kept
	}
	for _, t := range r.Threads {
		for i, s := range t.Model.States {
			t.Model.States[i] = in.state(s, same)
		}
		if t.Captured != nil {
			replaceModules(t.Captured.Stack, same)
		}
	}
}

func (in *interner) state(s *State, same map[*Module]*Module) *State {
	if kept := in.states[s.ID]; kept != nil {
		return kept
	}
	replaceModules(s.Stack, same)
	in.states[s.ID] = s
	return s
}

func replaceModules(stack []Frame, same map[*Module]*Module) {
	for i, f := range stack {
		if f.Module != nil {
			stack[i].Module = same[f.Module]
		}
	}
}

// members lists the world ranks of a group; nil ranges are an unknown group, an
// empty one has no list either.
func (in *interner) members(ranges []byte, size int) ([]int, error) {
	if ranges == nil {
		return nil, nil
	}
	if err := memberCount(ranges, size); err != nil || size == 0 {
		return nil, err
	}
	key := string(ranges)
	if list, ok := in.groups[key]; ok {
		return list, nil
	}
	if int64(size) > in.budget {
		return nil, fmt.Errorf("%w: group of %d ranks, more than the size of the files allows", ErrCorrupt, size)
	}
	in.budget -= int64(size)
	list := expand(ranges, size)
	in.groups[key] = list
	return list, nil
}
