package main

import (
	"context"
	"encoding/json"

	"laggard/analysis/progress"
	"laggard/analysis/progress/inference"
	"laggard/injector"
	"laggard/reduce"
)

// trialQuestions are the ways of diagnosing that a campaign compares: as laggard does
// it, and by each algorithm without evidence.
var trialQuestions = []struct {
	name string
	asks progress.Question
}{
	{"laggard", progress.Question{}},
	{"loop-aware alone", progress.Question{Algorithm: inference.LoopAware, PaperOnly: true}},
	{"pdi", progress.Question{Algorithm: inference.PDI, PaperOnly: true}},
}

// diagnoseTrial asks all judges about the run in a directory; of ranks that parted only the first, as a user would.
func (a *app) diagnoseTrial(dir string, fault injector.Fault) ([]injector.Diagnosis, error) {
	var out []injector.Diagnosis
	for _, j := range trialQuestions {
		q, err := a.newQuestion(diagnoseFlags{noSlice: !fault.CausesDivergence()}, dir)
		if err != nil {
			return nil, err
		}
		q.analysts, q.Algorithm, q.PaperOnly = 1, j.asks.Algorithm, j.asks.PaperOnly
		result, err := q.answer(context.Background(), reduce.Run, nil)
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(result)
		if err != nil {
			return nil, err
		}
		d, err := injector.ReadDiagnosis(j.name, text)
		if err != nil || fault.CausesDivergence() {
			return []injector.Diagnosis{d}, err
		}
		out = append(out, d)
	}
	return out, nil
}
