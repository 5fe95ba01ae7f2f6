package scaling

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// Result is the answer to a [Question].
type Result struct {
	Index    *runfiles.Index // of the run
	Answer   *judge.Answer
	Seen     []Seen          // by source, in the order of the answer's
	Crash    *recorded.Crash // nil: no rank crashed
	Notes    []string        // what else is to be known of the run
	Problems []string        // what was missing or damaged
}

// Seen is what one source saw: the model, and the volumes of the run.
type Seen struct {
	Source recorded.Source
	Model  *training.Model
	Table  *recorded.Table
}

// Run answers the question. All analysis ranks call it together; the result is
// at analysis rank 0, nil elsewhere. Errors are an [*UnfitError], or wrap
// [model.ErrNoRun].
func Run(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	t := reduce.NewTree(c)
	trained, err := reduce.Broadcast(t, trainedFile, q.Trained, nil)
	if err != nil {
		return nil, err
	}
	r := reader{comm: c, tree: t, only: append([]string{}, trained.Controls()...)}
	for _, m := range trained.Models {
		if slices.Contains(q.Sources, m.Source) {
			r.sources = append(r.sources, m.Source)
		}
	}
	if len(r.sources) == 0 {
		return nil, &UnfitError{fmt.Errorf("--source %s: the model was not trained on it", q.Sources[0])}
	}
	read, index, err := r.readRun(ctx, q.Dir, q.Add)
	if err == nil {
		err = read.checkControls(trained.Controls())
	}
	if err != nil {
		return nil, err
	}
	g := gatherer{comm: c, tree: t, names: newNamer(q.Symbols),
		circumstances: judge.Circumstances{Library: recorded.InLibrary}}
	defer g.names.close()
	if read.Crash != nil {
		g.names.nameFrames(read.Crash.Stack, true)
		g.circumstances.Crash = read.Crash.Stack
	}
	if err := g.judgeSources(trained, read); err != nil || c.Rank() != 0 {
		return nil, err
	}
	return &Result{
		Index: index, Answer: judge.Unite(g.verdicts), Seen: g.seen, Crash: read.Crash,
		Notes: append(g.notes, read.notes(trained, index)...), Problems: read.Problems.Lines(),
	}, nil
}

// gatherer is one analysis rank that gathers what the models of the sources say.
type gatherer struct {
	comm          reduce.Comm
	tree          *reduce.Tree
	names         *namer
	circumstances judge.Circumstances
	verdicts      []judge.SourceVerdict
	seen          []Seen
	notes         []string
}

func (g *gatherer) judgeSources(trained *training.Trained, read *volumesRead) error {
	for _, m := range trained.Models {
		table := read.Tables[m.Source]
		switch {
		case table == nil: // not wanted
			continue
		case len(table.Sites) == 0 && m.Source == recorded.AtSocket && len(read.Tables) > 1:
			g.notes = append(g.notes, "nothing was sent through sockets: is the network different from training?")
			continue
		case m.Source == recorded.AtSocket && socketsBypassed(trained, read):
			g.notes = append(g.notes, "almost none of the bytes that the calls sent went through sockets, here "+
				"or in training: sockets are not judged")
			continue
		case len(table.Sites) == 0: // that no rank sent anything is an observation too
			table = &recorded.Table{Sites: slices.Clone(m.Model.Sites), Rows: table.Rows}
		}
		verdict, err := g.judgeSource(m.Model, table)
		if err != nil {
			return fmt.Errorf("source %s: %w", m.Source, err)
		}
		g.verdicts = append(g.verdicts, judge.SourceVerdict{Source: m.Source, Verdict: verdict})
		g.seen = append(g.seen, Seen{Source: m.Source, Model: m.Model, Table: table})
	}
	return nil
}

// socketsBypassed: in training or in this run the calls sent over a hundred times as much as
// went through sockets. Then messages take another way, such as shared memory, and what
// is left is wake-ups that depend on timing.
func socketsBypassed(trained *training.Trained, read *volumesRead) bool {
	const least = 0.01
	var before, now [2]float64 // at the calls, at sockets
	for _, m := range trained.Models {
		at := slices.Index(recorded.Sources, m.Source)
		before[at] = m.Model.Bytes()
		if table := read.Tables[m.Source]; table != nil {
			now[at] = table.Bytes()
		}
	}
	return before[1] < least*before[0] || now[1] < least*now[0]
}

// judgeSource judges a share of the rows; the verdict is at rank 0, where the call
// sites get their names first.
func (g *gatherer) judgeSource(m *training.Model, table *recorded.Table) (*judge.Verdict, error) {
	n, rank, size := len(table.Rows), g.comm.Rank(), g.comm.Size()
	mine := &recorded.Table{Sites: table.Sites, Rows: table.Rows[rank*n/size : (rank+1)*n/size]}
	judged := &judge.Judgement{}
	var err error
	if len(mine.Rows) > 0 {
		judged, err = judge.Judge(m, mine)
	}
	if judged, err = reduce.Reduce(g.tree, judgements, judged, err); err != nil {
		return nil, err
	}
	verdict := &judge.Verdict{}
	if rank == 0 {
		g.names.nameSites(table.Sites)
		g.names.nameSites(m.Sites)
		verdict, err = judge.Conclude(m, table, judged, g.circumstances)
	}
	return verdict, reduce.Agree(g.tree, err)
}

// checkControls: a run without a number that the training had cannot be judged.
func (v *volumesRead) checkControls(wanted []string) error {
	for _, t := range v.Tables {
		for _, row := range t.Rows {
			for _, name := range wanted {
				if _, has := row.Controls[name]; !has {
					return &UnfitError{fmt.Errorf(
						"rank %d: the run has no number %q, which the training had; set it with --feature %s=VALUE: %w",
						row.Rank, name, name, recorded.ErrControls)}
				}
			}
		}
	}
	return nil
}

// notes say what else is to be known of the run.
func (v *volumesRead) notes(trained *training.Trained, index *runfiles.Index) []string {
	var out []string
	note := func(set model.RankSet, text string) {
		if set.Len() > 0 {
			out = append(out, fmt.Sprintf("%s: %s", set.Phrase(), text))
		}
	}
	if len(v.Programs) > 0 && !slices.ContainsFunc(v.Programs, trained.Program.SameAs) {
		out = append(out, fmt.Sprintf("the program differs from that of the training, %s: call sites of another "+
			"build count as new", trained.Program.Path))
	}
	out = append(out, share.LeftOutNotes(index.Size, index.Duplicates, index.Others)...)
	missing := index.MissingRanks().Union(v.Unseen)
	note(missing, "their sends were not recorded")
	note(index.Seen.Minus(missing).Minus(v.Ended),
		"did not complete MPI_Finalize, so they may have sent less")
	if len(v.Strange) > 0 {
		out = append(out, "numbers unknown to the training are ignored: "+strings.Join(v.Strange, ", "))
	}
	return out
}
