package values

import (
	"io"

	"laggard/intake/unwind"
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
		scope := unwind.Scope{Frame: &frames[i], Memory: memory}
		if i+1 < len(frames) {
			scope.Caller = &frames[i+1]
		}
		r.frame(scope)
	}
	return r.out
}

// reader is at work on one rank.
type reader struct {
	resolver *symbol.Resolver
	out      values.Rank
}

// frame adds one frame with the calls that were inlined there.
func (r *reader) frame(scope unwind.Scope) {
	f := scope.Frame
	if f.Module == nil || symbol.SystemModule(f.Module.Path) {
		return
	}
	code, err := r.resolver.Code(&model.Module{BuildID: f.Module.BuildID, Path: f.Module.Path, Base: f.Module.Bias})
	if err != nil {
		return
	}
	pc := f.PC() - f.Module.Bias
	if !f.Exact {
		pc--
	}
	in := code.Visible(pc)
	if in == nil {
		return
	}
	scope.Base = in.Base
	d := describer{code: code, memory: scope.Memory, dot: ".", arrow: "->"}
	if in.Fortran {
		d = describer{code: code, memory: scope.Memory, dot: "%", arrow: "%"}
	}
	for _, l := range in.Levels {
		d.out = nil
		d.locals(l.Locals, scope)
		r.out.Frames = append(r.out.Frames, values.Frame{
			Function: l.Function, File: l.File, Line: l.Line, Values: d.out,
		})
		r.static(l.File, in.Static, f.Module.Bias, d)
	}
}

// locals adds the variables of a call, numbers first: a large struct takes the room of many.
func (d *describer) locals(list []symbol.Local, scope unwind.Scope) {
	for _, numbers := range []bool{true, false} {
		for _, v := range list {
			if (v.Type.Number != symbol.None) != numbers {
				continue
			}
			if at, ok := scope.Find(v.Place); ok {
				d.named(v.Name, v.Type, at)
			}
		}
	}
}

// static adds the variables outside of functions that a file can see, once.
func (r *reader) static(file string, vars []symbol.Variable, bias uint64, d describer) {
	if _, known := r.out.Static[file]; known || file == "" {
		return
	}
	d.out = nil
	for _, v := range vars {
		d.named(v.Name, v.Type, unwind.Datum{Address: uint64(v.Offset) + bias})
	}
	if r.out.Static == nil {
		r.out.Static = map[string][]values.Value{}
	}
	r.out.Static[file] = d.out
}
