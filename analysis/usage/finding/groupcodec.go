package finding

import (
	"encoding/json"
	"errors"
	"fmt"

	"laggard/analysis/usage/recorded"
	"laggard/model"
)

// ErrFindings is wrapped by errors about encoded findings.
var ErrFindings = errors.New("usage: damaged findings")

// The encoded form of a Group. Modules are written once.
type (
	wireGroup struct {
		Modules  []model.Module
		Findings []wireFinding
	}
	wireFinding struct {
		Class, Severity, Message, Change, Standard string
		Ranks                                      model.RankSet
		Count                                      int
		Places                                     []wirePlace
	}
	wirePlace struct {
		Rank    int
		Call    string
		Role    string
		Muted   bool
		Binding model.Binding
		Stack   []wireFrame
	}
	wireFrame struct {
		Module int // -1: none
		Offset uint64
	}
)

// EncodeGroup writes a group as bytes, for DecodeGroup; the same bytes in whatever order
// the findings came.
func EncodeGroup(g *Group) ([]byte, error) {
	var w wireGroup
	at := map[model.Module]int{}
	for _, f := range g.List() {
		x := wireFinding{f.Class, f.Severity, f.Message, f.Change, f.Standard, f.Ranks, f.Count, nil}
		for _, p := range f.Places {
			x.Places = append(x.Places, wirePlace{p.Rank, p.Call, p.Role, p.Muted, p.Site.Binding, w.frames(p.Site.Stack, at)})
		}
		w.Findings = append(w.Findings, x)
	}
	return json.Marshal(w)
}

func (w *wireGroup) frames(stack []model.Frame, at map[model.Module]int) []wireFrame {
	out := make([]wireFrame, len(stack))
	for i, f := range stack {
		k := -1
		if f.Module != nil {
			var known bool
			if k, known = at[*f.Module]; !known {
				k = len(w.Modules)
				at[*f.Module] = k
				w.Modules = append(w.Modules, *f.Module)
			}
		}
		out[i] = wireFrame{k, f.Offset}
	}
	return out
}

// DecodeGroup reads what EncodeGroup wrote.
func DecodeGroup(data []byte) (*Group, error) {
	var w wireGroup
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrFindings, err)
	}
	modules := make([]*model.Module, len(w.Modules))
	for i := range w.Modules {
		modules[i] = &w.Modules[i]
	}
	g := NewGroup()
	for i, x := range w.Findings {
		f := Finding{Class: x.Class, Severity: x.Severity, Message: x.Message, Change: x.Change, Standard: x.Standard, Ranks: x.Ranks, Count: x.Count}
		for _, p := range x.Places {
			place := Place{Rank: p.Rank, Call: p.Call, Role: p.Role, Muted: p.Muted, Site: recorded.Site{Binding: p.Binding}}
			for _, frame := range p.Stack {
				if frame.Module < -1 || frame.Module >= len(modules) {
					return nil, fmt.Errorf("%w: finding %d: no module %d", ErrFindings, i, frame.Module)
				}
				m := model.Frame{Offset: frame.Offset}
				if frame.Module >= 0 {
					m.Module = modules[frame.Module]
				}
				place.Site.Stack = append(place.Site.Stack, m)
			}
			f.Places = append(f.Places, place)
		}
		g.Add(f)
	}
	return g, nil
}
