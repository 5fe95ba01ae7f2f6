package main

import (
	"errors"
	"fmt"
	"path/filepath"

	"laggard/analysis/movement"
	"laggard/analysis/movement/recorded"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
	"laggard/symbol"
)

// errNoMoves: data movement was not recorded in the run.
var errNoMoves = errors.New("it has no data movements: they are recorded with laggard run --record movement")

var (
	traffic = reduce.Monoid[recorded.Traffic]{
		Codec: reduce.JSON[recorded.Traffic](),
		Merge: func(a, b recorded.Traffic) (recorded.Traffic, error) { return recorded.MergeTraffic(a, b), nil },
	}
	moveTables = reduce.Monoid[movement.Table]{
		Codec: reduce.Codec[movement.Table]{Encode: movement.Table.Encode, Decode: movement.DecodeTable},
		Merge: movement.Merge,
	}
	books = reduce.Monoid[recorded.Book]{
		Codec: reduce.JSON[recorded.Book](),
		Merge: func(a, b recorded.Book) (recorded.Book, error) { return recorded.MergeBooks(a, b), nil },
	}
	tallies = reduce.Monoid[moveTally]{
		Codec: reduce.JSON[moveTally](),
		Merge: func(a, b moveTally) (moveTally, error) {
			return moveTally{a.Streams + b.Streams, a.Cut.Union(b.Cut)}, nil
		},
	}
)

// moveTally counts what there is to read.
type moveTally struct {
	Streams int           `json:"streams"`
	Cut     model.RankSet `json:"cut"` // ranks whose recording ended for want of room
}

// moves is what the movements of a run amount to. The trace and the book are at
// analysis rank 0 only.
type moves struct {
	index *model.Index
	trace *movement.Trace
	book  recorded.Book
	ways  recorded.Ways
	// lacking: the level was asked for at which there is all of it, and what the
	// MPI library does was not recorded
	lacking  bool
	problems share.Problems
	tally    moveTally
}

func (m *moves) notes() []string {
	var notes []string
	if m.tally.Cut.Len() > 0 {
		notes = append(notes, fmt.Sprintf("ranks %s used up their room before the end (LAGGARD_STREAM_MB): what they did later is not known", m.tally.Cut))
	}
	if m.lacking {
		notes = append(notes, "nothing was recorded of what the MPI library does: record with LAGGARD_LEVEL=library, or level in [movement] of the settings")
	}
	return notes
}

// gather reads the movements of a run, each analysis rank those of its
// share: first who sends how much to whom, which all must know, then the chains.
func (q inquiry) gather(dir string, c reduce.Comm, tree *reduce.Tree, resolver *symbol.Resolver) (*moves, error) {
	s, err := share.Find(dir, c, tree)
	if err != nil {
		return nil, err
	}
	m := &moves{index: s.Index, problems: share.NewProblems(s.Index.Problems)}
	var sum recorded.Traffic
	eachReader(s.Index, func(r *recorded.Reader, rank *model.Rank, streams []*model.Stream) {
		m.count(rank, streams)
		t, errs := r.Traffic()
		m.damaged(rank, errs)
		sum = recorded.MergeTraffic(sum, t)
	}, m.damaged)
	all, err := m.tell(tree, sum)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(dir), err)
	}
	m.ways, m.lacking = all.Ways(), q.level == recorded.Library && !all.Within
	table, names := movement.Table{}, recorded.NewNamer(q.depth, sourceOf(resolver))
	var failed error
	eachReader(s.Index, func(r *recorded.Reader, rank *model.Rank, _ []*model.Stream) {
		p := movement.NewParser(rank.Rank)
		r.Feed(p, m.ways, q.level, names) // what is wrong was said at the first reading
		t, err := p.Finish()
		if err == nil && failed == nil {
			table, err = movement.Merge(table, t)
		}
		failed = errors.Join(failed, err)
	}, func(*model.Rank, []error) {})
	return m, m.collect(tree, c.Rank() == 0, table, names.Book, failed)
}

// sourceOf names a return address by its place in the source, as the debug
// information has it. Directories are left out: they change from build to build.
func sourceOf(resolver *symbol.Resolver) func(model.Frame) string {
	return func(f model.Frame) string {
		l := resolver.Resolve(f, true)
		if !l.Exact || l.Line == 0 || l.Function == "" {
			return ""
		}
		return fmt.Sprintf("%s %s:%d:%d", l.Function, filepath.Base(l.File), l.Line, l.Column)
	}
}

// tell makes known to all analysis ranks what each has found out, and returns the
// traffic of all.
func (m *moves) tell(tree *reduce.Tree, sum recorded.Traffic) (recorded.Traffic, error) {
	all, err := reduce.AllReduce(tree, traffic, sum, nil)
	if err != nil {
		return all, err
	}
	if m.tally, err = reduce.AllReduce(tree, tallies, m.tally, nil); err != nil {
		return all, err
	}
	if m.tally.Streams == 0 {
		return all, errNoMoves
	}
	m.problems, err = reduce.AllReduce(tree, share.ProblemsMonoid, m.problems, nil)
	return all, err
}

// collect brings the chains and names to analysis rank 0.
func (m *moves) collect(tree *reduce.Tree, root bool, table movement.Table, book recorded.Book, failed error) error {
	table, err := reduce.Reduce(tree, moveTables, table, failed)
	if err != nil {
		return err
	}
	if m.book, err = reduce.Reduce(tree, books, book, nil); err != nil {
		return err
	}
	if root {
		m.trace = movement.Resolve(table)
	}
	return nil
}

func (m *moves) count(r *model.Rank, streams []*model.Stream) {
	m.tally.Streams += len(streams)
	for _, s := range streams {
		if s.Cut {
			m.tally.Cut.Add(r.Rank)
		}
	}
}

func (m *moves) damaged(r *model.Rank, errs []error) {
	for _, err := range errs {
		m.problems.Add([]model.Problem{{File: r.File, Rank: r.Rank, Err: err}})
	}
}

// eachReader gives the ranks of the share with their streams, one at a time.
func eachReader(x *model.Index, f func(*recorded.Reader, *model.Rank, []*model.Stream), fault func(*model.Rank, []error)) {
	x.Each(func(run *model.Run) {
		for _, rank := range run.Ranks {
			streams, err := x.Streams(rank, model.MovementStream)
			if err != nil {
				fault(rank, []error{err})
			}
			f(recorded.NewReader(rank, streams), rank, streams)
		}
	})
}
