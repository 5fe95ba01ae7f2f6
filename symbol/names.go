package symbol

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"laggard/internal/regular"
	"laggard/model"
)

// NamesFile is the file of a run directory with names that came with the data
// (docs/reference/format.md). A resolver falls back on it where it finds no file of the
// module, and where the data have names but no addresses to look up.
const NamesFile = "names.json"

// namesID stands for the build-id of modules whose offsets are no addresses but
// number the entries of Names; it spells "names".
const namesID = "6e616d6573"

// Unknown stands for the path of a module of which only names are known.
const Unknown = "?"

// maxNamesFile bounds what is read, in bytes.
const maxNamesFile = 256 << 20

// ErrNames is wrapped by every error about a names file.
var ErrNames = errors.New("bad file of names")

// Names are the functions and lines of frames, as whoever left the data knew
// them. The zero value is empty.
type Names struct {
	list    []Name
	at      map[nameKey]int
	modules map[string]*model.Module
}

type nameKey struct {
	buildID, path string
	offset        uint64
}

// Name is what a frame is called.
type Name struct {
	BuildID string `json:"build_id"`
	Module  string `json:"module"`
	Offset  string `json:"offset"` // of the frame, hexadecimal
	// Calls are the logical levels, innermost first: what was inlined comes
	// before what it was inlined into.
	Calls []NamedCall `json:"calls"`
}

// NamedCall is one of them; what is not known is empty.
type NamedCall struct {
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

type namesDocument struct {
	SchemaVersion int    `json:"schema_version"`
	Names         []Name `json:"names"`
}

const namesVersion = 1

// Add names a frame. The first name of a frame stays.
func (n *Names) Add(f model.Frame, calls []NamedCall) {
	if f.Module == nil {
		return
	}
	key := nameKey{f.Module.BuildID, f.Module.Path, f.Offset}
	if _, known := n.at[key]; known {
		return
	}
	if n.at == nil {
		n.at = map[nameKey]int{}
	}
	n.at[key] = len(n.list)
	n.list = append(n.list, Name{key.buildID, key.path, fmt.Sprintf("%#x", key.offset), calls})
}

// NewFrame returns a new frame for a name without an address; module is the path
// of the file it is in, or what is known of it.
func (n *Names) NewFrame(module string, calls []NamedCall) model.Frame {
	m := n.modules[module]
	if m == nil {
		if n.modules == nil {
			n.modules = map[string]*model.Module{}
		}
		m = &model.Module{BuildID: namesID, Path: module}
		n.modules[module] = m
	}
	f := model.Frame{Module: m, Offset: uint64(len(n.list)) + 1}
	n.Add(f, calls)
	return f
}

// HasOnlyName reports whether a frame has a name only: its offset is no address.
func HasOnlyName(f model.Frame) bool { return f.Module != nil && f.Module.BuildID == namesID }

// Len returns how many frames have a name.
func (n *Names) Len() int { return len(n.list) }

// Write makes the file in a run directory.
func (n *Names) Write(dir string) error {
	text, err := json.Marshal(namesDocument{namesVersion, n.list})
	if err != nil {
		return fmt.Errorf("symbol: %s: %w", NamesFile, err)
	}
	if err := os.WriteFile(filepath.Join(dir, NamesFile), append(text, '\n'), 0o600); err != nil {
		return fmt.Errorf("symbol: %w", err)
	}
	return nil
}

// ReadNames reads the file of a run directory; none is no error. Others wrap
// ErrNames.
func ReadNames(dir string) (*Names, error) {
	n := &Names{}
	path := filepath.Join(dir, NamesFile)
	text, err := regular.Read(path, maxNamesFile)
	if errors.Is(err, fs.ErrNotExist) {
		return n, nil
	}
	if err == nil {
		err = n.parse(text)
	}
	if err != nil {
		return &Names{}, fmt.Errorf("symbol: %s: %w: %w", NamesFile, ErrNames, err)
	}
	return n, nil
}

func (n *Names) parse(text []byte) error {
	var doc namesDocument
	if err := json.Unmarshal(text, &doc); err != nil {
		return err
	}
	if doc.SchemaVersion != namesVersion {
		return fmt.Errorf("schema_version %d, this program reads %d", doc.SchemaVersion, namesVersion)
	}
	for i, name := range doc.Names {
		offset, err := strconv.ParseUint(strings.TrimPrefix(name.Offset, "0x"), 16, 64)
		if err != nil {
			return fmt.Errorf("entry %d: offset %.40q", i, name.Offset)
		}
		n.Add(model.Frame{Module: &model.Module{BuildID: name.BuildID, Path: name.Module}, Offset: offset}, name.Calls)
	}
	return nil
}

// Lookup returns what a frame is called, false if it has no name.
func (n *Names) Lookup(f model.Frame) (Location, bool) {
	if f.Module == nil {
		return Location{}, false
	}
	i, known := n.at[nameKey{f.Module.BuildID, f.Module.Path, f.Offset}]
	if !known || len(n.list[i].Calls) == 0 {
		return Location{}, false
	}
	var calls []Call
	for _, c := range n.list[i].Calls {
		short, full := displayNames(c.Function)
		calls = append(calls, Call{Function: short, Signature: full, File: c.File, Line: max(c.Line, 0)})
	}
	loc := Location{Call: calls[0], Exact: true, Module: f.Module.Path, Offset: f.Offset}
	if len(calls) > 1 {
		loc.Inlined = calls[1:]
	}
	loc.findWrappers(func() bool { return false }) // there is no code to look at
	return loc, true
}
