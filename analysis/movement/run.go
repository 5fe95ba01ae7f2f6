package movement

import (
	"context"
	"fmt"
	"path/filepath"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/profile"
	"laggard/analysis/movement/recorded"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
	"laggard/reduce"
	"laggard/symbol"
)

// Result is the answer to a [Question].
type Result struct {
	Found
	Index    *runfiles.Index // of the run
	Trace    *chain.Trace    // that it was found in
	Calls    map[string]Call // what the names of sites in the chains stand for
	Ways     recorded.Ways   // how data were followed from rank to rank
	Training int             // good runs that it was compared with
	Notes    []string        // what else is to be known of the run
	Problems []string        // what was missing or damaged
}

// Run answers the question. All analysis ranks call it together; the result is
// at analysis rank 0, nil elsewhere. Errors wrap [ErrNoMoves] or [model.ErrNoRun],
// or are a [*share.RanksError].
func Run(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	g := gatherer{question: q, comm: c, tree: reduce.NewTree(c), resolver: symbol.New(q.Symbols)}
	defer g.resolver.Close()
	var good profile.Profile
	var book recorded.Book // of the sites that only good runs have
	for _, dir := range q.Train {
		m, err := g.readRun(ctx, dir)
		if err != nil {
			return nil, err
		}
		if m.trace != nil {
			good = profile.Merge(good, profile.New(m.trace))
			book = recorded.MergeBooks(book, m.book)
		}
	}
	m, err := g.readRun(ctx, q.Dir)
	if err != nil {
		return nil, err
	}
	if q.Ranks != nil {
		err = share.CheckRanks(*q.Ranks, m.index.Size)
	}
	if err = reduce.Agree(g.tree, err); err != nil || m.trace == nil {
		return nil, err
	}
	opts := Options{LastPhase: q.LastPhase}
	if q.Ranks != nil {
		opts.Ranks = *q.Ranks
	}
	if len(q.Train) > 0 {
		opts.Training = &good
	}
	found := Analyse(m.trace, opts)
	return &Result{
		Found: found, Index: m.index, Trace: m.trace, Calls: Calls(found, m.book.Extended(book), g.resolver), Ways: m.ways,
		Training: len(q.Train), Notes: m.notes(), Problems: m.problems.Lines(),
	}, nil
}

// moves is what the movements of a run amount to. The trace and the book are at
// analysis rank 0 only.
type moves struct {
	index *runfiles.Index
	trace *chain.Trace
	book  recorded.Book
	ways  recorded.Ways
	// inFlight is of the share; at analysis rank 0, in the end, of the run
	inFlight recorded.InFlight
	// libraryUnrecorded: all that the MPI library does was asked for, and was not recorded
	libraryUnrecorded bool
	problems          share.Problems
	tally             tally
}

func (m *moves) notes() []string {
	notes := share.LeftOutNotes(m.index.Size, m.index.Duplicates, m.index.Others)
	if m.tally.Cut.Len() > 0 {
		notes = append(notes, fmt.Sprintf("ranks %s reached their recording limit before the end "+
			"(LAGGARD_STREAM_MB): their later activity is unknown", m.tally.Cut))
	}
	if m.tally.LeftOut.Len() > 0 {
		notes = append(notes, fmt.Sprintf("later activity of ranks %s is left out: all moves together exceed "+
			"events.memory_mb", m.tally.LeftOut))
	}
	if m.libraryUnrecorded {
		notes = append(notes, "activity inside the MPI library was not recorded: record with "+
			"LAGGARD_LEVEL=library (setting movement.level)")
	}
	return notes
}

// gatherer is one analysis rank that reads runs.
type gatherer struct {
	question Question
	comm     reduce.Comm
	tree     *reduce.Tree
	resolver *symbol.Resolver
}

