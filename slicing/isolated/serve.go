package isolated

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"

	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/wire"
)

// maxRequest bounds one request, in bytes.
const maxRequest = 256 << 20

// Serve answers the requests that it reads from in, one line each, on out, with the slices and
// branches of s, until in ends. prepare reads the symbols of a stack first; that takes no time from the answer.
func Serve(s slicing.Slicer, prepare func(stack []model.Frame), in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxRequest)
	answering := &server{slicer: s, prepare: prepare, modules: wire.NewModules()}
	for lines.Scan() {
		line, err := json.Marshal(answering.respond(lines.Bytes()))
		if err != nil {
			return err
		}
		if _, err := out.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return lines.Err()
}

// server answers the requests of one parent.
type server struct {
	slicer  slicing.Slicer
	prepare func(stack []model.Frame)
	modules *wire.Modules // that the parent has sent
}

// respond answers one request. What the request or the Slicer gets wrong is in the response.
func (s *server) respond(line []byte) (out wire.Response) {
	err := func() error {
		r := new(wire.Request)
		if err := json.Unmarshal(line, r); err != nil {
			return err
		}
		s.modules.AddReceived(r.Modules)
		for _, stack := range r.AllStacks() {
			if frames, err := s.modules.DecodeStack(stack); err == nil {
				s.prepare(frames)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), slicing.CrowdedFactor*r.Time)
		defer cancel()
		switch {
		case r.Slice != nil:
			c, err := s.modules.DecodeCriterion(r.Slice)
			if err != nil {
				return err
			}
			made, err := s.slicer.Slice(ctx, c, r.Slice.Budget)
			out.Slice = &made
			return err
		case r.Branch != nil:
			made, other, last, err := s.modules.DecodeWays(r.Branch)
			if err != nil {
				return err
			}
			branch, err := s.slicer.Branch(ctx, made, other, last)
			out.Branch = s.modules.EncodeBranch(branch)
			return err
		}
		return errors.New("the request asks for nothing")
	}()
	if err != nil {
		out = wire.Response{Error: err.Error(), Nothing: errors.Is(err, slicing.ErrNothing)}
	}
	out.Modules = s.modules.TakeUnsent()
	return out
}
