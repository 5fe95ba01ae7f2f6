package main

import (
	"fmt"
	"strconv"
	"strings"

	"laggard/analysis/progress/facts"
	"laggard/model"
	"laggard/report/diagnosis"
)

// only restricts a report to some ranks, or to the members of a communicator.
type only struct {
	ranks *model.RankSet // nil: all
	comm  uint64         // 0: any
}

func parseOnly(ranks, comm string) (only, error) {
	var o only
	if ranks != "" {
		set, err := model.ParseRankSet(ranks)
		if err != nil {
			return o, usageError{fmt.Errorf("--ranks: %w", err)}
		}
		o.ranks = &set
	}
	if comm != "" {
		id, err := strconv.ParseUint(strings.TrimPrefix(comm, "0x"), 16, 64)
		if err != nil || id == 0 {
			return o, usageError{fmt.Errorf("--comm %q: it is a hexadecimal number, as the report has it", comm)}
		}
		o.comm = id
	}
	return o, nil
}

func (o only) apply(r *diagnosis.Result, sum facts.Summary) error {
	if o.ranks == nil && o.comm == 0 {
		return nil
	}
	var keep model.RankSet
	keep.AddRange(0, max(r.Ranks-1, 0))
	if o.ranks != nil {
		if o.ranks.Len() > 0 && o.ranks.Max() >= r.Ranks {
			return usageError{fmt.Errorf("--ranks: there is no rank %d, the run has ranks 0-%d", o.ranks.Max(), r.Ranks-1)}
		}
		keep = keep.Intersect(*o.ranks)
	}
	if o.comm != 0 {
		members, err := membersOf(o.comm, sum)
		if err != nil {
			return err
		}
		keep = keep.Intersect(members)
	}
	return diagnosis.Filter(r, keep)
}

func membersOf(id uint64, sum facts.Summary) (model.RankSet, error) {
	for _, c := range sum.Comms {
		if c.ID == id {
			return c.Groups[0].Union(c.Groups[1]), nil
		}
	}
	return model.RankSet{}, usageError{fmt.Errorf("--comm %x: no rank is in or at such a communicator", id)}
}
