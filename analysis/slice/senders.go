package slice

import (
	"bytes"
	"iter"
	"maps"
	"slices"

	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/calls"
)

// maxSenders bounds the records that are read to find where messages are sent.
const maxSenders = 64

// evenly yields at most `most` of the numbers below n, at even distances.
func evenly(n, most int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for k := range min(n, most) {
			if !yield(k * n / min(n, most)) {
				return
			}
		}
	}
}

// sample scans some files of a run directory: a million ranks need not be looked
// through for a few.
func sample(dir string) (*model.Index, error) {
	all, err := model.List(dir)
	if err != nil {
		return nil, err
	}
	some := *all
	some.Files = nil
	for i := range evenly(len(all.Files), maxSenders) {
		some.Files = append(some.Files, all.Files[i])
	}
	part := some.Part(0, 1)
	v := part.Census().Verdict(some.Manifest)
	return part.Index(v, part.Claims(v)), nil
}

// senders are the calls in the run through which data go out, as far as a part
// of the ranks tells.
func senders(dir string) []slicing.Site {
	index, err := sample(dir)
	if err != nil {
		return nil
	}
	found := map[model.StateID]slicing.Site{}
	for i := range evenly(len(index.Slots), maxSenders) {
		run, err := index.Load(i, i+1)
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
