package scaling

import (
	"laggard/analysis/scaling/recorded"
	"laggard/model"
	"laggard/symbol"
)

// namer adds functions and lines to the frames of call stacks.
type namer struct {
	resolver *symbol.Resolver
	modules  map[model.Module]*model.Module
}

func newNamer(c symbol.Config) *namer {
	return &namer{symbol.New(c), map[model.Module]*model.Module{}}
}

func (n *namer) close() { n.resolver.Close() }

// nameFrames names the frames that have no name yet. atPC: the innermost is a program
// counter, not a return address.
func (n *namer) nameFrames(frames []recorded.Frame, atPC bool) {
	for i := range frames {
		f := &frames[i]
		if f.Offset == 0 || f.Function != "" && f.Line != 0 || f.Module == "" {
			continue
		}
		key := model.Module{Path: f.Module, BuildID: f.BuildID}
		if n.modules[key] == nil {
			n.modules[key] = &key
		}
		l := n.resolver.Resolve(model.Frame{Module: n.modules[key], Offset: f.Offset}, i > 0 || !atPC)
		if l.Function != "" {
			f.Function, f.File, f.Line = l.Function, l.File, l.Line
		}
	}
}

func (n *namer) nameSites(sites []recorded.Site) {
	for i := range sites {
		n.nameFrames(sites[i].Frames, false)
	}
}
