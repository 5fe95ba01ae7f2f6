package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"laggard/model"
	"laggard/model/progress"
	"laggard/model/symbol"
	"laggard/reduce"
	"laggard/report"
)

// question is what a diagnosis is asked.
type question struct {
	dir      string
	only     only
	options  progress.Options
	symbols  symbol.Config
	analysts int // analysis ranks, in-process; 0 as many as pay
}

// facts is what the analysis ranks tell each other beforehand, about their
// blocks of the recorded ranks.
type facts struct {
	Problems []string                  `json:"problems"`
	Damaged  model.RankSet             `json:"damaged"`
	Torn     model.RankSet             `json:"torn"` // killed within an update
	Liveness map[int]progress.Liveness `json:"liveness"`
	Moving   []int                     `json:"moving"` // live ranks that make progress
	Alive    bool                      `json:"alive"`  // a process of the run lives on this host
	Holes    bool                      `json:"holes"`  // a node file has lost ranks, it cannot say which
}

var factsMonoid = reduce.Monoid[facts]{
	Codec: reduce.Codec[facts]{
		Encode: func(f facts) ([]byte, error) { return json.Marshal(f) },
		Decode: func(b []byte) (f facts, err error) { return f, json.Unmarshal(b, &f) },
	},
	Merge: mergeFacts,
}

func mergeFacts(a, b facts) (facts, error) {
	a.Problems = append(a.Problems, b.Problems...)
	a.Moving = append(a.Moving, b.Moving...)
	slices.Sort(a.Problems)
	slices.Sort(a.Moving)
	a.Damaged = a.Damaged.Union(b.Damaged)
	a.Torn = a.Torn.Union(b.Torn)
	a.Alive = a.Alive || b.Alive
	a.Holes = a.Holes || b.Holes
	if a.Liveness == nil {
		a.Liveness = map[int]progress.Liveness{}
	}
	for rank, l := range b.Liveness {
		a.Liveness[rank] = l
	}
	return a, nil
}

var (
	summaries = reduce.Monoid[progress.Summary]{
		Codec: reduce.Codec[progress.Summary]{Encode: progress.EncodeSummary, Decode: progress.DecodeSummary},
		Merge: progress.MergeSummaries,
	}
	partials = reduce.Monoid[progress.Partial]{
		Codec: reduce.Codec[progress.Partial]{Encode: progress.EncodePartial, Decode: progress.DecodePartial},
		Merge: progress.MergePartials,
	}
)

// stopwatch adds up the seconds of the named phases (PDI Figure 8).
type stopwatch struct {
	last    time.Time
	seconds map[string]float64
}

func newStopwatch() *stopwatch { return &stopwatch{time.Now(), map[string]float64{}} }

func (w *stopwatch) done(phase string) {
	now := time.Now()
	w.seconds[phase] += now.Sub(w.last).Seconds()
	w.last = now
}

// analyse is one analysis rank's part of a diagnosis; the result is at rank 0.
// It loads a block of the recorded ranks and folds it, then goes through the
// tree with the others. It reports the same whatever their number.
func analyse(q question, c reduce.Comm) (*report.Result, error) {
	t, watch := reduce.NewTree(c), newStopwatch()
	index, run, err := loadBlock(q.dir, c)
	again := func() []*model.Rank { return reload(q.dir, c) }
	known, err := reduce.AllReduce(t, factsMonoid, blockFacts(run, err, again), err)
	if err != nil {
		return nil, err
	}
	if known.Holes {
		known.Damaged = known.Damaged.Union(index.Missing())
	}
	if known.ending() {
		// A job that is being killed ends rank by rank: who is dead by then and
		// who is not says nothing of the cause.
		time.Sleep(settling)
		index, run, err = loadBlock(q.dir, c)
		if known, err = reduce.AllReduce(t, factsMonoid, blockFacts(run, err, again), err); err != nil {
			return nil, err
		}
	}
	watch.done("load")
	q.options = withFacts(q.options, index, known)
	sum, err := progress.Summarise(run.Ranks)
	if sum, err = reduce.AllReduce(t, summaries, sum, err); err != nil {
		return nil, err
	}
	part, err := progress.Local(run.Ranks, &sum, q.options)
	if part, err = reduce.Reduce(t, partials, part, err); err != nil {
		return nil, err
	}
	watch.done(progress.StepBuildPDG)
	if c.Rank() != 0 {
		return nil, reduce.Agree(t, nil)
	}
	result, err := conclude(q, index, known, sum, part, watch)
	if err = reduce.Agree(t, err); err != nil {
		return nil, err
	}
	stats := t.Stats()
	result.Analysis.Ranks, result.Analysis.Rounds, result.Analysis.Bytes = c.Size(), stats.Rounds(), stats.Bytes()
	return result, nil
}

