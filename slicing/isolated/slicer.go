package isolated

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"sync"
	"time"

	"laggard/internal/subprocess"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/wire"
)

const (
	defaultTime = 8 * time.Second // what a zero Budget.Time means, and the time of a branch without a deadline
	grace       = 7 * time.Second // how much later a child must answer, which reads symbols first, before it is ended
	maxFailures = 3               // how often a child that failed is started again
)

// Slicer makes slices in a child process, which runs from the first request on until Close.
type Slicer struct {
	name     string
	command  func() *exec.Cmd
	mu       sync.Mutex
	child    *subprocess.Process // nil: it does not run
	modules  *wire.Modules       // those that the child has
	failures int
}

var _ slicing.Slicer = (*Slicer)(nil)

// New returns a Slicer of that name whose child process command makes; the child's program calls
// [Serve]. The caller closes the Slicer.
func New(name string, command func() *exec.Cmd) *Slicer { return &Slicer{name: name, command: command} }

// Name is the name of the backend in the child.
func (s *Slicer) Name() string { return s.name }

// Slice makes a slice; see slicing.Slicer. An error that does not wrap slicing.ErrNothing says how
// the child failed.
func (s *Slicer) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if b.Time <= 0 {
		b.Time = defaultTime
	}
	r, err := s.askChild(ctx, b.Time, func(m *wire.Modules) wire.Request { return wire.Request{Slice: m.EncodeCriterion(c, b)} })
	if err != nil {
		return slicing.Slice{}, fmt.Errorf("slice: %w", err)
	}
	if r.Slice == nil {
		return slicing.Slice{}, errors.New("slice: the answer has none")
	}
	return *r.Slice, nil
}

// Branch finds where two ways part; see slicing.Slicer. The time is that of ctx.
func (s *Slicer) Branch(ctx context.Context, made, other, last []model.Frame) (slicing.Branch, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.askChild(ctx, defaultTime, func(m *wire.Modules) wire.Request {
		return wire.Request{Branch: m.EncodeWays(made, other, last)}
	})
	if err != nil {
		return slicing.Branch{}, fmt.Errorf("branch: %w", err)
	}
	if r.Branch == nil {
		return slicing.Branch{}, errors.New("branch: the answer has none")
	}
	b, err := s.modules.DecodeBranch(r.Branch)
	if err != nil {
		return slicing.Branch{}, fmt.Errorf("branch: %w", err)
	}
	return b, nil
}

// Close ends the child.
func (s *Slicer) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopChild()
	return nil
}

func (s *Slicer) stopChild() {
	if s.child != nil {
		_ = s.child.End()
		s.child = nil
	}
}

// askChild sends the child a request that may take so long, or until the deadline of ctx.
func (s *Slicer) askChild(ctx context.Context, limit time.Duration, ask func(*wire.Modules) wire.Request) (*wire.Response, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.failures > maxFailures {
		return nil, fmt.Errorf("the process that makes slices failed %d times and is not started again", s.failures)
	}
	if s.child == nil {
		child, err := subprocess.Start(s.command())
		if err != nil {
			s.failures++
			return nil, err
		}
		s.child, s.modules = child, wire.NewModules()
	}
	limit = slicing.TimeUntil(ctx, limit)
	r := ask(s.modules)
	r.Modules, r.Time = s.modules.TakeUnsent(), limit
	out := new(wire.Response)
	line, err := json.Marshal(r)
	if err == nil {
		line, err = s.child.Ask(line, slicing.CrowdedFactor*limit+grace)
	}
	if err == nil {
		err = json.Unmarshal(line, out)
	}
	if err != nil {
		s.failures++
		s.stopChild()
		return nil, fmt.Errorf("the process that makes slices failed: %w", err)
	}
	s.modules.AddReceived(out.Modules)
	switch {
	case out.Nothing:
		return nil, &nothingError{out.Error}
	case out.Error != "":
		return nil, errors.New(out.Error)
	}
	return out, nil
}

// nothingError is an error of the child's that wraps slicing.ErrNothing.
type nothingError struct{ text string }

func (e *nothingError) Error() string { return e.text }
func (e *nothingError) Unwrap() error { return slicing.ErrNothing }
