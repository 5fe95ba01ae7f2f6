package recorded

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"

	"laggard/model"
)

// transparent are libraries that stand between a program and the C library
// without being what is looked for: what they do, their caller does.
var transparent = []string{"libstdc++", "libc++", "libgfortran", "libflang", "libgcc_s", "liblaggard"}

// insideMPI is the library whose wrappers MPI calls go through: what is called
// from within one of them is the MPI library's.
const insideMPI = "liblaggard.so"

// Namer gives call sites names that hold across ranks and runs: the function
// that was called, and the innermost frames of the stack, as many as Depth says.
// A frame is named by its place in the source, since a compiler may make several
// calls of one, or else by build-id and offset. The Namer keeps what is behind
// the names.
type Namer struct {
	Depth int // at least 1
	// Source returns the place in the source of a return address; "" unknown.
	// What it gives must hold across ranks.
	Source func(model.Frame) string
	Book   Book
}

// NewNamer returns a Namer of so many frames; source may be nil.
func NewNamer(depth int, source func(model.Frame) string) *Namer {
	return &Namer{max(depth, 1), source, Book{Modules: map[string]string{}, Sites: map[string]Entry{}}}
}

// Name returns the name of the site where function is called from the stack,
// innermost frame first.
func (n *Namer) Name(function string, stack []model.Frame) string {
	from, to := visibleFrames(stack, n.Depth)
	words := make([]string, len(stack))
	name := function
	for i, f := range stack {
		words[i] = n.frame(f)
		if i >= from && i < to {
			name += "\x00" + n.place(f, words[i])
		}
	}
	entry := Entry{function, strings.Join(words[from:to], " "), strings.Join(words, " ")}
	if was, known := n.Book.Sites[name]; !known || entry.less(was) {
		n.Book.Sites[name] = entry
	}
	return name
}

func (n *Namer) place(f model.Frame, word string) string {
	if n.Source != nil && f.Module != nil {
		if at := n.Source(f); at != "" {
			return at
		}
	}
	return word
}

// Inside tells whether a site is within an MPI call. In MPI_Init the recorder
// keeps the innermost frame alone.
func Inside(s *model.Site) bool {
	if s.Partial && len(s.Stack) == 1 {
		return true
	}
	for _, f := range s.Stack {
		if f.Module != nil && strings.HasPrefix(path.Base(f.Module.Path), insideMPI) {
			return true
		}
	}
	return false
}

// visibleFrames returns where the first frames are that are not transparent, or
// the first of all if there is none.
func visibleFrames(stack []model.Frame, depth int) (from, to int) {
	for i, f := range stack {
		if f.Module == nil || !isTransparent(f.Module.Path) {
			from = i
			break
		}
	}
	return from, min(from+depth, len(stack))
}

func isTransparent(file string) bool {
	base := path.Base(file)
	for _, t := range transparent {
		if strings.HasPrefix(base, t) {
			return true
		}
	}
	return false
}

// frame writes a frame as module+offset; the module by its build-id, or by its
// file's name where it has none.
func (n *Namer) frame(f model.Frame) string {
	if f.Module == nil {
		return "?+" + strconv.FormatUint(f.Offset, 16)
	}
	id := f.Module.BuildID
	if id == "" {
		id = strings.ReplaceAll(path.Base(f.Module.Path), " ", "_")
	}
	if was, known := n.Book.Modules[id]; !known || f.Module.Path < was {
		n.Book.Modules[id] = f.Module.Path
	}
	return id + "+" + strconv.FormatUint(f.Offset, 16)
}

// Book tells what is behind the names that a Namer gave.
type Book struct {
	Modules map[string]string `json:"modules"` // path, by build-id or name of the file
	Sites   map[string]Entry  `json:"sites"`   // by name
}

// Entry is one call that has the name, the least of all of them.
type Entry struct {
	Function string `json:"function"`
	Frames   string `json:"frames"` // those of the name
	Stack    string `json:"stack"`
}

func (e Entry) less(f Entry) bool {
	return cmp.Or(cmp.Compare(e.Stack, f.Stack), cmp.Compare(e.Frames, f.Frames)) < 0
}

// MergeBooks joins what is known; it keeps and changes a.
func MergeBooks(a, b Book) Book {
	if a.Modules == nil {
		return Book{maps.Clone(b.Modules), maps.Clone(b.Sites)}
	}
	for id, file := range b.Modules {
		if was, known := a.Modules[id]; !known || file < was {
			a.Modules[id] = file
		}
	}
	for name, e := range b.Sites {
		if was, known := a.Sites[name]; !known || e.less(was) {
			a.Sites[name] = e
		}
	}
	return a
}

// Call is the call site that a name stands for.
type Call struct {
	Function string        // that was called, such as "memcpy" or "MPI_Send"
	Frames   []model.Frame // those of the name, innermost first
	Stack    []model.Frame // a whole stack that has them
}

// Call returns what the name stands for. The error wraps ErrStream if no
// Namer gave it.
func (b Book) Call(name string) (Call, error) {
	entry, known := b.Sites[name]
	if !known {
		return Call{}, fmt.Errorf("%w: no site %q", ErrStream, name)
	}
	s := Call{Function: entry.Function}
	var err error
	modules := map[string]*model.Module{}
	if s.Frames, err = b.frames(entry.Frames, modules); err != nil {
		return Call{}, err
	}
	s.Stack, err = b.frames(entry.Stack, modules)
	return s, err
}

func (b Book) frames(text string, modules map[string]*model.Module) ([]model.Frame, error) {
	var out []model.Frame
	for word := range strings.FieldsSeq(text) {
		at := strings.LastIndexByte(word, '+')
		offset, err := strconv.ParseUint(word[at+1:], 16, 64)
		if at < 0 || err != nil {
			return nil, fmt.Errorf("%w: frame %q", ErrStream, word)
		}
		out = append(out, model.Frame{Module: b.module(word[:at], modules), Offset: offset})
	}
	return out, nil
}

func (b Book) module(id string, modules map[string]*model.Module) *model.Module {
	if id == "?" {
		return nil
	}
	if modules[id] == nil {
		m := &model.Module{BuildID: id, Path: b.Modules[id]}
		if strings.ReplaceAll(path.Base(m.Path), " ", "_") == id {
			m.BuildID = ""
		}
		modules[id] = m
	}
	return modules[id]
}
