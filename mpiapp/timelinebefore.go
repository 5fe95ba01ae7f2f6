package main

import (
	"context"
	"time"

	"laggard/analysis/timeline"
	"laggard/model"
	"laggard/report/diagnosis"
	timelinereport "laggard/report/timeline"
	"laggard/symbol"
)

// The time around the beginning of a hang that its page shows, and in how many columns and rows.
const (
	timeBefore    = 10 * time.Minute
	timeAfter     = time.Minute
	pageColumns   = 150
	pageRows      = 20
	maxApartRanks = 8 // least-progressed ranks that have rows of their own
)

// addTimeline adds to the page of a diagnosis what the ranks did over time, if they have samples. All processes of a world call it; the
// result is nil in those that do not have it.
func (q question) addTimeline(ctx context.Context, in worldRunner, r *diagnosis.Result, resolver *symbol.Resolver) {
	found, err := runAnalysis(ctx, in, q.analysts, q.minutesBefore(r), timeline.Run)
	if err != nil || found == nil || r == nil {
		return
	}
	runOptionalStep(r, "the timeline", func() {
		r.Extra.Timeline = timelinereport.New(timelinereport.Source{Run: r.Run, Found: found, Resolver: resolver})
	})
}

// minutesBefore asks what the ranks did before the hang; where it is not known when that began, in the whole run. Without a result,
// another process has it, whose bounds count.
func (q question) minutesBefore(r *diagnosis.Result) timeline.Question {
	out := timeline.Question{Dir: q.Dir, Columns: pageColumns, Rows: pageRows}
	if r == nil || r.LeastProgressed == nil {
		return out
	}
	if set, err := model.ParseRankSet(r.LeastProgressed.Set); err == nil && set.Len() <= maxApartRanks {
		out.Apart = set
	}
	for _, at := range r.LeastProgressed.Locations {
		if at.Since != nil && (out.To.IsZero() || at.Since.Add(timeAfter).Before(out.To)) {
			out.From, out.To = at.Since.Add(-timeBefore), at.Since.Add(timeAfter)
		}
	}
	return out
}