// readRun reads the movements of a run, each analysis rank those of its share:
// first who sends how much to whom, which all must know, then the chains.
func (g *gatherer) readRun(ctx context.Context, dir string) (*moves, error) {
	s, err := share.Find(dir, g.comm, g.tree)
	if err != nil {
		return nil, err
	}
	share.Limit(s.Index, nodefile.MovementStream, g.question.Memory)
	m := &moves{index: s.Index, problems: share.NewProblems(s.Index.Problems)}
	sent, err := m.exchangeSent(ctx, g.tree)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(dir), err)
	}
	m.ways, m.libraryUnrecorded = sent.Ways(), g.question.Level == recorded.Library && !sent.Within
	names := recorded.NewNamer(g.question.Depth, sourceOf(g.resolver))
	table, failed := m.buildChains(ctx, g.question.Level, names)
	if table, err = reduce.Reduce(g.tree, tables, table, failed); err != nil {
		return nil, err
	}
	if m.book, err = reduce.Reduce(g.tree, books, names.Book, nil); err != nil {
		return nil, err
	}
	if m.inFlight, err = reduce.Reduce(g.tree, inFlights, m.inFlight, nil); err != nil {
		return nil, err
	}
	if g.comm.Rank() == 0 {
		m.trace = chain.Resolve(table)
		m.trace.Unreceived = m.inFlight.Confirm(m.trace.Unreceived)
	}
	return m, nil
}

// exchangeSent tells all analysis ranks how much the ranks of the run sent by which
// way, and what is wrong with their streams.
func (m *moves) exchangeSent(ctx context.Context, tree *reduce.Tree) (recorded.Sent, error) {
	var sum recorded.Sent
	failed := m.eachRank(ctx, func(r *recorded.Reader, rank *model.Rank, streams []*nodefile.Stream) error {
		m.tally.add(rank, streams)
		m.inFlight = recorded.MergeInFlight(m.inFlight, recorded.NewInFlight(rank))
		sent, errs := r.Sent()
		m.addProblems(rank, errs...)
		sum = recorded.MergeSent(sum, sent)
		return nil
	}, m.addProblems)
	sum, err := reduce.AllReduce(tree, sentBytes, sum, failed)
	if err != nil {
		return sum, err
	}
	if m.tally, err = reduce.AllReduce(tree, tallies, m.tally, nil); err != nil {
		return sum, err
	}
	if m.tally.Streams == 0 {
		return sum, ErrNoMoves
	}
	m.problems, err = reduce.AllReduce(tree, share.ProblemsMonoid, m.problems, nil)
	return sum, err
}

// buildChains forms the chains of the share. What is wrong with the streams was said
// by survey.
func (m *moves) buildChains(ctx context.Context, level recorded.Level, names *recorded.Namer) (chain.Table, error) {
	var table chain.Table
	err := m.eachRank(ctx, func(r *recorded.Reader, rank *model.Rank, _ []*nodefile.Stream) error {
		p := chain.NewParser(rank.Rank)
		r.Feed(p, m.ways, level, names)
		t, err := p.Finish()
		if err == nil {
			table, err = chain.Merge(table, t)
		}
		return err
	}, func(*model.Rank, ...error) {})
	return table, err
}

func (m *moves) addProblems(r *model.Rank, errs ...error) {
	for _, err := range errs {
		m.problems.Add([]model.Problem{{File: r.File, Rank: r.Rank, Err: err}})
	}
}

// eachRank gives f the ranks of the share with their streams, one at a time, until
// one fails, or the context does; fault gets the errors of streams that cannot be
// read.
func (m *moves) eachRank(
	ctx context.Context, f func(*recorded.Reader, *model.Rank, []*nodefile.Stream) error,
	fault func(*model.Rank, ...error),
) (failed error) {
	m.index.EachBatch(func(run *model.Run) {
		for _, rank := range run.Ranks {
			if failed == nil {
				failed = ctx.Err()
			}
			if failed != nil {
				return
			}
			streams, err := m.index.StreamsOf(rank, nodefile.MovementStream)
			if err != nil {
				fault(rank, err)
			}
			failed = f(recorded.NewReader(rank, streams), rank, streams)
		}
	})
	return failed
}