// loadBlock loads this analysis rank's share of the slots.
func loadBlock(dir string, c reduce.Comm) (*model.Index, *model.Run, error) {
	index, err := model.Scan(dir)
	if err != nil {
		return nil, nil, err
	}
	n := len(index.Slots)
	run, err := index.Load(n*c.Rank()/c.Size(), n*(c.Rank()+1)/c.Size())
	if err == nil && c.Rank() == 0 {
		run.Problems = append(run.Problems, index.Problems...)
	}
	return index, run, err
}

// reload reads the block again; what cannot be read now has not moved.
func reload(dir string, c reduce.Comm) []*model.Rank {
	_, run, err := loadBlock(dir, c)
	if err != nil {
		return nil
	}
	return run.Ranks
}

func blockFacts(run *model.Run, err error, again func() []*model.Rank) facts {
	f := facts{Liveness: map[int]progress.Liveness{}}
	if err != nil {
		return f
	}
	for _, p := range run.Problems {
		if errors.Is(p.Err, model.ErrTorn) && p.Rank >= 0 {
			f.Torn.Add(p.Rank) // as it must be, now and then: nothing is damaged
			continue
		}
		f.Problems = append(f.Problems, problemText(p))
		f.Damaged.Add(p.Rank) // -1 is left out
		f.Holes = f.Holes || p.Rank < 0 && p.File != model.ManifestName && !errors.Is(p.Err, model.ErrRunID)
	}
	slices.Sort(f.Problems)
	observe(run.Ranks, &f, again)
	return f
}

func problemText(p model.Problem) string {
	var placed *model.FormatError
	if errors.As(p.Err, &placed) || strings.Contains(p.Err.Error(), p.File) {
		return p.Err.Error()
	}
	return fmt.Sprintf("%s: %v", p.File, p.Err)
}

func withFacts(o progress.Options, index *model.Index, f facts) progress.Options {
	o.Size = index.Size
	o.Damaged = f.Damaged.Minus(index.Seen)
	o.Progressing = len(f.Moving) > 0
	if f.Alive {
		o.Liveness = f.Liveness
	}
	return o
}

func conclude(q question, index *model.Index, known facts, sum progress.Summary, part progress.Partial, watch *stopwatch) (*report.Result, error) {
	finding, err := progress.FindLP(sum, part, q.options)
	if err != nil {
		return nil, err
	}
	watch.done(progress.StepFindLP)
	laid := finding.Result()
	resolver := symbol.New(q.symbols)
	defer resolver.Close()
	source := report.Source{
		Run: runInfo(index), Finding: laid, Damaged: known.Damaged, Problems: known.Problems, Resolver: resolver,
	}
	if len(known.Moving) > 0 {
		source.Finding.Notes = append(source.Finding.Notes, movingNote(known.Moving))
	}
	if known.Torn.Len() > 0 {
		source.Finding.Notes = append(source.Finding.Notes,
			fmt.Sprintf("rank %s: ended, or was read, in the midst of an update; what it did last may be half told", known.Torn))
	}
	if laid.LeastProgressed != nil {
		source.Processes = processes(index, laid.LeastProgressed.Ranks)
	}
	result := report.New(source)
	if err := q.only.apply(result, sum); err != nil {
		return nil, err
	}
	watch.done(progress.StepOutput)
	result.Analysis = report.Analysis{Algorithm: laid.Algorithm, Seconds: watch.seconds}
	return result, nil
}

func movingNote(ranks []int) string {
	if len(ranks) == 1 {
		return fmt.Sprintf("the job is running: rank %d makes progress", ranks[0])
	}
	return fmt.Sprintf("the job is running: ranks %s make progress", model.NewRankSet(ranks...))
}

func runInfo(index *model.Index) report.Run {
	r := report.Run{Dir: index.Dir, ID: model.RunIDText(index.ID), Command: []string{}}
	if m := index.Manifest; m != nil {
		r.Command, r.Created, r.Job = m.Command, m.Created, m.Job
	}
	return r
}

// maxProcesses bounds the least-progressed ranks whose processes are looked up.
const maxProcesses = 64

// processes reads again the records of a few ranks for what a user needs to
// get at them.
func processes(index *model.Index, ranks model.RankSet) map[int]report.Process {
	out := map[int]report.Process{}
	for i, s := range index.Slots {
		if len(out) == maxProcesses || !ranks.Contains(s.Rank) {
			continue
		}
		run, err := index.Load(i, i+1)
		if err != nil || len(run.Ranks) != 1 {
			continue
		}
		r := run.Ranks[0]
		out[r.Rank] = report.Process{Host: r.Host, PID: r.PID, Since: r.QuietSince}
	}
	return out
}
