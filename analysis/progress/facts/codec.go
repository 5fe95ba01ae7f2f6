package facts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"laggard/analysis/progress/loops"
	"laggard/model"
)

// ErrEncoding wraps what is wrong with an encoded summary or partial.
var ErrEncoding = errors.New("progress: bad encoding")

// wireSummary is a Summary with its modules listed once.
type wireSummary struct {
	Sizes   []Count      `json:"sizes,omitempty"`
	Outside int          `json:"outside,omitempty"`
	Modules []wireModule `json:"modules,omitempty"`
	Facts   []byte       `json:"facts,omitempty"` // see packFacts
	Places  []wirePlace  `json:"places,omitempty"`
	Stacks  []wireStack  `json:"stacks,omitempty"`
	Comms   []Comm       `json:"comms,omitempty"`
	loops.Wire
}

type wireModule struct {
	BuildID string `json:"build_id"`
	Path    []byte `json:"path"` // any bytes but NUL
}

// wireFrame is an index into the modules, -1 none, and the offset.
type wireFrame struct {
	Module int    `json:"m"`
	Offset uint64 `json:"o"`
}

type wirePlace struct {
	At    Position    `json:"at"`
	Call  string      `json:"call,omitempty"`
	Stack []wireFrame `json:"stack,omitempty"`
}

type wireStack struct {
	Frames []wireFrame   `json:"frames"`
	Fatal  bool          `json:"fatal,omitempty"`
	Ranks  model.RankSet `json:"ranks"`
}

// EncodeSummary writes a summary as JSON; equal summaries give equal bytes.
func EncodeSummary(s Summary) ([]byte, error) {
	w := wireSummary{Sizes: s.Sizes, Outside: s.Outside, Comms: s.Comms}
	if len(s.Facts) > 0 {
		w.Facts = packFacts(s.Facts)
	}
	table := map[moduleKey]int{}
	frames := func(in []model.Frame) []wireFrame {
		var out []wireFrame
		for _, f := range in {
			out = append(out, wireFrame{w.moduleIndex(table, f.Module), f.Offset})
		}
		return out
	}
	for _, p := range s.Places {
		w.Places = append(w.Places, wirePlace{p.At, p.Call, frames(p.Stack)})
	}
	for _, st := range s.Stacks {
		w.Stacks = append(w.Stacks, wireStack{frames(st.Frames), st.Fatal, st.Ranks})
	}
	w.Wire = s.Flow.Wire()
	return json.Marshal(w)
}

func (w *wireSummary) moduleIndex(table map[moduleKey]int, m *model.Module) int {
	if m == nil {
		return -1
	}
	key := moduleKey{m.BuildID, m.Path}
	i, known := table[key]
	if !known {
		i = len(w.Modules)
		table[key] = i
		w.Modules = append(w.Modules, wireModule{m.BuildID, []byte(m.Path)})
	}
	return i
}

