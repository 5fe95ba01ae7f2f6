package slice

import (
	"bytes"
	"iter"
	"maps"
	"slices"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/model/runfiles"
	"laggard/slicing"
	"laggard/slicing/calls"
)

// maxSenders bounds the records that are read to find where messages are sent.
const maxSenders = 64

// evenSample yields at most `most` of the numbers below n, at even distances.
func evenSample(n, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := range min(n, most) {
			if !yield(k * n / min(n, most)) {
				return
			}
		}
	}
}

// sampleIndex scans some files of a run directory: a million ranks need not be looked
// through for a few.
func sampleIndex(dir string) (*runfiles.Index, error) {
	all, err := runfiles.List(dir)
	if err != nil {
		return nil, err
	}
	some := *all
	some.Files = nil
	for i := range evenSample(len(all.Files), maxSenders) {
		some.Files = append(some.Files, all.Files[i])
	}
	part := some.ScanPart(0, 1)
	v := part.TakeCensus().DecideRun(some.Manifest)
	return part.BuildIndex(v, part.BestClaims(v)), nil
}

// findSenders are the calls in the run through which data go out, as far as a part
// of the ranks tells. Where several analysis ranks looked at the run, the index of each is that of its share.
func findSenders(of *progress.Result, dir string) []slicing.Site {
	index := of.Index
	if of.Analysts > 1 {
		var err error
		if index, err = sampleIndex(dir); err != nil {
			return nil
		}
	}
	found := map[model.StateID]slicing.Site{}
	for i := range evenSample(len(index.Slots), maxSenders) {
		run, err := index.LoadSlots(i, i+1)
		if err != nil {
			continue
		}
		for _, r := range run.Ranks {
			addSenders(found, r)
		}
	}
	byID := func(a, b model.StateID) int { return bytes.Compare(a[:], b[:]) }
	var out []slicing.Site
	for _, id := range slices.SortedFunc(maps.Keys(found), byID) {
		out = append(out, found[id])
	}
	return out
}

func addSenders(found map[model.StateID]slicing.Site, r *model.Rank) {
	for _, t := range r.Threads {
		for _, s := range t.Model.States {
			if calls.Sends(s.Call) {
				found[s.ID] = slicing.Site{Call: s.Call, Stack: s.Stack}
			}
		}
	}
}
