package wire

import (
	"fmt"
	"time"

	"laggard/model"
	"laggard/slicing"
)

// Request asks a slicer for an answer: one of Slice and Branch.
type Request struct {
	Modules []model.Module // those that come behind the ones of earlier requests
	Time    time.Duration  // how long the answer may take
	Slice   *SliceRequest  `json:",omitempty"`
	Branch  *BranchRequest `json:",omitempty"`
}

// AllStacks are those of the request, but for the peers.
func (r *Request) AllStacks() [][]Frame {
	switch {
	case r.Slice != nil:
		return [][]Frame{r.Slice.Stack}
	case r.Branch != nil:
		return [][]Frame{r.Branch.Made, r.Branch.Other, r.Branch.Last}
	}
	return nil
}

// SliceRequest is a slicing.Criterion with its budget.
type SliceRequest struct {
	Rank   int
	Call   string
	Stack  []Frame
	Exact  bool
	Peers  []Site
	Budget slicing.Budget
}

// BranchRequest has the stacks of slicing.Slicer.Branch.
type BranchRequest struct{ Made, Other, Last []Frame }

// Response is the answer to one request.
type Response struct {
	Modules []model.Module  // those that come behind the ones of the request
	Slice   *slicing.Slice  `json:",omitempty"`
	Branch  *BranchResponse `json:",omitempty"`
	Error   string          // "": there is none
	Nothing bool            // the error wraps slicing.ErrNothing
}

// BranchResponse is a slicing.Branch.
type BranchResponse struct {
	Jump       Jump
	Or, Final  []Jump
	Ways       slicing.Ways
	Ends       []Frame
	Unfinished bool
}

// Jump is a slicing.Jump.
type Jump struct {
	Stack   []Frame
	Loop    bool
	Outside bool
	Alike   bool
	Differs bool
}

// Site is a slicing.Site.
type Site struct {
	Call  string
	Stack []Frame
}

// Frame is a model.Frame with the number of its module, -1 for none.
type Frame struct {
	Module int
	Offset uint64
}

// Modules numbers the modules of frames. Writer and reader have the same ones, in the order in which
// they were first written.
type Modules struct {
	list   []*model.Module
	number map[*model.Module]int
	sent   int
}

// NewModules returns Modules without any.
func NewModules() *Modules { return &Modules{number: map[*model.Module]int{}} }

func (m *Modules) add(module *model.Module) int {
	n, known := m.number[module]
	if !known {
		n = len(m.list)
		m.list, m.number[module] = append(m.list, module), n
	}
	return n
}

// TakeUnsent returns the modules that were added since the last call.
func (m *Modules) TakeUnsent() (out []model.Module) {
	for _, module := range m.list[m.sent:] {
		out = append(out, *module)
	}
	m.sent = len(m.list)
	return out
}

// EncodeStack numbers the modules of a stack.
func (m *Modules) EncodeStack(stack []model.Frame) []Frame {
	if stack == nil {
		return nil
	}
	out := make([]Frame, len(stack))
	for i, f := range stack {
		out[i] = Frame{-1, f.Offset}
		if f.Module != nil {
			out[i].Module = m.add(f.Module)
		}
	}
	return out
}

// DecodeStack is the inverse of EncodeStack. It fails for a module that was not sent.
func (m *Modules) DecodeStack(stack []Frame) ([]model.Frame, error) {
	if stack == nil {
		return nil, nil
	}
	out := make([]model.Frame, len(stack))
	for i, f := range stack {
		out[i].Offset = f.Offset
		switch {
		case f.Module >= len(m.list) || f.Module < -1:
			return nil, fmt.Errorf("module %d of %d", f.Module, len(m.list))
		case f.Module >= 0:
			out[i].Module = m.list[f.Module]
		}
	}
	return out, nil
}

