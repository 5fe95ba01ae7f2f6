package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/progress"
	"laggard/reduce"
)

// facts is what the analysis ranks tell each other beforehand, about their
// shares of the recorded ranks.
type facts struct {
	Problems complaints                `json:"problems"`
	Damaged  model.RankSet             `json:"damaged"`
	Torn     model.RankSet             `json:"torn"` // killed within an update
	Liveness map[int]progress.Liveness `json:"liveness"`
	Moving   []int                     `json:"moving"` // live ranks that make progress
	Alive    bool                      `json:"alive"`  // a process of the run lives on this host
	Holes    bool                      `json:"holes"`  // a node file has lost ranks, it cannot say which
}

// complaints are problems by what is wrong.
type complaints map[string]*complaint

// complaint gathers the problems of one kind, of which a big damaged run has one
// for every rank.
type complaint struct {
	Count int           `json:"count"`
	Ranks model.RankSet `json:"ranks"`
	Texts []string      `json:"texts"` // the first ones, in order
}

// maxTexts is how many problems of one kind are told one by one.
const maxTexts = 8

var factsMonoid = reduce.Monoid[facts]{
	Codec: reduce.Codec[facts]{
		Encode: func(f facts) ([]byte, error) { return json.Marshal(f) },
		Decode: func(b []byte) (f facts, err error) { return f, json.Unmarshal(b, &f) },
	},
	Merge: mergeFacts,
}

func newFacts() facts {
	return facts{Problems: complaints{}, Liveness: map[int]progress.Liveness{}}
}

func mergeFacts(a, b facts) (facts, error) {
	out := newFacts()
	for _, f := range []facts{a, b} {
		for kind, c := range f.Problems {
			out.Problems.join(kind, *c)
		}
		for rank, l := range f.Liveness {
			out.Liveness[rank] = l
		}
		out.Moving = append(out.Moving, f.Moving...)
		out.Damaged, out.Torn = out.Damaged.Union(f.Damaged), out.Torn.Union(f.Torn)
		out.Alive, out.Holes = out.Alive || f.Alive, out.Holes || f.Holes
	}
	slices.Sort(out.Moving)
	return out, nil
}

func (all complaints) join(kind string, more complaint) {
	c := all[kind]
	if c == nil {
		c = &complaint{}
		all[kind] = c
	}
	c.Count += more.Count
	c.Ranks = c.Ranks.Union(more.Ranks)
	c.Texts = append(c.Texts, more.Texts...)
	slices.Sort(c.Texts)
	c.Texts = c.Texts[:min(len(c.Texts), maxTexts)]
}

func (all complaints) add(p model.Problem) {
	all.join(problemKind(p), complaint{1, model.NewRankSet(p.Rank), []string{problemText(p)}})
}

// addProblems notes what was wrong with the data.
func (f *facts) addProblems(problems []model.Problem) {
	for _, p := range problems {
		if errors.Is(p.Err, model.ErrTorn) && p.Rank >= 0 {
			f.Torn.Add(p.Rank) // as it must be, now and then: nothing is damaged
			continue
		}
		f.Problems.add(p)
		f.Damaged.Add(p.Rank) // -1 is left out
		f.Holes = f.Holes || p.Rank < 0 && p.File != model.ManifestName && !errors.Is(p.Err, model.ErrRunID)
	}
}

// problemKind says what a problem has in common with others: the part of the
// file and the kind of damage, not the place.
func problemKind(p model.Problem) string {
	section := ""
	if placed, ok := errors.AsType[*model.FormatError](p.Err); ok {
		section = placed.Section
	}
	for _, kind := range []error{
		model.ErrTruncated, model.ErrChecksum, model.ErrLost, model.ErrCorrupt, model.ErrTorn, model.ErrUnknown,
		model.ErrRunID, model.ErrVersion, model.ErrMagic, model.ErrManifest,
	} {
		if errors.Is(p.Err, kind) {
			return strings.TrimPrefix(section+": "+kind.Error(), ": ")
		}
	}
	return "cannot be read"
}

func problemText(p model.Problem) string {
	if _, placed := errors.AsType[*model.FormatError](p.Err); placed || strings.Contains(p.Err.Error(), p.File) {
		return p.Err.Error()
	}
	return fmt.Sprintf("%s: %v", p.File, p.Err)
}

// lines says what was wrong: one by one, or of what is wrong in many places the
// ranks and the first.
func (all complaints) lines() []string {
	var out []string
	for kind, c := range all {
		if c.Count <= maxTexts {
			out = append(out, c.Texts...)
			continue
		}
		whose := ""
		if c.Ranks.Len() > 0 {
			whose = fmt.Sprintf(" of %d ranks, %s", c.Ranks.Len(), c.Ranks)
		}
		out = append(out, fmt.Sprintf("%s: %d times%s; the first: %s", kind, c.Count, whose, c.Texts[0]))
	}
	slices.SortFunc(out, cmp.Compare[string])
	return out
}

// imported tells whether the run directory was made from backtraces.
func imported(index *model.Index) bool { return index.Manifest != nil && index.Manifest.Imported }

func withFacts(o progress.Options, index *model.Index, f facts) progress.Options {
	o.Size = index.Size
	o.Damaged = f.Damaged.Minus(index.Seen)
	if imported(index) {
		// Whoever took the stacks may not have come to all ranks. And there are no
		// counts of turns to compare, which the default algorithm is about.
		o.Damaged, o.StacksOnly = o.Damaged.Union(index.Missing()), true
		if o.Algorithm == progress.DefaultAlgorithm {
			o.Algorithm = progress.PDI
		}
	}
	o.Progressing = len(f.Moving) > 0
	if f.Alive {
		o.Liveness = f.Liveness
	}
	return o
}
