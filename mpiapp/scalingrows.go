package main

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"laggard/analysis/scaling"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// observed is what the analysis ranks have read of runs for the models of
// volume.
type observed struct {
	Tables   map[scaling.Source]*scaling.Table `json:"tables"`
	Programs []scaling.Program                 `json:"programs"` // of the ranks, each once
	Unseen   model.RankSet                     `json:"unseen"`   // ranks of which it was not recorded what they sent
	Ended    model.RankSet                     `json:"ended"`    // ranks that finalised
	Strange  []string                          `json:"strange"`  // controls of the run that are not wanted
	Crash    *scaling.Crash                    `json:"crash"`
	Problems share.Problems                    `json:"problems"`
}

func newObserved() *observed {
	return &observed{Tables: map[scaling.Source]*scaling.Table{}, Problems: share.NewProblems(nil)}
}

var observations = reduce.Monoid[*observed]{
	Codec: reduce.JSON[*observed](),
	Merge: func(a, b *observed) (*observed, error) { return a.join(b), nil },
}

func (o *observed) join(b *observed) *observed {
	for source, t := range b.Tables {
		if mine := o.Tables[source]; mine != nil {
			t = scaling.Merge(mine, t)
		}
		o.Tables[source] = t
	}
	o.Programs, o.Strange = append(o.Programs, b.Programs...), append(o.Strange, b.Strange...)
	o.Unseen, o.Ended = o.Unseen.Union(b.Unseen), o.Ended.Union(b.Ended)
	o.Crash = scaling.EarlierCrash(o.Crash, b.Crash)
	o.sort()
	o.Problems = share.MergeProblems(o.Problems, b.Problems)
	return o
}

func (o *observed) sort() {
	slices.SortFunc(o.Programs, func(a, b scaling.Program) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.BuildID, b.BuildID))
	})
	slices.Sort(o.Strange)
	o.Programs, o.Strange = slices.Compact(o.Programs), slices.Compact(o.Strange)
}

// size is the number of rows of a table.
func (o *observed) size() int {
	n := 0
	for _, t := range o.Tables {
		n = max(n, len(t.Rows))
	}
	return n
}

// sighting says what is to be read of the ranks of a run.
type sighting struct {
	sources []scaling.Source
	add     map[string]float64 // further control features
	ignore  []string           // control features that are left out
	only    []string           // if not nil, the only ones that are wanted
}

// observe reads a run: each analysis rank its share; all have the whole then.
func (w sighting) observe(dir string, c reduce.Comm, t *reduce.Tree) (*observed, *model.Index, error) {
	s, err := share.Find(dir, c, t)
	if err != nil {
		return nil, nil, err
	}
	o := newObserved()
	o.Problems.Add(s.Index.Problems)
	s.Index.Each(func(run *model.Run) {
		o.Problems.Add(run.Problems)
		for _, r := range run.Ranks {
			w.rank(o, r, filepath.Clean(dir), s.Index.Manifest)
		}
	})
	o.sort()
	o, err = reduce.AllReduce(t, observations, o, nil)
	if err == nil && o.size() == 0 {
		err = usageError{fmt.Errorf("%s: there is no record of what the ranks sent; record with laggard run --record volume", dir)}
	}
	return o, s.Index, err
}

func (w sighting) rank(o *observed, r *model.Rank, run string, m *model.Manifest) {
	if r.Arguments == nil {
		o.Unseen.Add(r.Rank)
		return
	}
	controls := w.controls(o, r, m)
	for _, source := range w.sources {
		if o.Tables[source] == nil {
			o.Tables[source] = &scaling.Table{}
		}
		if !scaling.Observe(o.Tables[source], r, source, run, controls) {
			o.Unseen.Add(r.Rank)
		}
	}
	o.Programs = append(o.Programs, programOf(r))
	o.Crash = scaling.EarlierCrash(o.Crash, scaling.FindCrash(r))
	if r.Phase == model.Finalized {
		o.Ended.Add(r.Rank)
	}
}

// controls are the numbers the program was given, those in the manifest, and
// those that were added.
func (w sighting) controls(o *observed, r *model.Rank, m *model.Manifest) map[string]float64 {
	controls := scaling.ArgumentControls(r.Arguments)
	if m != nil {
		maps.Copy(controls, m.Features)
	}
	maps.Copy(controls, w.add)
	for _, name := range w.ignore {
		delete(controls, name)
	}
	if w.only != nil {
		for name := range controls {
			if !slices.Contains(w.only, name) {
				o.Strange = append(o.Strange, name)
				delete(controls, name)
			}
		}
	}
	return controls
}

func programOf(r *model.Rank) scaling.Program {
	p := scaling.Program{Path: r.Exe}
	for _, m := range r.Modules {
		if m.Path == r.Exe {
			p.BuildID = m.BuildID
		}
	}
	return p
}
