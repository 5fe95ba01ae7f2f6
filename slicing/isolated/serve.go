package isolated

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"laggard/model"
	"laggard/slicing"
)

// maxRequest bounds one request, in bytes.
const maxRequest = 256 << 20

// Serve answers the requests that it reads from in, one line each, on out, with the slices and
// branches of s, until in ends. prepare reads the symbols of a stack first; that takes no time from the answer.
func Serve(s slicing.Slicer, prepare func(stack []model.Frame), in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRequest)
	m := newModules()
	for lines.Scan() {
		line, err := json.Marshal(m.respond(s, prepare, lines.Bytes()))
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// respond answers one request. What the request or the Slicer gets wrong is in the response.
func (m *modules) respond(s slicing.Slicer, prepare func([]model.Frame), line []byte) (out response) {
	err := func() error {
		r := new(request)
		if err := json.Unmarshal(line, r); err != nil {
			return err
		}
		m.addReceived(r.Modules)
		for _, stack := range r.allStacks() {
			if frames, err := m.decodeStack(stack); err == nil {
				prepare(frames)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), slicing.CrowdedFactor*r.Time)
		defer cancel()
		switch {
		case r.Slice != nil:
			c, err := m.decodeCriterion(r.Slice)
			if err != nil {
				return err
			}
			made, err := s.Slice(ctx, c, r.Slice.Budget)
			out.Slice = &made
			return err
		case r.Branch != nil:
			branch, err := m.answerBranch(ctx, s, r.Branch)
			out.Branch = branch
			return err
		}
		return errors.New("the request asks for nothing")
	}()
	if err != nil {
		out = response{Error: err.Error(), Nothing: errors.Is(err, slicing.ErrNothing)}
	}
	out.Modules = m.takeUnsent()
	return out
}

func (m *modules) answerBranch(ctx context.Context, s slicing.Slicer, r *branchRequest) (*branchResponse, error) {
	made, err := m.decodeStack(r.Made)
	if err != nil {
		return nil, err
	}
	other, err := m.decodeStack(r.Other)
	if err != nil {
		return nil, err
	}
	last, err := m.decodeStack(r.Last)
	if err != nil {
		return nil, err
	}
	b, err := s.Branch(ctx, made, other, last)
	if err != nil {
		return nil, err
	}
	return m.encodeBranch(b), nil
}
