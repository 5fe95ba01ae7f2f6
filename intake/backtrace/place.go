package backtrace

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/internal/lateregexp"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/symbol"
)

// level is a frame as the model has it, with what it is called.
type level struct {
	frame model.Frame
	at    symbol.Location
}

// placer gives the frames of texts their places in modules, and remembers the
// names that the texts have for them.
type placer struct {
	program         *symbol.Program // nil: not given
	resolver        *symbol.Resolver
	names           *symbol.Names
	named           map[string]model.Frame // frames that have names but no address to look up
	modules         map[[2]string]*model.Module
	functionModules map[string]string // of functions: the module that has them
}

func newPlacer(o Options) *placer {
	p := &placer{
		program: o.Program, resolver: o.Resolver, names: &symbol.Names{},
		named: map[string]model.Frame{}, modules: map[[2]string]*model.Module{},
	}
	if o.Ancestor != nil {
		p.functionModules = o.Ancestor.functionModules()
		o.Ancestor.addFrameNames(p.names)
		for _, s := range o.Ancestor.union.States {
			for _, f := range s.Stack {
				if f.Module != nil && f.Module.BuildID != "" {
					p.modules[[2]string{f.Module.BuildID, ""}] = f.Module
				}
			}
		}
	}
	return p
}

// placeStack places a stack. What was inlined is one level with the function it was
// inlined into, as in the model.
func (p *placer) placeStack(s Stack) []level {
	var out []level
	frames := withProgram(s.Frames)
	for i := 0; i < len(frames); i++ {
		first := i
		for i+1 < len(frames) && frames[i].Inlined {
			i++
		}
		out = append(out, p.placeFrame(frames[first:i+1], s.Program))
	}
	return out
}

// fortranProgram is what compilers call the main program of Fortran.
const fortranProgram = "MAIN__"

var fortranFile = lateregexp.New(`(?i)\.(?:f|for|ftn|f\d\d)$`)

// withProgram names the main program of Fortran as its compiler does, where gdb
// has the name from the source: other tools have no other.
func withProgram(frames []Frame) []Frame {
	for i := 1; i < len(frames); i++ {
		if frames[i].Function == "main" && fortranFile.MatchString(frames[i].File) {
			frames = slices.Clone(frames)
			frames[i-1].Function = fortranProgram
		}
	}
	return frames
}

// placeFrame places frames of which all but the last are inlined.
func (p *placer) placeFrame(frames []Frame, program string) level {
	calls, known := callsOf(frames)
	last := frames[len(frames)-1]
	f, found := p.moduleFrame(last)
	if !found {
		return p.placeByName(last, calls, known, program)
	}
	at := p.resolver.Resolve(f, true)
	if at.Exact {
		p.names.Add(f, namesOf(at))
	} else if known {
		p.names.Add(f, calls)
	}
	if name, ok := p.names.Lookup(f); ok && !at.Exact {
		at = name
	}
	return level{f, at}
}

// namesOf returns what the files of the program call a place: who reads the run
// directory may not have them.
func namesOf(at symbol.Location) []symbol.NamedCall {
	var out []symbol.NamedCall
	for _, c := range at.Calls() {
		out = append(out, symbol.NamedCall{Function: c.Signature, File: c.File, Line: c.Line})
	}
	return out
}

// callsOf returns what the text calls the frames, and whether it names them all.
func callsOf(frames []Frame) (calls []symbol.NamedCall, known bool) {
	known = true
	for _, f := range frames {
		calls = append(calls, symbol.NamedCall{Function: f.Function, File: f.File, Line: f.Line})
		known = known && f.Function != ""
	}
	return calls, known
}

// startOfFixed is below where programs and libraries are put that the system
// may place anywhere; a module that begins below it runs at the addresses that
// are in its file.
const startOfFixed = 1 << 32

// LoadBias is what to take off the address to get that in the module's file.
func (f Frame) LoadBias() uint64 {
	if f.Base >= startOfFixed {
		return f.Base
	}
	return 0
}

// moduleFrame finds the module and the address in it. The address of an instruction
// is given as if it were a return address, one more, since the model has no
// others in its states.
func (p *placer) moduleFrame(f Frame) (model.Frame, bool) {
	at := f.Address
	if f.PC {
		at++
	}
	switch {
	case max(f.Offset, f.Address) >= nodefile.MaxOffset: // no code is there
		return model.Frame{}, false
	case f.Module != "" && (f.Offset != 0 || f.isPython()):
		return model.Frame{Module: p.moduleFor(f.BuildID, f.Module), Offset: f.Offset}, true
	case f.BuildID != "" && f.Base != 0 && f.Base <= f.Address:
		return model.Frame{Module: p.moduleFor(f.BuildID, f.Module), Offset: at - f.LoadBias()}, true
	case p.program != nil && p.program.Fixed && f.Address != 0 && p.program.Contains(f.Address):
		return model.Frame{Module: p.program.Module, Offset: at}, true
	}
	return model.Frame{}, false
}

// isPython reports whether it is a frame of a Python program, of which the offset is the line.
func (f Frame) isPython() bool {
	_, _, is := (&model.Module{BuildID: f.BuildID, Path: f.Module}).PythonFunction()
	return is
}

func (p *placer) moduleFor(buildID, path string) *model.Module {
	if p.program != nil && buildID == p.program.Module.BuildID && buildID != "" {
		return p.program.Module
	}
	key := [2]string{buildID, path}
	if buildID != "" {
		key[1] = "" // one file, wherever it was
	}
	if p.modules[key] == nil {
		p.modules[key] = &model.Module{BuildID: buildID, Path: path}
	}
	return p.modules[key]
}

// placeByName places a frame that has no address to look up. Where the system puts
// programs at random, addresses of two processes cannot be compared, so that
// what the text says else must tell places apart.
func (p *placer) placeByName(f Frame, calls []symbol.NamedCall, known bool, program string) level {
	if !known && f.Module == "" {
		raw := model.Frame{Offset: f.Address & nodefile.MaxOffset}
		return level{raw, p.resolver.Resolve(raw, true)}
	}
	module := cmp.Or(f.Module, p.functionModules[normalisedName(f.Function)])
	if module == "" {
		module = program
	}
	if module == "" {
		module = symbol.Unknown
	}
	text := &strings.Builder{}
	for _, c := range calls {
		fmt.Fprintf(text, "%q %q %d ", c.Function, c.File, c.Line)
	}
	fmt.Fprintf(text, "%q", module)
	frame, seen := p.named[text.String()]
	if !seen {
		frame = p.names.NewFrame(module, calls)
		p.named[text.String()] = frame
	}
	at, _ := p.names.Lookup(frame)
	return level{frame, at}
}