// EncodeCriterion makes the request for a slice.
func (m *Modules) EncodeCriterion(c slicing.Criterion, b slicing.Budget) *SliceRequest {
	out := &SliceRequest{Rank: c.Rank, Call: c.Call, Stack: m.EncodeStack(c.Stack), Exact: c.Exact, Budget: b}
	for _, p := range c.Peers {
		out.Peers = append(out.Peers, Site{p.Call, m.EncodeStack(p.Stack)})
	}
	return out
}

// DecodeCriterion is the inverse of EncodeCriterion, without the budget.
func (m *Modules) DecodeCriterion(r *SliceRequest) (c slicing.Criterion, err error) {
	c = slicing.Criterion{Rank: r.Rank, Call: r.Call, Exact: r.Exact}
	if c.Stack, err = m.DecodeStack(r.Stack); err != nil {
		return c, err
	}
	for _, p := range r.Peers {
		stack, err := m.DecodeStack(p.Stack)
		if err != nil {
			return c, err
		}
		c.Peers = append(c.Peers, slicing.Site{Call: p.Call, Stack: stack})
	}
	return c, nil
}

// EncodeWays makes the request for a branch.
func (m *Modules) EncodeWays(made, other, last []model.Frame) *BranchRequest {
	return &BranchRequest{m.EncodeStack(made), m.EncodeStack(other), m.EncodeStack(last)}
}

// DecodeWays is the inverse of EncodeWays.
func (m *Modules) DecodeWays(r *BranchRequest) (made, other, last []model.Frame, err error) {
	if made, err = m.DecodeStack(r.Made); err != nil {
		return nil, nil, nil, err
	}
	if other, err = m.DecodeStack(r.Other); err != nil {
		return nil, nil, nil, err
	}
	last, err = m.DecodeStack(r.Last)
	return made, other, last, err
}

// EncodeBranch numbers the modules of a branch.
func (m *Modules) EncodeBranch(b slicing.Branch) *BranchResponse {
	return &BranchResponse{
		Jump: m.encodeJump(b.Jump), Or: m.encodeJumps(b.Or), Final: m.encodeJumps(b.Final), Ways: b.Ways, Ends: m.EncodeStack(b.Ends),
		Unfinished: b.Unfinished,
	}
}

// DecodeBranch is the inverse of EncodeBranch.
func (m *Modules) DecodeBranch(r *BranchResponse) (b slicing.Branch, err error) {
	b.Ways, b.Unfinished = r.Ways, r.Unfinished
	if b.Jump, err = m.decodeJump(r.Jump); err != nil {
		return b, err
	}
	if b.Ends, err = m.DecodeStack(r.Ends); err != nil {
		return b, err
	}
	if b.Or, err = m.decodeJumps(r.Or); err != nil {
		return b, err
	}
	b.Final, err = m.decodeJumps(r.Final)
	return b, err
}

func (m *Modules) encodeJumps(jumps []slicing.Jump) (out []Jump) {
	for _, j := range jumps {
		out = append(out, m.encodeJump(j))
	}
	return out
}

func (m *Modules) decodeJumps(jumps []Jump) (out []slicing.Jump, err error) {
	for _, j := range jumps {
		decoded, err := m.decodeJump(j)
		if err != nil {
			return nil, err
		}
		out = append(out, decoded)
	}
	return out, nil
}

func (m *Modules) encodeJump(j slicing.Jump) Jump {
	return Jump{m.EncodeStack(j.Stack), j.Loop, j.Outside, j.Alike, j.Differs}
}

func (m *Modules) decodeJump(j Jump) (slicing.Jump, error) {
	stack, err := m.DecodeStack(j.Stack)
	return slicing.Jump{Stack: stack, Loop: j.Loop, Outside: j.Outside, Alike: j.Alike, Differs: j.Differs}, err
}

// AddReceived adds the modules that came with a request or a response.
func (m *Modules) AddReceived(list []model.Module) {
	for i := range list {
		m.add(&list[i])
	}
	m.sent = len(m.list)
}
