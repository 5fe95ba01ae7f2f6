package native

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"laggard/slicing"
	"laggard/slicing/folded"
	"laggard/symbol"
)

// Options are what may be chosen of a slice.
type Options struct {
	// TerminationSensitive makes what comes after a loop depend on what ends the loop
	// (termination-sensitive control dependence).
	TerminationSensitive bool
	// Source gives the lines of a source file, nil if it is not found. With it,
	// lines that the compiler left no code for are found by the names in them;
	// see package folded. Nil: without.
	Source func(file string) []string
	// Front takes code apart instead of this package; nil: none does.
	Front Front
}

// What a zero field of a Budget means.
const (
	defaultTime  = 8 * time.Second
	defaultNodes = 3_000
)

// headerShare is how many instructions of library headers, which nobody is shown, count
// as one of the program.
const headerShare = 16

// maxCached bounds the instructions that are kept from one slice to the next.
const maxCached = 250_000

// Slicer is the backend. It keeps what it learned of the modules.
type Slicer struct {
	mu       sync.Mutex
	resolver *symbol.Resolver
	options  Options
	prog     *program
	files    *folded.Files // nil: without
}

var _ slicing.Slicer = (*Slicer)(nil)

// New returns a Slicer that finds files through r, which must outlive it.
func New(r *symbol.Resolver, o Options) *Slicer {
	s := &Slicer{resolver: r, options: o, prog: newProgram(r, o.Front)}
	if o.Source != nil {
		s.files = folded.NewFiles(o.Source)
	}
	return s
}

// Name is "native".
func (s *Slicer) Name() string { return "native" }

// Slice makes a slice; see slicing.Slicer.
func (s *Slicer) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (out slicing.Slice, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prog = s.prog.forNextAnswer()
	old := debug.SetPanicOnFault(true) // a file that is cut while it is mapped
	defer debug.SetPanicOnFault(old)
	r := newRun(ctx, s.prog, c, b, s.options)
	r.files = s.files
	defer func() {
		if p := recover(); p != nil {
			s.prog = newProgram(s.resolver, s.options.Front)
			r.addNote(fmt.Sprintf("the slice is incomplete: malformed code or debug information (%v)", p))
			out, err = r.reporter().buildSlice(s.Name(), true), nil
			if len(out.Lines) == 0 {
				err = fmt.Errorf("slicing: %w: %v", slicing.ErrNothing, p)
			}
		}
	}()
	if err := r.startAtCriterion(); err != nil {
		return slicing.Slice{}, err
	}
	r.searchBackward()
	return r.reporter().buildSlice(s.Name(), false), nil
}
