package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"laggard/model"
	"laggard/model/scaling"
	"laggard/model/symbol"
	"laggard/reduce"
	"laggard/report/volume"
)

// judging is a run that is to be judged by a model file.
type judging struct {
	dir     string
	trained *scaling.Trained // at analysis rank 0; the others get it from there
	add     map[string]float64
	sources []scaling.Source
	symbols symbol.Config
}

var judgements = reduce.Monoid[*scaling.Judgement]{
	Codec: reduce.Codec[*scaling.Judgement]{Encode: scaling.EncodeJudgement, Decode: scaling.DecodeJudgement},
	Merge: func(a, b *scaling.Judgement) (*scaling.Judgement, error) { return scaling.MergeJudgements(a, b), nil },
}

// judge is one analysis rank's part; the result is at rank 0.
func (q judging) judge(c reduce.Comm) (*volume.Result, error) {
	t := reduce.NewTree(c)
	trained, err := reduce.Broadcast(t, trainedCodec, q.trained, nil)
	if err != nil {
		return nil, err
	}
	w := sighting{add: q.add, only: append([]string{}, trained.Controls()...)}
	for _, m := range trained.Models {
		w.sources = append(w.sources, m.Source)
	}
	o, index, err := w.observe(q.dir, c, t)
	if err != nil {
		return nil, err
	}
	if err := sameControls(o, trained.Controls()); err != nil {
		return nil, err
	}
	names := newNamer(q.symbols)
	defer names.close()
	circumstances := scaling.Circumstances{Library: scaling.InLibrary}
	if o.Crash != nil {
		names.frames(o.Crash.Stack, true)
		circumstances.Crash = o.Crash.Stack
	}
	var verdicts []scaling.SourceVerdict
	var seen []volume.Seen
	var notes []string
	for _, m := range trained.Models {
		table := o.Tables[m.Source]
		if !slices.Contains(q.sources, m.Source) {
			continue
		}
		if len(table.Sites) == 0 && m.Source == scaling.AtSocket {
			notes = append(notes, "nothing was sent through sockets: another network than in training?")
			continue
		}
		if len(table.Sites) == 0 { // that no rank sent anything is an observation too
			table = &scaling.Table{Sites: slices.Clone(m.Model.Sites), Rows: table.Rows}
		}
		verdict, err := judgeSource(m.Model, table, circumstances, names, c, t)
		if err != nil {
			return nil, fmt.Errorf("source %s: %w", m.Source, err)
		}
		verdicts = append(verdicts, scaling.SourceVerdict{Source: m.Source, Verdict: verdict})
		seen = append(seen, volume.Seen{Source: m.Source, Model: m.Model, Table: table})
	}
	if len(verdicts) == 0 {
		return nil, usageError{fmt.Errorf("%s: %s", q.dir, strings.Join(notes, "; "))}
	}
	if c.Rank() != 0 {
		return nil, nil
	}
	return volume.New(volume.Input{
		Dir: index.Dir, ID: model.RunIDText(index.ID), Manifest: index.Manifest, Size: index.Size,
		Answer: scaling.Unite(verdicts), Seen: seen, Crash: o.Crash,
		Notes: append(notes, o.notes(trained, index)...), Problems: o.Facts.Problems.lines(),
	}), nil
}

// judgeSource judges a share of the rows; the verdict is at rank 0, where the
// call sites get their names first.
func judgeSource(m *scaling.Model, table *scaling.Table, circumstances scaling.Circumstances, names *namer, c reduce.Comm, t *reduce.Tree) (*scaling.Verdict, error) {
	n := len(table.Rows)
	mine := &scaling.Table{Sites: table.Sites, Rows: table.Rows[c.Rank()*n/c.Size() : (c.Rank()+1)*n/c.Size()]}
	j := &scaling.Judgement{}
	var err error
	if len(mine.Rows) > 0 {
		j, err = m.Judge(mine)
	}
	if j, err = reduce.Reduce(t, judgements, j, err); err != nil {
		return nil, err
	}
	verdict := &scaling.Verdict{}
	if c.Rank() == 0 {
		names.sites(table.Sites)
		names.sites(m.Sites)
		verdict, err = m.Conclude(table, j, circumstances)
	}
	return verdict, reduce.Agree(t, err)
}

// sameControls: a run without a number that the training had cannot be judged.
func sameControls(o *observed, wanted []string) error {
	for _, t := range o.Tables {
		for _, row := range t.Rows {
			for _, name := range wanted {
				if _, has := row.Controls[name]; !has {
					return usageError{fmt.Errorf("rank %d: the run has no number %q, as the training had; --feature %s=VALUE gives it: %w", row.Rank, name, name, scaling.ErrControls)}
				}
			}
		}
	}
	return nil
}

// notes say what else is to be known of the run.
func (o *observed) notes(trained *scaling.Trained, index *model.Index) []string {
	var out []string
	rank := func(set model.RankSet, text string) {
		if set.Len() > 0 {
			out = append(out, fmt.Sprintf("%s: %s", setName(set), text))
		}
	}
	if len(o.Programs) > 0 && !slices.Contains(o.Programs, trained.Program) && !slices.ContainsFunc(o.Programs, func(p scaling.Program) bool { return p.BuildID != "" && p.BuildID == trained.Program.BuildID }) {
		out = append(out, fmt.Sprintf("the program is not the one of the training, %s: call sites of another build are new ones", trained.Program.Path))
	}
	missing := index.Missing().Union(o.Unseen)
	rank(missing, "it was not recorded what they sent")
	rank(index.Seen.Minus(missing).Minus(o.Ended), "did not come to the end of MPI_Finalize, so they may have sent less")
	if len(o.Strange) > 0 {
		out = append(out, fmt.Sprintf("numbers that the training did not have are left out: %s", strings.Join(o.Strange, ", ")))
	}
	return out
}

func setName(set model.RankSet) string {
	if set.Len() == 1 {
		return "rank " + set.String()
	}
	return "ranks " + set.String()
}

// damage is the exit status for data that was missing or damaged.
func damage(r *volume.Result) error {
	if len(r.Problems) > 0 {
		return exitError{exitDamaged}
	}
	return nil
}

// plainError gives a reader's error without what only the program's own parts
// know of it.
func plainError(err error) error {
	if errors.Is(err, scaling.ErrFew) {
		return usageError{fmt.Errorf("%w: train on more runs, of different scales", err)}
	}
	return err
}