// DecodeSummary reads what EncodeSummary wrote. Errors wrap ErrEncoding.
func DecodeSummary(b []byte) (Summary, error) {
	var w wireSummary
	if err := decode(b, &w); err != nil {
		return Summary{}, err
	}
	s := Summary{Sizes: w.Sizes, Outside: w.Outside, Comms: w.Comms}
	modules := make([]*model.Module, len(w.Modules))
	for i, m := range w.Modules {
		modules[i] = &model.Module{BuildID: m.BuildID, Path: string(m.Path)}
	}
	for _, p := range w.Places {
		frames, err := framesOf(p.Stack, modules)
		if err != nil {
			return Summary{}, err
		}
		s.Places = append(s.Places, Place{p.At, p.Call, frames})
	}
	for _, st := range w.Stacks {
		frames, err := framesOf(st.Frames, modules)
		if err != nil {
			return Summary{}, err
		}
		s.Stacks = append(s.Stacks, Stack{frames, st.Fatal, st.Ranks})
	}
	var err error
	if s.Facts, err = unpackFacts(w.Facts); err != nil {
		return Summary{}, err
	}
	if s.Flow, err = w.Wire.Flow(); err != nil {
		return Summary{}, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	if err := s.check(); err != nil {
		return Summary{}, err
	}
	return s, nil
}

func framesOf(in []wireFrame, modules []*model.Module) ([]model.Frame, error) {
	var out []model.Frame
	for _, f := range in {
		frame := model.Frame{Offset: f.Offset}
		switch {
		case f.Module >= 0 && f.Module < len(modules):
			frame.Module = modules[f.Module]
		case f.Module != -1:
			return nil, fmt.Errorf("%w: module %d of %d", ErrEncoding, f.Module, len(modules))
		}
		out = append(out, frame)
	}
	return out, nil
}

// check verifies what the rest of the package relies on: order and bounds.
func (s *Summary) check() error {
	if s.Outside < 0 {
		return fmt.Errorf("%w: %d ranks outside", ErrEncoding, s.Outside)
	}
	if err := checkCounts(s.Sizes); err != nil {
		return err
	}
	for i, f := range s.Facts {
		if f.Rank < 0 || f.Rank >= MaxSize || i > 0 && f.Rank <= s.Facts[i-1].Rank {
			return fmt.Errorf("%w: fact of rank %d out of place", ErrEncoding, f.Rank)
		}
		if !hadSorted(f.Waits) {
			return fmt.Errorf("%w: rank %d: counts out of order", ErrEncoding, f.Rank)
		}
	}
	for i, st := range s.Stacks {
		if err := checkSet(st.Ranks); err != nil {
			return err
		}
		if i > 0 && compareStacks(s.Stacks[i-1], st) >= 0 {
			return fmt.Errorf("%w: stacks out of order", ErrEncoding)
		}
	}
	for i := 1; i < len(s.Places); i++ {
		if comparePlaces(s.Places[i-1], s.Places[i]) >= 0 {
			return fmt.Errorf("%w: places out of order", ErrEncoding)
		}
	}
	return s.checkComms()
}

func (s *Summary) checkComms() error {
	for i, c := range s.Comms {
		if i > 0 && c.ID <= s.Comms[i-1].ID {
			return fmt.Errorf("%w: communicators out of order", ErrEncoding)
		}
		if err := errors.Join(checkSet(c.Groups[0]), checkSet(c.Groups[1]), checkCounts(c.Counts), checkHolds(c.Locks)); err != nil {
			return err
		}
	}
	return nil
}

func checkCounts(counts []Count) error {
	for i, c := range counts {
		if i > 0 && c.N <= counts[i-1].N {
			return fmt.Errorf("%w: counts out of order", ErrEncoding)
		}
		if err := checkSet(c.Ranks); err != nil {
			return err
		}
	}
	return nil
}

func checkHolds(locks []Hold) error {
	for i, h := range locks {
		if i > 0 && compareHolds(locks[i-1], h) >= 0 {
			return fmt.Errorf("%w: locks out of order", ErrEncoding)
		}
		if err := checkSet(h.Ranks); err != nil {
			return err
		}
	}
	return nil
}

// checkSet bounds what a walk through a set costs.
func checkSet(set model.RankSet) error {
	if set.Max() >= MaxSize {
		return fmt.Errorf("%w: rank %d", ErrEncoding, set.Max())
	}
	return nil
}

func hadSorted(waits []Wait) bool {
	for _, wait := range waits {
		for _, w := range wait.Wants {
			for i := 1; i < len(w.Had); i++ {
				if compareHad(w.Had[i-1], w.Had[i]) >= 0 {
					return false
				}
			}
		}
	}
	return true
}

// decode reads one JSON value that fills the bytes and has known fields only.
func decode(b []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("%w: more than one value", ErrEncoding)
	}
	return nil
}
