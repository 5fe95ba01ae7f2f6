package dyninst

import (
	"context"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"laggard/internal/subprocess"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/cpu"
	"laggard/slicing/native"
	"laggard/slicing/x86"
	"laggard/symbol"
)

// Slicer is the backend. Its helper runs from the first slice on until Close.
type Slicer struct {
	mu     sync.Mutex
	native *native.Slicer
	front  *front
	failed error // the helper's last one; nil: it never failed
}

var _ slicing.Slicer = (*Slicer)(nil)

// New returns a Slicer with the helper at path, which finds files through r;
// see native.New. The caller closes it.
func New(path string, r *symbol.Resolver, o native.Options) *Slicer {
	f := &front{path: path}
	o.Front = f
	return &Slicer{native: native.New(r, o), front: f}
}

// Name is "dyninst".
func (s *Slicer) Name() string { return "dyninst" }

// defaultTime is what a zero Budget.Time means.
const defaultTime = 8 * time.Second

// Slice makes a slice; see slicing.Slicer. If the helper fails, native makes
// the slice, and a note says why.
func (s *Slicer) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Time <= 0 {
		b.Time = defaultTime
	}
	// The other half is for the slice, and for native if the helper fails.
	s.front.beginSlice(ctx, b.Time/2)
	out, err := s.native.Slice(ctx, c, b)
	if err != nil {
		return out, err
	}
	out.Backend = s.Name()
	if s.front.failed != nil {
		s.failed = s.front.failed // what native takes apart now it keeps for later slices
	}
	if s.failed != nil {
		out.Backend = s.native.Name()
		out.Notes = append(out.Notes, fmt.Sprintf("the dyninst backend failed; native was used: %v", s.failed))
	}
	if n := s.front.refused; n > 0 {
		out.Notes = append(out.Notes,
			fmt.Sprintf("%d pieces of code that Dyninst did not take apart were decoded by native", n))
	}
	return out, nil
}

// Branch finds where two ways part; see slicing.Slicer.
func (s *Slicer) Branch(ctx context.Context, made, other, last []model.Frame) (slicing.Branch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.native.Branch(ctx, made, other, last)
}

// Close ends the helper.
func (s *Slicer) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.front.stopHelper()
	return nil
}

// maxFailures is how often a helper is started again.
const maxFailures = 3

// front is the helper as native sees it.
type front struct {
	path     string
	p        *subprocess.Process // nil: not running
	failures int
	// Of the slice that is being made:
	ctx      context.Context
	timeLeft time.Duration // what the helper may still take
	failed   error
	refused  int // functions
}

func (f *front) beginSlice(ctx context.Context, time time.Duration) {
	f.ctx, f.timeLeft, f.failed, f.refused = ctx, time, nil, 0
	if f.failures >= maxFailures {
		f.failed = fmt.Errorf("%s failed %d times and is not started again", f.path, f.failures)
	}
}

func (f *front) stopHelper() {
	if f.p != nil {
		_ = f.p.End()
		f.p = nil
	}
}

// Listing asks the helper; see native.Front.
func (f *front) Listing(c *symbol.Code, entry uint64) (native.Listing, error) {
	if m := c.Machine(); f.failed == nil && m != elf.EM_X86_64 {
		f.failed = fmt.Errorf("it does not support code of %v", m)
	}
	if f.failed != nil {
		return native.Listing{}, f.failed
	}
	begin := time.Now()
	l, err := f.askHelper(request{Module: c.Path(), Entry: entry}, func(addr uint64) cpu.Inst {
		code := c.Bytes(addr)
		return x86.Decode(code[:min(len(code), longest)], addr)
	})
	f.timeLeft -= time.Since(begin)
	switch {
	case errors.Is(err, errRefused):
		f.refused++
	case err != nil:
		f.failed = err
		f.failures++
		f.stopHelper()
	}
	return l, err
}

// request is what the helper is asked.
type request struct {
	Module  string `json:"module"`
	Entry   uint64 `json:"entry"`
	Seconds int    `json:"seconds"`
}

func (f *front) askHelper(r request, own func(uint64) cpu.Inst) (native.Listing, error) {
	wait := f.timeLeft
	if end, ok := f.ctx.Deadline(); ok {
		wait = min(wait, time.Until(end))
	}
	if wait <= 0 || f.ctx.Err() != nil {
		return native.Listing{}, subprocess.ErrTimeout
	}
	if f.p == nil {
		p, err := subprocess.Start(exec.Command(f.path))
		if err != nil {
			return native.Listing{}, err
		}
		f.p = p
	}
	// The helper ends itself a little later, should this process not be there.
	r.Seconds = int(wait/time.Second) + 2
	text, err := json.Marshal(r)
	if err != nil {
		return native.Listing{}, err
	}
	line, err := f.p.Ask(text, wait)
	if err != nil {
		return native.Listing{}, err
	}
	return parseListing(line, own)
}
