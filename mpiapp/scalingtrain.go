package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"laggard/analysis/scaling"
	"laggard/reduce"
	"laggard/symbol"
)

// training is what a model is to be made of.
type training struct {
	dirs     []string
	watch    sighting
	features map[string]map[string]float64 // by run, further control features
	symbols  symbol.Config
	say      func(format string, args ...any)
}

var (
	parts = reduce.Monoid[*scaling.Part]{
		Codec: reduce.Codec[*scaling.Part]{Encode: scaling.EncodePart, Decode: scaling.DecodePart},
		Merge: func(a, b *scaling.Part) (*scaling.Part, error) { return scaling.MergeParts(a, b), nil },
	}
	trainedCodec = reduce.Codec[*scaling.Trained]{Encode: scaling.EncodeTrained, Decode: scaling.DecodeTrained}
)

// lesson is a model, and what it was made of.
type lesson struct {
	model *scaling.Trained
	seen  *observed
}

// train is one analysis rank's part of the training; the models are at rank 0.
func (q training) train(c reduce.Comm) (*lesson, error) {
	t := reduce.NewTree(c)
	if c.Rank() != 0 {
		q.say = func(string, ...any) {}
	}
	all, err := q.read(c, t)
	if err != nil {
		return nil, err
	}
	out := &scaling.Trained{}
	if len(all.Programs) > 0 {
		out.Program = all.Programs[0]
	}
	for _, source := range q.watch.sources {
		table := all.Tables[source]
		if table == nil || len(table.Sites) == 0 {
			continue // nothing was sent this way
		}
		q.say("fitting %d ranks and %d call sites, source %s", len(table.Rows), len(table.Sites), source)
		m, err := fit(table, c, t)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", source, err)
		}
		out.Models = append(out.Models, scaling.Sourced{Source: source, Model: m})
	}
	if len(out.Models) == 0 {
		return nil, usageError{fmt.Errorf("nothing was sent in any of the runs")}
	}
	if c.Rank() != 0 {
		return nil, nil
	}
	n := newNamer(q.symbols)
	defer n.close()
	for _, m := range out.Models {
		n.sites(m.Model.Sites)
	}
	return &lesson{out, all}, nil
}

// fit shares the fitting among the analysis ranks; the model is at rank 0.
func fit(table *scaling.Table, c reduce.Comm, t *reduce.Tree) (*scaling.Model, error) {
	part, err := scaling.Fit(table, scaling.Options{}, c.Rank(), c.Size())
	part, err = reduce.Reduce(t, parts, part, err)
	var m *scaling.Model
	if err == nil && c.Rank() == 0 {
		m, err = scaling.Assemble(table, scaling.Options{}, part)
	}
	return m, reduce.Agree(t, err)
}

// read reads all runs.
func (q training) read(c reduce.Comm, t *reduce.Tree) (*observed, error) {
	all, ids := newObserved(), map[uint64]string{}
	for _, dir := range q.dirs {
		w := q.watch
		w.add = maps.Clone(q.featuresOf(dir))
		maps.Copy(w.add, q.watch.add)
		o, index, err := w.observe(dir, c, t)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
		if other, twice := ids[index.ID]; twice {
			return nil, usageError{fmt.Errorf("%s and %s hold the same run", other, dir)}
		}
		ids[index.ID] = dir
		if crash := o.Crash; crash != nil {
			return nil, usageError{fmt.Errorf("%s: rank %d crashed (%s); a model is made of good runs", dir, crash.Rank, crash.What)}
		}
		q.say("read %s: %d ranks", dir, o.size())
		all.join(o)
	}
	return all, nil
}

// featuresOf finds what was said about a run under its path or its name.
func (q training) featuresOf(dir string) map[string]float64 {
	for _, name := range []string{dir, filepath.Clean(dir), filepath.Base(dir)} {
		if f := q.features[name]; f != nil {
			return f
		}
	}
	return map[string]float64{}
}

// readFeatures reads a file with a table for each run: its path or its name, and
// in it control features.
func readFeatures(path string, dirs []string) (map[string]map[string]float64, error) {
	var out map[string]map[string]float64
	if path == "" {
		return nil, nil
	}
	if _, err := toml.DecodeFile(path, &out); err != nil {
		return nil, usageError{fmt.Errorf("--features: %s: %w", path, err)}
	}
	for run := range out {
		if !slices.ContainsFunc(dirs, func(d string) bool { return d == run || filepath.Clean(d) == run || filepath.Base(d) == run }) {
			return nil, usageError{fmt.Errorf("--features: %s: [%q] is none of the runs", path, run)}
		}
	}
	return out, nil
}

// parseFeatures reads NAME=VALUE.
func parseFeatures(list []string) (map[string]float64, error) {
	out := map[string]float64{}
	for _, text := range list {
		name, value, found := strings.Cut(text, "=")
		v, err := strconv.ParseFloat(value, 64)
		if !found || name == "" || err != nil {
			return nil, usageError{fmt.Errorf("--feature %q: it is NAME=NUMBER", text)}
		}
		out[name] = v
	}
	return out, nil
}

func parseSources(text string) ([]scaling.Source, error) {
	switch text {
	case "both":
		return scaling.Sources, nil
	case string(scaling.AtMPI), string(scaling.AtSocket):
		return []scaling.Source{scaling.Source(text)}, nil
	}
	return nil, usageError{fmt.Errorf("--source %q: it is mpi, socket or both", text)}
}
