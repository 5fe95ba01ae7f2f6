package main

import (
	"context"

	"laggard/analysis/progress"
	"laggard/analysis/progress/inference"
	"laggard/injector"
	"laggard/model"
	"laggard/reduce"
	"laggard/report/diagnosis"
)

// judges are the ways of diagnosing that a campaign compares: as laggard does
// it, and by each algorithm without evidence.
var judges = []struct {
	name string
	asks progress.Question
}{
	{"laggard", progress.Question{}},
	{"loop-aware alone", progress.Question{Algorithm: inference.LoopAware, PaperOnly: true}},
	{"pdi", progress.Question{Algorithm: inference.PDI, PaperOnly: true}},
}

// judge asks all judges about the run in a directory.
func (a *app) judge(dir string) ([]injector.Diagnosis, error) {
	var out []injector.Diagnosis
	symbols := new(symbolFlags).symbols(a, dir)
	for _, j := range judges {
		q := question{analysts: 1}
		q.Question.Question = j.asks
		q.Dir, q.Symbols = dir, symbols
		result, err := q.answer(context.Background(), reduce.Run)
		if err != nil {
			return nil, err
		}
		out = append(out, diagnosisOf(j.name, result))
	}
	return out, nil
}

func diagnosisOf(name string, r *diagnosis.Result) injector.Diagnosis {
	d := injector.Diagnosis{Algorithm: name, LP: []int{}, First: []int{}, Isolated: []int{}}
	if l := r.LeastProgressed; l != nil {
		d.LP, d.Method = l.Ranks, l.Method
		for _, at := range l.Locations {
			d.Where = append(d.Where, locationOf(at))
		}
	}
	if len(r.RankOrder) > 0 {
		d.First = ranksOfSet(r.RankOrder[0])
	}
	for _, g := range r.Groups {
		if g.Isolated {
			d.Isolated = append(d.Isolated, ranksOfSet(g.Ranks)...)
		}
	}
	return d
}

func ranksOfSet(text string) []int {
	set, err := model.ParseRankSet(text)
	if err != nil {
		return nil
	}
	return set.Slice()
}

func locationOf(l diagnosis.Location) injector.Location {
	out := injector.Location{Rank: l.Rank}
	if l.InMPI != nil {
		out.MPI = *l.InMPI
	}
	for _, f := range l.Stack {
		out.Stack = append(out.Stack, injector.Source{Function: f.Function, File: f.File, Line: f.Line})
	}
	return out
}
