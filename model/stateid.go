package model

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
)

// ContentID names the state by content; docs/reference/format.md fixes the bytes that are
// hashed, so that other programs come to the same name.
func (s *State) ContentID() StateID {
	text := make([]byte, 0, 64+len(s.Call)+64*len(s.Stack))
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

// WithoutAddresses is a copy of the state without run-time addresses, which differ from rank to rank.
func (s *State) WithoutAddresses() *State {
	out := *s
	out.Stack = slices.Clone(s.Stack)
	for i, f := range out.Stack {
		if f.Module != nil {
			out.Stack[i].Module = &Module{BuildID: f.Module.BuildID, Path: f.Module.Path}
		}
	}
	return &out
}

// appendText appends the length in four bytes, then the text: no two lists of
// texts give the same bytes.
func appendText(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint32(b, uint32(len(s))), s...)
}

// String returns the ID in hex.
func (id StateID) String() string { return hex.EncodeToString(id[:]) }

// MarshalText writes the ID as String does.
func (id StateID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (id *StateID) UnmarshalText(text []byte) error {
	if n, err := hex.Decode(id[:], text); err != nil || n != len(id) || len(text) != 2*len(id) {
		return fmt.Errorf("model: %q is not the name of a state", text)
	}
	return nil
}
