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

// Reader reads the variables of processes.
type Reader struct {
	Resolver *symbol.Resolver
	// Module is what the resolver knows a module by.
	Module func(*unwind.Frame) *model.Module
}

// Rank reads what the variables of a stack hold; memory is that of the process, as it was when the stack
// was taken.
func (r Reader) Rank(rank int, frames []unwind.Frame, memory io.ReaderAt) values.Rank {
	out := values.Rank{Rank: rank}
	for i := range frames[:min(len(frames), maxFrames)] {
		scope := unwind.Scope{Frame: &frames[i], Memory: memory}
		if i+1 < len(frames) {
			scope.Caller = &frames[i+1]
		}
		r.frame(&out, scope)
	}
	return out
}

// frame adds one frame with the calls that were inlined there.
func (r Reader) frame(out *values.Rank, scope unwind.Scope) {
	f := scope.Frame
	if f.Module == nil || symbol.SystemModule(f.Module.Path) {
		return
	}
	code, err := r.Resolver.Code(r.Module(f))
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
		r.locals(&d, l.Locals, scope)
		out.Frames = append(out.Frames, values.Frame{
			Function: l.Function, File: l.File, Line: l.Line, Values: d.out,
		})
		r.static(out, l.File, in.Static, f.Module.Bias, d)
	}
}

// locals adds the variables of a call, numbers first: a large struct takes the room of many.
func (r Reader) locals(d *describer, list []symbol.Local, scope unwind.Scope) {
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
func (r Reader) static(out *values.Rank, file string, vars []symbol.Variable, bias uint64, d describer) {
	if _, known := out.Static[file]; known || file == "" {
		return
	}
	d.out = nil
	for _, v := range vars {
		d.named(v.Name, v.Type, unwind.Datum{Address: uint64(v.Offset) + bias})
	}
	if out.Static == nil {
		out.Static = map[string][]values.Value{}
	}
	out.Static[file] = d.out
}
