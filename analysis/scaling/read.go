package scaling

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// reader reads what the ranks of runs sent, each analysis rank its share.
type reader struct {
	comm    reduce.Comm
	tree    *reduce.Tree
	sources []recorded.Source
	ignore  []string // control features that are left out
	only    []string // if not nil, the only control features that are wanted
}

// readRun reads a run with further control features; all analysis ranks get the whole.
func (r reader) readRun(ctx context.Context, dir string, add map[string]float64) (*volumesRead, *runfiles.Index, error) {
	s, err := share.Find(dir, r.comm, r.tree)
	if err != nil {
		return nil, nil, err
	}
	v := newVolumesRead()
	v.Problems.Add(s.Index.Problems)
	s.Index.EachBatch(func(run *model.Run) {
		v.Problems.Add(run.Problems)
		for _, rank := range run.Ranks {
			if rank.Arguments == nil {
				v.Unseen.Add(rank.Rank)
				continue
			}
			r.observeRank(v, rank, filepath.Clean(dir), r.controlsOf(v, rank, s.Index.Manifest, add))
		}
	})
	v.normalise()
	v, err = reduce.AllReduce(r.tree, allVolumes, v, ctx.Err())
	if err == nil && v.rowCount() == 0 {
		err = &UnfitError{fmt.Errorf("%s: %w", dir, ErrNoVolumes)}
	}
	return v, s.Index, err
}

func (r reader) observeRank(v *volumesRead, rank *model.Rank, run string, controls map[string]float64) {
	for _, source := range r.sources {
		if v.Tables[source] == nil {
			v.Tables[source] = &recorded.Table{}
		}
		if !recorded.Observe(v.Tables[source], rank, source, run, controls) {
			v.Unseen.Add(rank.Rank)
		}
	}
	v.Programs = append(v.Programs, programOf(rank))
	v.Crash = recorded.EarlierCrash(v.Crash, recorded.FindCrash(rank))
	if rank.Phase == model.Finalized {
		v.Ended.Add(rank.Rank)
	}
}

// controlsOf are the numbers that the program was given, those in the manifest, and
// those that were added.
func (r reader) controlsOf(
	v *volumesRead, rank *model.Rank, m *model.Manifest, add map[string]float64,
) map[string]float64 {
	controls := recorded.ArgumentControls(rank.Arguments)
	if m != nil {
		maps.Copy(controls, m.Features)
	}
	maps.Copy(controls, add)
	for _, name := range r.ignore {
		delete(controls, name)
	}
	if r.only != nil {
		for name := range controls {
			if !slices.Contains(r.only, name) {
				v.Strange = append(v.Strange, name)
				delete(controls, name)
			}
		}
	}
	return controls
}

func programOf(r *model.Rank) training.Program {
	p := training.Program{Path: r.Exe}
	for _, m := range r.Modules {
		if m.Path == r.Exe {
			p.BuildID = m.BuildID
		}
	}
	return p
}
