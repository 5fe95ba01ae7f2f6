package recorded

import (
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

// Namer gives call sites names that hold across ranks and runs: the function
// that was called, and by build-id and offset the innermost frames of the stack,
// as many as Depth says. It keeps what is behind the names.
type Namer struct {
	Depth int // at least 1
	Book  Book
}

// NewNamer returns a Namer of so many frames.
func NewNamer(depth int) *Namer {
	return &Namer{max(depth, 1), Book{Modules: map[string]string{}, Stacks: map[string]string{}}}
}

// Name returns the name of the site where function is called from the stack,
// innermost frame first.
func (n *Namer) Name(function string, stack []model.Frame) string {
	whole := make([]string, len(stack))
	for i, f := range stack {
		whole[i] = n.frame(f)
	}
	name := function + " " + strings.Join(visibleFrames(stack, whole, n.Depth), " ")
	text := strings.Join(whole, " ")
	if was, known := n.Book.Stacks[name]; !known || text < was {
		n.Book.Stacks[name] = text
	}
	return name
}

// visibleFrames returns the first frames that are not transparent, or the first
// of all if there is none.
func visibleFrames(stack []model.Frame, whole []string, depth int) []string {
	for i, f := range stack {
		if f.Module == nil || !isTransparent(f.Module.Path) {
			return whole[i:min(i+depth, len(whole))]
		}
	}
	return whole[:min(depth, len(whole))]
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
	Stacks  map[string]string `json:"stacks"`  // of frames, by name of the site: the least of those that have the name
}

// MergeBooks joins what is known; it keeps and changes a.
func MergeBooks(a, b Book) Book {
	if a.Modules == nil {
		return Book{maps.Clone(b.Modules), maps.Clone(b.Stacks)}
	}
	join(a.Modules, b.Modules)
	join(a.Stacks, b.Stacks)
	return a
}

func join(into, from map[string]string) {
	for k, v := range from {
		if was, known := into[k]; !known || v < was {
			into[k] = v
		}
	}
}

// Site is what a name stands for.
type Site struct {
	Function string        // that was called, such as "memcpy" or "MPI_Send"
	Frames   []model.Frame // those of the name, innermost first
	Stack    []model.Frame // a whole stack that has them
}

// Site returns what the name stands for; an empty name is a site that is not
// known. The error wraps ErrStream if it is none that a Namer gives.
func (b Book) Site(name string) (Site, error) {
	function, rest, _ := strings.Cut(name, " ")
	s := Site{Function: function}
	var err error
	modules := map[string]*model.Module{}
	if s.Frames, err = b.frames(rest, modules); err != nil {
		return Site{}, err
	}
	s.Stack, err = b.frames(b.Stacks[name], modules)
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
