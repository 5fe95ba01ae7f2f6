package inside

import (
	"cmp"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
	"laggard/reduce"
	"laggard/symbol"
)

// View is what is seen of ranks inside the library. The zero value is the neutral
// element.
type View struct {
	Libraries []Library     // which MPI, ascending; one, unless ranks differ
	Stacks    []Stack       // the distinct ones, ascending; at most maxStacks
	Others    model.RankSet // ranks with a stack that there was no room for
}

// Library is an MPI library.
type Library struct {
	Family  mpi.Family
	Version string // what MPI_Get_library_version says; "" unknown
}

// Stack is the part of a captured stack that is inside the library: from the
// innermost frame, a program counter, outwards.
type Stack struct {
	Frames []model.Frame // without run-time addresses
	Ranks  model.RankSet
}

// maxStacks bounds the stacks of a View. Ranks that look for messages are seen at a
// few places of the library, however many they are.
const maxStacks = 256

// Views reduces the views of analysis ranks.
var Views = reduce.JSONMonoid(Merge)

// ViewOf is what is seen of one rank.
func ViewOf(r *model.Rank) View {
	v := View{Libraries: []Library{{r.Family, r.Library}}}
	for _, t := range r.Threads {
		c := t.Captured
		if c == nil || !c.InMPI || c.Calls != t.Calls {
			continue
		}
		s := Stack{Ranks: model.NewRankSet(r.Rank)}
		for _, f := range c.Stack {
			if f.Module == nil || !symbol.IsSystemModule(f.Module.Path) {
				break
			}
			if !symbol.IsRecorderModule(f.Module.Path) {
				s.Frames = append(s.Frames, model.Frame{
					Module: &model.Module{BuildID: f.Module.BuildID, Path: f.Module.Path}, Offset: f.Offset,
				})
			}
		}
		if len(s.Frames) > 0 {
			v.Stacks = append(v.Stacks, s)
			break // the first thread is the one that MPI was initialised in
		}
	}
	return v
}

// Merge joins what is seen of some ranks and of others.
func Merge(a, b View) View {
	v := View{
		Libraries: reduce.MergeSorted(a.Libraries, b.Libraries, compareLibraries,
			func(x, _ Library) Library { return x }),
		Stacks: reduce.MergeSorted(a.Stacks, b.Stacks, compareStacks, func(x, y Stack) Stack {
			return Stack{x.Frames, x.Ranks.Union(y.Ranks)}
		}),
		Others: a.Others.Union(b.Others),
	}
	for len(v.Stacks) > maxStacks {
		last := len(v.Stacks) - 1
		v.Others = v.Others.Union(v.Stacks[last].Ranks)
		v.Stacks = v.Stacks[:last]
	}
	return v
}

func compareLibraries(a, b Library) int {
	return cmp.Or(cmp.Compare(a.Family, b.Family), cmp.Compare(a.Version, b.Version))
}

func compareStacks(a, b Stack) int {
	return slices.CompareFunc(a.Frames, b.Frames, func(x, y model.Frame) int {
		return cmp.Or(cmp.Compare(x.Module.BuildID, y.Module.BuildID), cmp.Compare(x.Module.Path, y.Module.Path),
			cmp.Compare(x.Offset, y.Offset))
	})
}
