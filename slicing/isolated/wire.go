package isolated

import (
	"fmt"
	"time"

	"laggard/model"
	"laggard/slicing"
)

// request is a line from the parent to the child: one of Slice and Branch.
type request struct {
	Modules []model.Module // those that come behind the ones of earlier requests
	Time    time.Duration  // how long the answer may take
	Slice   *sliceRequest  `json:",omitempty"`
	Branch  *branchRequest `json:",omitempty"`
}

// allStacks are those of the request, but for the peers.
func (r *request) allStacks() [][]frame {
	switch {
	case r.Slice != nil:
		return [][]frame{r.Slice.Stack}
	case r.Branch != nil:
		return [][]frame{r.Branch.Made, r.Branch.Other, r.Branch.Last}
	}
	return nil
}

type sliceRequest struct {
	Rank   int
	Call   string
	Stack  []frame
	Exact  bool
	Peers  []site
	Budget slicing.Budget
}

type branchRequest struct{ Made, Other, Last []frame }

// response is the child's answer to one request.
type response struct {
	Modules []model.Module  // those that come behind the ones of the request
	Slice   *slicing.Slice  `json:",omitempty"`
	Branch  *branchResponse `json:",omitempty"`
	Error   string          // "": there is none
	Nothing bool            // the error wraps slicing.ErrNothing
}

type branchResponse struct {
	Jump jump
	Or   []jump
	Ways slicing.Ways
}

type jump struct {
	Stack   []frame
	Loop    bool
	Outside bool
	Alike   bool
	Differs bool
}

type site struct {
	Call  string
	Stack []frame
}

// frame is a model.Frame with the number of its module, -1 for none.
type frame struct {
	Module int
	Offset uint64
}

// modules numbers the modules of frames. Both processes have the same ones, in the order in which
// they were first sent.
type modules struct {
	list   []*model.Module
	number map[*model.Module]int
	sent   int
}

func newModules() *modules { return &modules{number: map[*model.Module]int{}} }

func (m *modules) add(module *model.Module) int {
	n, known := m.number[module]
	if !known {
		n = len(m.list)
		m.list, m.number[module] = append(m.list, module), n
	}
	return n
}

// takeUnsent are the modules that were added since the last call.
func (m *modules) takeUnsent() (out []model.Module) {
	for _, module := range m.list[m.sent:] {
		out = append(out, *module)
	}
	m.sent = len(m.list)
	return out
}

func (m *modules) encodeStack(stack []model.Frame) []frame {
	if stack == nil {
		return nil
	}
	out := make([]frame, len(stack))
	for i, f := range stack {
		out[i] = frame{-1, f.Offset}
		if f.Module != nil {
			out[i].Module = m.add(f.Module)
		}
	}
	return out
}

func (m *modules) decodeStack(stack []frame) ([]model.Frame, error) {
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

func (m *modules) encodeCriterion(c slicing.Criterion, b slicing.Budget) *sliceRequest {
	out := &sliceRequest{Rank: c.Rank, Call: c.Call, Stack: m.encodeStack(c.Stack), Exact: c.Exact, Budget: b}
	for _, p := range c.Peers {
		out.Peers = append(out.Peers, site{p.Call, m.encodeStack(p.Stack)})
	}
	return out
}

func (m *modules) decodeCriterion(r *sliceRequest) (c slicing.Criterion, err error) {
	c = slicing.Criterion{Rank: r.Rank, Call: r.Call, Exact: r.Exact}
	if c.Stack, err = m.decodeStack(r.Stack); err != nil {
		return c, err
	}
	for _, p := range r.Peers {
		stack, err := m.decodeStack(p.Stack)
		if err != nil {
			return c, err
		}
		c.Peers = append(c.Peers, slicing.Site{Call: p.Call, Stack: stack})
	}
	return c, nil
}

func (m *modules) encodeBranch(b slicing.Branch) *branchResponse {
	out := &branchResponse{Jump: m.encodeJump(b.Jump), Ways: b.Ways}
	for _, j := range b.Or {
		out.Or = append(out.Or, m.encodeJump(j))
	}
	return out
}

func (m *modules) decodeBranch(r *branchResponse) (b slicing.Branch, err error) {
	b.Ways = r.Ways
	if b.Jump, err = m.decodeJump(r.Jump); err != nil {
		return b, err
	}
	for _, j := range r.Or {
		decoded, err := m.decodeJump(j)
		if err != nil {
			return b, err
		}
		b.Or = append(b.Or, decoded)
	}
	return b, nil
}

func (m *modules) encodeJump(j slicing.Jump) jump {
	return jump{m.encodeStack(j.Stack), j.Loop, j.Outside, j.Alike, j.Differs}
}

func (m *modules) decodeJump(j jump) (slicing.Jump, error) {
	stack, err := m.decodeStack(j.Stack)
	return slicing.Jump{Stack: stack, Loop: j.Loop, Outside: j.Outside, Alike: j.Alike, Differs: j.Differs}, err
}

// addReceived adds the modules that the other process has sent.
func (m *modules) addReceived(list []model.Module) {
	for i := range list {
		m.add(&list[i])
	}
	m.sent = len(m.list)
}
