package timeline

import (
	"context"
	"slices"
	"time"

	"laggard/analysis/share"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/reduce"
)

// Result is the answer to a [Question].
type Result struct {
	Sum
	Scale    Scale
	Sampled  model.RankSet   // ranks with samples
	Index    *runfiles.Index // of the run
	Notes    []string        // what else is to be known of the run
	Problems []string        // what was missing or damaged
}

// Run answers the question. All analysis ranks call it together; the result is at analysis rank 0, nil elsewhere. It is the
// same whatever their number. Errors wrap [ErrNoSamples] or [model.ErrNoRun].
func Run(ctx context.Context, q Question, c reduce.Comm) (*Result, error) {
	tree := reduce.NewTree(c)
	s, err := share.Find(q.Dir, c, tree)
	if err != nil {
		return nil, err
	}
	if q.From, q.To, err = broadcastBounds(tree, q); err != nil {
		return nil, err
	}
	tracks, known := readTracks(ctx, q, s.Index)
	all, err := reduce.AllReduce(tree, extents, known, ctx.Err())
	if err == nil && all.Sampled.Len() == 0 {
		err = ErrNoSamples
	}
	if err != nil {
		return nil, err
	}
	scale := newScale(all.Begin, all.End, q.Columns)
	for _, t := range tracks {
		t.rescale(scale, all.End)
	}
	rows, err := findRows(q, tree, tracks, all, scale)
	if err != nil {
		return nil, err
	}
	sum, err := reduce.Reduce(tree, sums, newSum(tracks, rows), nil)
	if err != nil || c.Rank() != 0 {
		return nil, err
	}
	r := &Result{Sum: sum, Scale: scale, Sampled: all.Sampled, Index: s.Index, Problems: all.Problems.Lines()}
	r.Notes = share.LeftOutNotes(s.Index.Size, s.Index.Duplicates, s.Index.Others)
	if away := share.UncollectedText(s.Index); away != "" {
		r.Notes = append(r.Notes, away)
	}
	return r, nil
}

// broadcastBounds tells all analysis ranks which time is shown.
func broadcastBounds(tree *reduce.Tree, q Question) (from, to time.Time, err error) {
	bounds, err := reduce.Broadcast(tree, reduce.JSON[[2]time.Time](), [2]time.Time{q.From, q.To}, nil)
	return bounds[0], bounds[1], err
}

// extent is what all analysis ranks must know before they can add up columns.
type extent struct {
	Begin    int64          `json:"begin"` // seconds since 1970
	End      int64          `json:"end"`
	Hz       int64          `json:"hz"` // the most samples a second
	Sampled  model.RankSet  `json:"sampled"`
	Problems share.Problems `json:"problems"`
}

func mergeExtents(a, b extent) extent {
	out := extent{
		Begin: a.Begin, End: max(a.End, b.End), Hz: max(a.Hz, b.Hz),
		Sampled: a.Sampled.Union(b.Sampled), Problems: share.MergeProblems(a.Problems, b.Problems),
	}
	if a.Sampled.Len() == 0 || b.Sampled.Len() > 0 && b.Begin < a.Begin {
		out.Begin = b.Begin
	}
	return out
}

func (e *extent) addTrack(t *track) {
	if e.Sampled.Len() == 0 || t.since < e.Begin {
		e.Begin = t.since
	}
	e.End, e.Hz = max(e.End, t.until), max(e.Hz, t.hz)
	e.Sampled.Add(t.rank)
}

// readTracks reads what the ranks of an index did.
func readTracks(ctx context.Context, q Question, x *runfiles.Index) ([]*track, extent) {
	var tracks []*track
	known := extent{Problems: share.NewProblems(x.Problems)}
	x.EachBatch(func(run *model.Run) {
		if ctx.Err() != nil {
			return
		}
		known.Problems.Add(run.Problems)
		for _, r := range run.Ranks {
			t := newTrack(r, q.From, q.To, q.Columns)
			if t == nil {
				continue
			}
			tracks = append(tracks, t)
			known.addTrack(t)
		}
	})
	slices.SortFunc(tracks, func(a, b *track) int { return a.rank - b.rank })
	return tracks, known
}

// findRows says in which row each rank is, by the lowest rank there; the same at all analysis ranks.
func findRows(q Question, tree *reduce.Tree, tracks []*track, all extent, scale Scale) (map[int]int, error) {
	rows := map[int]int{}
	if q.Rows == 0 || all.Sampled.Len() <= FewRanks {
		all.Sampled.Each(func(rank int) { rows[rank] = rank })
		return rows, nil
	}
	var mine []likeness
	for _, t := range tracks {
		mine = append(mine, newLikeness(t))
	}
	everyone, err := reduce.Reduce(tree, likenesses, mine, nil)
	if err != nil {
		return nil, err
	}
	var groups []model.RankSet
	if len(everyone) > 0 {
		full := float64(scale.Width*int64(scale.Columns)*all.Hz) / float64(windowsOf(scale))
		groups = groupAlike(everyone, q.Rows, q.Apart, full)
	}
	if groups, err = reduce.Broadcast(tree, reduce.JSON[[]model.RankSet](), groups, nil); err != nil {
		return nil, err
	}
	for _, g := range groups {
		g.Each(func(rank int) { rows[rank] = g.Min() })
	}
	return rows, nil
}
