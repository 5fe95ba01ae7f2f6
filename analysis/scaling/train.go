package scaling

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"

	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/reduce"
)

// Learned is the answer to a [Training].
type Learned struct {
	Trained  *training.Trained
	Problems []string // what was missing or damaged in the runs
}

// Train answers it. All analysis ranks call it together; the result is at
// analysis rank 0, nil elsewhere. Errors are an [*UnfitError], or wrap [ErrFew]
// or [model.ErrNoRun].
func Train(ctx context.Context, q Training, c reduce.Comm) (*Learned, error) {
	t := reduce.NewTree(c)
	if c.Rank() != 0 || q.Progress == nil {
		q.Progress = func(string, ...any) {}
	}
	read, err := q.readRuns(ctx, reader{comm: c, tree: t, sources: q.Sources, ignore: q.Ignore})
	if err != nil {
		return nil, err
	}
	out := &training.Trained{}
	if len(read.Programs) > 0 {
		out.Program = read.Programs[0]
	}
	for _, source := range q.Sources {
		table := read.Tables[source]
		if table == nil || len(table.Sites) == 0 {
			continue // nothing was sent this way
		}
		q.Progress("fitting %d ranks and %d call sites, source %s", len(table.Rows), len(table.Sites), source)
		m, err := fitShared(table, c, t)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", source, err)
		}
		out.Models = append(out.Models, training.Sourced{Source: source, Model: m})
	}
	if len(out.Models) == 0 {
		return nil, &UnfitError{errors.New("nothing was sent in any of the runs")}
	}
	if c.Rank() != 0 {
		return nil, nil
	}
	n := newNamer(q.Symbols)
	defer n.close()
	for _, m := range out.Models {
		n.nameSites(m.Model.Sites)
	}
	return &Learned{out, read.Problems.Lines()}, nil
}

// fitShared shares the fitting among the analysis ranks; the model is at rank 0.
func fitShared(table *recorded.Table, c reduce.Comm, t *reduce.Tree) (*training.Model, error) {
	part, err := training.Fit(table, kcca.Options{}, c.Rank(), c.Size())
	part, err = reduce.Reduce(t, parts, part, err)
	var m *training.Model
	if err == nil && c.Rank() == 0 {
		m, err = training.Assemble(table, kcca.Options{}, part)
	}
	return m, reduce.Agree(t, err)
}

// readRuns reads all runs.
func (q Training) readRuns(ctx context.Context, r reader) (*volumesRead, error) {
	all, ids := newVolumesRead(), map[uint64]string{}
	for _, dir := range q.Dirs {
		v, index, err := r.readRun(ctx, dir, q.extraControls(dir))
		if err != nil {
			return nil, err // which names the run
		}
		if other, twice := ids[index.ID]; twice {
			return nil, &UnfitError{fmt.Errorf("%s and %s hold the same run", other, dir)}
		}
		ids[index.ID] = dir
		if c := v.Crash; c != nil {
			return nil, &UnfitError{
				fmt.Errorf("%s: rank %d crashed (%s); train on good runs only", dir, c.Rank, c.What)}
		}
		q.Progress("read %s: %d ranks", dir, v.rowCount())
		all.mergeFrom(v)
	}
	return all, nil
}

// extraControls are the further control features of a run; those of every run win.
func (q Training) extraControls(dir string) map[string]float64 {
	out := map[string]float64{}
	for _, name := range []string{dir, filepath.Clean(dir), filepath.Base(dir)} {
		if f := q.Features[name]; f != nil {
			maps.Copy(out, f)
			break
		}
	}
	maps.Copy(out, q.Add)
	return out
}
