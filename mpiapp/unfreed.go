package main

import (
	"fmt"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/job/rundir"
	"laggard/model"
	"laggard/report/diagnosis"
	"laggard/symbol"
)

// mostUnfreed bounds the lines about what a job never freed.
const mostUnfreed = 3

// reportUnfreed says what the ranks of this node never freed, in a job that has finished.
func (a *app) reportUnfreed(dir string) {
	found := unfreedOnNode(dir)
	if len(found) == 0 {
		return
	}
	resolver := symbol.New(new(symbolFlags).symbolConfig(a, ""))
	defer resolver.Close()
	for _, u := range diagnosis.NewUnfreed(found[:min(len(found), mostUnfreed)], resolver) {
		fmt.Fprintf(a.err, "laggard: %s\n", diagnosis.UnfreedText(&u))
	}
	if more := len(found) - mostUnfreed; more > 0 {
		fmt.Fprintf(a.err, "laggard: more were never freed, of %d other calls: laggard diagnose %s lists them\n", more, dir)
	}
}

// unfreedOnNode is what the ranks of this node never freed; nil if one did not finish, or its record is not whole.
func unfreedOnNode(dir string) (found []facts.Unfreed) {
	run := rundir.OpenOwn(dir)
	if run == nil || slices.ContainsFunc(run.Ranks, func(r *model.Rank) bool { return r.Phase < model.Finalized || r.Off }) {
		return nil
	}
	for _, r := range run.Ranks {
		found = append(found, facts.UnfreedOf(r)...)
	}
	return facts.SortUnfreed(found)
}
