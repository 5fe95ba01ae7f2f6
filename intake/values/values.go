package values

import (
	"io"
	"slices"
	"strings"

	"laggard/binary/expression"
	"laggard/intake/unwind"
	"laggard/internal/bound"
	"laggard/model"
	"laggard/model/values"
	"laggard/symbol"
)

// Limits of what is read of one rank.
const (
	maxFrames = 64
	maxNames  = 128 // of a frame, and of the variables outside of functions that a file can see
)

// Read reads what the variables of a stack of a rank hold; memory is that of the process, as it was when the
// stack was taken.
func Read(resolver *symbol.Resolver, rank int, frames []unwind.Frame, memory io.ReaderAt) values.Rank {
	r := reader{resolver, values.Rank{Rank: rank}}
	for i := range frames[:min(len(frames), maxFrames)] {
		var caller *unwind.Frame
		if i+1 < len(frames) {
			caller = &frames[i+1]
		}
		r.addFrame(&frames[i], caller, memory)
	}
	return r.out
}

// reader is at work on one rank.
type reader struct {
	resolver *symbol.Resolver
	out      values.Rank
}

// addFrame adds one frame with the calls that were inlined there.
func (r *reader) addFrame(f, caller *unwind.Frame, memory io.ReaderAt) {
	if f.Module == nil || symbol.IsSystemModule(f.Module.Path) {
		return
	}
	code, err := r.resolver.CodeOf(&model.Module{BuildID: f.Module.BuildID, Path: f.Module.Path, Base: f.Module.Bias})
	if err != nil {
		return
	}
	pc := f.PC() - f.Module.Bias
	if !f.Exact {
		pc--
	}
	in := code.VisibleVariables(pc)
	if in == nil {
		return
	}
	scope := f.Scope(caller, memory, in.Base)
	d := describer{code: code, memory: memory, dot: ".", arrow: "->", left: bound.New(maxLevels, maxStructs)}
	if in.Fortran {
		d.dot, d.arrow = "%", "%"
	}
	for _, l := range in.Levels {
		d.out = nil
		d.addLocals(l.Locals, scope)
		r.out.Frames = append(r.out.Frames, values.Frame{
			Function: l.Function, File: l.File, Line: l.Line, Values: d.out, Unknown: d.unknown(l.Names),
		})
		r.addStatics(l.File, in.Static, f.Module.Bias, d)
	}
}

// addLocals adds the variables of a call, numbers first: a large struct takes the room of many.
func (d *describer) addLocals(list []symbol.Local, scope expression.Scope) {
	for _, numbers := range []bool{true, false} {
		for _, v := range list {
			if (v.Type.Number != symbol.None) != numbers {
				continue
			}
			if at, ok := scope.Locate(v.Place); ok {
				d.addVariable(v.Name, v.Type, at)
			}
		}
	}
}

// unknown are those of some names of variables that nothing was said of.
func (d *describer) unknown(names []string) (out []string) {
	for _, name := range names {
		said := func(v values.Value) bool { return v.Name == name || strings.HasPrefix(v.Name, name+d.dot) }
		if name != "" && !slices.ContainsFunc(d.out, said) && !slices.Contains(out, name) && len(out) < maxNames {
			out = append(out, name)
		}
	}
	return out
}

// addStatics adds the variables outside of functions that a file can see, once.
func (r *reader) addStatics(file string, vars []symbol.Variable, bias uint64, d describer) {
	if _, known := r.out.Static[file]; known || file == "" {
		return
	}
	d.out, d.shared = nil, true
	for _, v := range vars {
		d.addVariable(v.Name, v.Type, expression.Datum{Address: uint64(v.Offset) + bias})
	}
	if r.out.Static == nil {
		r.out.Static = map[string][]values.Value{}
	}
	r.out.Static[file] = d.out
}
