package recorded

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"laggard/model"
	"laggard/symbol"
)

// transparent are libraries that stand between a program and the C library
// without being what is looked for: what they do, their caller does.
var transparent = []string{"libstdc++", "libc++", "libgfortran", "libflang", "libgcc_s", "liblaggard"}

// insideMPI is the library whose wrappers MPI calls go through: what is called
// from within one of them is the MPI library's.
const insideMPI = "liblaggard.so"

// Namer gives call sites names that hold across ranks and runs: the function
// that was called, and the innermost frames of the stack, as many as Depth says; of
// a Python program, those of Python from its own innermost on, with the place from which
// an extension module called. A frame is named by its place in the source, since a compiler may make several
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
	words := make([]string, len(stack))
	for i, f := range stack {
		words[i] = n.frameWord(f)
	}
	name, frames := function, []string{}
	if slices.ContainsFunc(stack, isPython) && !isPython(stack[0]) {
		name += "\x00" + words[0] // a line of Python may do several things by an extension module
	}
	for _, i := range visibleFrames(stack, n.Depth) {
		name += "\x00" + n.placeName(stack[i], words[i])
		frames = append(frames, words[i])
	}
	entry := Entry{function, strings.Join(frames, " "), strings.Join(words, " ")}
	if was, known := n.Book.Sites[name]; !known || entry.less(was) {
		n.Book.Sites[name] = entry
	}
	return name
}

func (n *Namer) placeName(f model.Frame, word string) string {
	if n.Source != nil && f.Module != nil {
		if at := n.Source(f); at != "" {
			return at
		}
	}
	return word
}

// InsideMPI reports whether a site is within an MPI call. In MPI_Init the recorder
// keeps the innermost frame alone, of machine code.
func InsideMPI(s *model.Site) bool {
	if s.Partial && len(s.Stack) == 1 && !isPython(s.Stack[0]) {
		return true
	}
	return slices.ContainsFunc(s.Stack, func(f model.Frame) bool {
		return f.Module != nil && strings.HasPrefix(path.Base(f.Module.Path), insideMPI)
	})
}

// isInterpreterWork reports whether a site is the interpreter's of Python, at work for itself: it calls
// the C library while modules are imported, or in Python's own library.
func isInterpreterWork(s *model.Site) bool {
	if len(s.Stack) == 0 || !isPython(s.Stack[0]) {
		return false
	}
	_, inner, _ := s.Stack[0].Module.PythonFunction()
	return symbol.PythonOrigin(inner) == symbol.Standard || slices.ContainsFunc(s.Stack, isImporter)
}

func isImporter(f model.Frame) bool {
	_, file, ok := f.Module.PythonFunction()
	return ok && symbol.IsPythonImporter(file)
}

// isArena reports whether a site is one where an interpreter of Python takes memory that it
// divides among its objects. Where that was says nothing of them: it is wherever the objects made so far
// happen to fill what was there, which differs between runs.
func isArena(s *model.Site) bool { return s.Interpreter && strings.HasPrefix(s.Function, "mmap") }

// isUnderPython reports whether a site is under a line of Python.
func isUnderPython(s *model.Site) bool { return slices.ContainsFunc(s.Stack, isPython) }

func isPython(f model.Frame) bool {
	_, _, ok := f.Module.PythonFunction()
	return ok
}

// visibleFrames returns the frames of a name: of a Python program the lines of
// Python from the one on that says where it is, else the first that are not
// transparent, or the first of all if there is none.
func visibleFrames(stack []model.Frame, depth int) (visible []int) {
	from := symbol.PythonAt(len(stack), func(i int) (bool, symbol.Origin) {
		_, file, python := stack[i].Module.PythonFunction()
		return python, symbol.PythonOrigin(file)
	})
	python := from >= 0
	if !python {
		from = max(0, slices.IndexFunc(stack, func(f model.Frame) bool {
			return f.Module == nil || !isTransparent(f.Module.Path)
		}))
	}
	for i := from; i < len(stack) && len(visible) < depth; i++ {
		if !python || isPython(stack[i]) {
			visible = append(visible, i)
		}
	}
	return visible
}

func isTransparent(file string) bool {
	return slices.ContainsFunc(transparent, func(t string) bool { return strings.HasPrefix(path.Base(file), t) })
}

// frameWord writes a frame as module+offset; the module by its build-id, or by its
// file's name where it has none.
func (n *Namer) frameWord(f model.Frame) string {
	if f.Module == nil {
		return "?+" + strconv.FormatUint(f.Offset, 16)
	}
	id := cmp.Or(f.Module.BuildID, strings.ReplaceAll(path.Base(f.Module.Path), " ", "_"))
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

// Extended returns the book with the names that only another one has. A build that both have is where this one says.
func (b Book) Extended(by Book) Book {
	out := Book{Modules: maps.Clone(by.Modules), Sites: maps.Clone(by.Sites)}
	if out.Modules == nil {
		return b
	}
	maps.Copy(out.Modules, b.Modules)
	maps.Copy(out.Sites, b.Sites)
	return out
}

// Call is the call site that a name stands for.
type Call struct {
	Function string        // that was called, such as "memcpy" or "MPI_Send"
	Frames   []model.Frame // those of the name, innermost first
	Place    string        // what the name says of the innermost of them: its place in the source, if that was known
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
	if s.Frames, err = b.parseFrames(entry.Frames, modules); err != nil {
		return Call{}, err
	}
	if parts := strings.Split(name, "\x00"); len(s.Frames) > 0 && len(parts) > len(s.Frames) {
		s.Place = parts[len(parts)-len(s.Frames)]
	}
	s.Stack, err = b.parseFrames(entry.Stack, modules)
	return s, err
}

func (b Book) parseFrames(text string, modules map[string]*model.Module) ([]model.Frame, error) {
	var out []model.Frame
	for word := range strings.FieldsSeq(text) {
		at := strings.LastIndexByte(word, '+')
		offset, err := strconv.ParseUint(word[at+1:], 16, 64)
		if at < 0 || err != nil {
			return nil, fmt.Errorf("%w: frame %q", ErrStream, word)
		}
		out = append(out, model.Frame{Module: b.moduleByID(word[:at], modules), Offset: offset})
	}
	return out, nil
}

func (b Book) moduleByID(id string, modules map[string]*model.Module) *model.Module {
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
