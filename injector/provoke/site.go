package provoke

import (
	"encoding/hex"
	"hash/fnv"
	"strconv"

	"laggard/model"
)

// Site is a place of a program at which choices are open: a return address of a call of
// MPI by module and offset, the same in all runs and on all machines; in a Python program
// a line. Of collectives that may synchronise it is the communicator, since its members
// call from different places and have to choose alike.
type Site struct {
	BuildID      string `toml:"build_id,omitempty" json:"build_id,omitempty"`         // of the module of the call
	Path         string `toml:"path,omitempty" json:"path,omitempty"`                 // of the module
	Offset       uint64 `toml:"offset,omitempty" json:"offset,omitempty"`             // of the return address in it; a line in Python
	Communicator string `toml:"communicator,omitempty" json:"communicator,omitempty"` // its id, hexadecimal: the members decide alike
}

// IsAny reports whether s stands for every site.
func (s Site) IsAny() bool { return s == Site{} }

// golden is LG_GOLDEN of recorder/base/hash.h.
const golden = 0x9e3779b97f4a7c15

// mix is lg_mix of recorder/base/hash.h.
func mix(h, v uint64) uint64 {
	h = (h ^ v) * golden
	return h ^ h>>31
}

// Key is the number by which the recorder knows the site, lg_site_of of
// recorder/perturb; 0 any.
func (s Site) Key() uint64 {
	if s.IsAny() {
		return 0
	}
	if s.Communicator != "" {
		id, _ := strconv.ParseUint(s.Communicator, 16, 64)
		return id
	}
	h := fnv.New64a()
	if id, err := hex.DecodeString(s.BuildID); err == nil && len(id) > 0 {
		h.Write(id)
	} else {
		h.Write([]byte(s.Path))
	}
	return mix(h.Sum64(), s.Offset)
}

// siteOf is the site of a state, as the recorder finds it; ok is false if it has none.
func siteOf(s *model.State) (site Site, frame model.Frame, ok bool) {
	for _, f := range s.Stack {
		if _, _, python := f.Module.PythonFunction(); python {
			return Site{BuildID: f.Module.BuildID, Path: f.Module.Path, Offset: f.Offset}, f, true
		}
	}
	if len(s.Stack) == 0 || s.Stack[0].Module == nil {
		return Site{}, model.Frame{}, false
	}
	f := s.Stack[0]
	return Site{BuildID: f.Module.BuildID, Path: f.Module.Path, Offset: f.Offset}, f, true
}
