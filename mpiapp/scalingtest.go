package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/scaling"
	"laggard/model"
	"laggard/reduce"
	"laggard/report"
	scalingreport "laggard/report/scaling"
	"laggard/symbol"
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
func (q judging) judge(c reduce.Comm) (*scalingreport.Result, error) {
	t := reduce.NewTree(c)
	trained, err := reduce.Broadcast(t, trainedCodec, q.trained, nil)
	if err != nil {
		return nil, err
	}
	w := sighting{add: q.add, only: append([]string{}, trained.Controls()...)}
	for _, m := range trained.Models {
		if slices.Contains(q.sources, m.Source) {
			w.sources = append(w.sources, m.Source)
		}
	}
	if len(w.sources) == 0 {
		return nil, usageError{fmt.Errorf("--source %s: the model was not trained on it", q.sources[0])}
	}
	o, index, err := w.observe(q.dir, c, t)
	if err == nil {
		err = sameControls(o, trained.Controls())
	}
	if err != nil {
		return nil, err
	}
	j := judge{comm: c, tree: t, names: newNamer(q.symbols), circumstances: scaling.Circumstances{Library: scaling.InLibrary}}
	defer j.names.close()
	if o.Crash != nil {
		j.names.frames(o.Crash.Stack, true)
		j.circumstances.Crash = o.Crash.Stack
	}
	if err := j.sources(trained, o); err != nil || c.Rank() != 0 {
		return nil, err
	}
	return scalingreport.New(scalingreport.Input{
		Run: report.NewRun(index), Size: index.Size,
		Answer: scaling.Unite(j.verdicts), Seen: j.seen, Crash: o.Crash,
		Notes: append(j.notes, o.notes(trained, index)...), Problems: o.Problems.Lines(),
	}), nil
}

// judge gathers what the models of the sources say.
type judge struct {
	comm          reduce.Comm
	tree          *reduce.Tree
	names         *namer
	circumstances scaling.Circumstances
	verdicts      []scaling.SourceVerdict
	seen          []scalingreport.Seen
	notes         []string
}

func (j *judge) sources(trained *scaling.Trained, o *observed) error {
	for _, m := range trained.Models {
		table := o.Tables[m.Source]
		switch {
		case table == nil: // not wanted
			continue
		case len(table.Sites) == 0 && m.Source == scaling.AtSocket && len(o.Tables) > 1:
			j.notes = append(j.notes, "nothing was sent through sockets: another network than in training?")
			continue
		case len(table.Sites) == 0: // that no rank sent anything is an observation too
			table = &scaling.Table{Sites: slices.Clone(m.Model.Sites), Rows: table.Rows}
		}
		verdict, err := j.source(m.Model, table)
		if err != nil {
			return fmt.Errorf("source %s: %w", m.Source, err)
		}
		j.verdicts = append(j.verdicts, scaling.SourceVerdict{Source: m.Source, Verdict: verdict})
		j.seen = append(j.seen, scalingreport.Seen{Source: m.Source, Model: m.Model, Table: table})
	}
	return nil
}

// source judges a share of the rows; the verdict is at rank 0, where the call
// sites get their names first.
func (j *judge) source(m *scaling.Model, table *scaling.Table) (*scaling.Verdict, error) {
	n, rank, size := len(table.Rows), j.comm.Rank(), j.comm.Size()
	mine := &scaling.Table{Sites: table.Sites, Rows: table.Rows[rank*n/size : (rank+1)*n/size]}
	judged := &scaling.Judgement{}
	var err error
	if len(mine.Rows) > 0 {
		judged, err = m.Judge(mine)
	}
	if judged, err = reduce.Reduce(j.tree, judgements, judged, err); err != nil {
		return nil, err
	}
	verdict := &scaling.Verdict{}
	if rank == 0 {
		j.names.sites(table.Sites)
		j.names.sites(m.Sites)
		verdict, err = m.Conclude(table, judged, j.circumstances)
	}
	return verdict, reduce.Agree(j.tree, err)
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
			out = append(out, fmt.Sprintf("%s: %s", set.Phrase(), text))
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

// damage is the exit status for data that was missing or damaged.
func damage(r *scalingreport.Result) error {
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
