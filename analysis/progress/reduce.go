package progress

import (
	"maps"
	"slices"
	"time"

	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/share"
	"laggard/model"
	"laggard/reduce"
)

// What the analysis ranks reduce. All get the overview; analysis rank 0 gets the
// others, and hands out the question of the summary and the ranks to look up.
var (
	overviews = reduce.JSONMonoid(mergeOverviews)
	summaries = reduce.Monoid[facts.Summary]{
		Codec: reduce.Codec[facts.Summary]{Encode: facts.EncodeSummary, Decode: facts.DecodeSummary},
		Merge: facts.MergeSummaries,
	}
	partials = reduce.Monoid[Partial]{
		Codec: reduce.Codec[Partial]{Encode: EncodePartial, Decode: DecodePartial},
		Merge: MergePartials,
	}
	processes  = disjointMaps[int, Process]()
	spawnCalls = disjointMaps[int, *model.State]()
	rankSets   = reduce.JSON[model.RankSet]()
)

// disjointMaps puts together maps, such as by rank, of which no two analysis ranks have the same key.
func disjointMaps[K comparable, V any]() reduce.Monoid[map[K]V] {
	return reduce.JSONMonoid(func(a, b map[K]V) map[K]V {
		maps.Copy(a, b)
		return a
	})
}

// overview is what the analysis ranks tell each other beforehand about their
// shares of the recorded ranks. It is a monoid: see mergeOverviews.
type overview struct {
	share.Problems
	Liveness map[int]evidence.Liveness `json:"liveness"`
	Moving   []int                     `json:"moving"` // live ranks that make progress
	Alive    bool                      `json:"alive"`  // a process of the run lives on this host
	// Remaining are the ranks that left MPI_Finalize and whose process lives on this host.
	Remaining model.RankSet `json:"remaining"`
	// Traced are the ranks whose process a debugger on this host has stopped.
	Traced model.RankSet `json:"traced"`
	// Progress is when a live rank was last seen to make progress; zero: just now, or none was seen to live.
	Progress time.Time `json:"progress"`
	Lively   bool      `json:"lively"` // a live rank makes progress now
	// Latest is when a rank that makes none any more last made progress, whether it lives or not; zero: there is none.
	Latest time.Time `json:"latest"`
}

func newOverview(found []model.Problem) overview {
	return overview{Problems: share.NewProblems(found), Liveness: map[int]evidence.Liveness{}}
}

func mergeOverviews(a, b overview) overview {
	out := overview{Problems: share.MergeProblems(a.Problems, b.Problems), Liveness: map[int]evidence.Liveness{}}
	for _, o := range []overview{a, b} {
		maps.Copy(out.Liveness, o.Liveness)
		out.Moving = append(out.Moving, o.Moving...)
		out.Alive = out.Alive || o.Alive
		out.Remaining = out.Remaining.Union(o.Remaining)
		out.Traced = out.Traced.Union(o.Traced)
		out.noteProgress(o.Progress, o.Lively)
		out.noteLatest(o.Latest)
	}
	slices.Sort(out.Moving)
	return out
}

// addProgress notes when a rank that lives was last seen to make progress.
func (o *overview) addProgress(r *model.Rank) {
	if r.Phase < model.Finalized && !r.Off {
		o.noteProgress(r.QuietSince, r.QuietSince.IsZero())
	}
}

// noteProgress notes when a live rank last made progress, or that it does now.
func (o *overview) noteProgress(at time.Time, now bool) {
	o.Lively = o.Lively || now
	if at.After(o.Progress) {
		o.Progress = at
	}
	if o.Lively {
		o.Progress = time.Time{}
	}
}

// noteLatest notes when a rank last made progress.
func (o *overview) noteLatest(at time.Time) {
	if at.After(o.Latest) {
		o.Latest = at
	}
}

// isRecent reports whether a live rank made progress so short a time ago that a pause and a hang look the same.
func (o *overview) isRecent(now time.Time) bool {
	return o.Lively || !o.Progress.IsZero() && now.Sub(o.Progress) < longestPause
}

// longestPause is how long healthy programs often compute, or wait, without a call of MPI that ends.
const longestPause = 10 * time.Second

// isBeingKilled reports whether the job may be in the midst of being killed: some
// processes are dead and others are not.
func (o overview) isBeingKilled() bool {
	for _, l := range o.Liveness {
		if l == evidence.Dead && o.Alive {
			return true
		}
	}
	return false
}
