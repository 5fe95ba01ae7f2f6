package main

import (
	"fmt"
	"maps"
	"time"

	"laggard/analysis/progress"
	"laggard/analysis/progress/facts"
	"laggard/job/collect"
	"laggard/model"
	"laggard/reduce"
	"laggard/report"
	"laggard/report/diagnosis"
	"laggard/report/words"
	"laggard/symbol"
)

// question is what a diagnosis is asked.
type question struct {
	dir      string
	only     only
	options  progress.Options
	symbols  symbol.Config
	analysts int           // analysis ranks, in-process; 0 as many as pay
	page     bool          // the answer is for the page, which shows more
	slice    *sliceOptions // nil: no slices
}

var (
	summaries = reduce.Monoid[facts.Summary]{
		Codec: reduce.Codec[facts.Summary]{Encode: facts.EncodeSummary, Decode: facts.DecodeSummary},
		Merge: facts.MergeSummaries,
	}
	partials = reduce.Monoid[progress.Partial]{
		Codec: reduce.Codec[progress.Partial]{Encode: progress.EncodePartial, Decode: progress.DecodePartial},
		Merge: progress.MergePartials,
	}
	lookups = reduce.Monoid[map[int]diagnosis.Process]{
		Codec: reduce.JSON[map[int]diagnosis.Process](),
		Merge: func(a, b map[int]diagnosis.Process) (map[int]diagnosis.Process, error) {
			maps.Copy(a, b)
			return a, nil
		},
	}
	sets = reduce.JSON[model.RankSet]()
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
// It folds its share of the recorded ranks, then goes through the tree with the
// others. It reports the same whatever their number.
func analyse(q question, c reduce.Comm) (*diagnosis.Result, error) {
	t, watch := reduce.NewTree(c), newStopwatch()
	s, known, sum, err := readShare(q.dir, c, t)
	if err == nil && known.ending() {
		// A job that is being killed ends rank by rank: who is dead by then and
		// who is not says nothing of the cause.
		time.Sleep(settling)
		s, known, sum, err = readShare(q.dir, c, t)
	}
	if s == nil {
		return nil, err // the same at all ranks
	}
	watch.done("load")
	q.options = withFacts(q.options, s.Index, known)
	if sum, err = reduce.Reduce(t, summaries, sum, err); err != nil {
		return nil, err
	}
	asked, err := reduce.Broadcast(t, summaries.Codec, sum.Question(), nil)
	if err != nil {
		return nil, err
	}
	part, err := s.infer(&asked, q.options)
	if err != nil {
		return nil, err
	}
	watch.done(progress.StepBuildPDG)
	other := q.other()
	var second progress.Partial
	if q.page {
		if second, err = s.infer(&asked, other.options); err != nil {
			return nil, err
		}
	}
	result, err := s.conclude(q, known, sum, part, watch)
	if err == nil && q.page {
		var compared *diagnosis.Result
		if compared, err = s.conclude(other, known, sum, second, newStopwatch()); err == nil && result != nil {
			result.Extra.Comms, result.Extra.Compared = communicators(sum), compared
		}
	}
	if err != nil || result == nil {
		return nil, err
	}
	stats := t.Stats()
	result.Analysis.Ranks, result.Analysis.Rounds = c.Size(), stats.Rounds()
	result.Analysis.Bytes, result.Analysis.PerRound = stats.Bytes(), stats.PerRound()
	return result, nil
}

// conclude draws the conclusion at rank 0; the others say what they know of the
// processes that it names.
func (s *looker) conclude(q question, known shareFacts, sum facts.Summary, part progress.Partial, watch *stopwatch) (*diagnosis.Result, error) {
	var laid progress.Result
	var least model.RankSet
	var err error
	if s.Comm.Rank() == 0 {
		var finding *progress.Finding
		if finding, err = progress.FindLP(sum, part, q.options); err == nil {
			watch.done(progress.StepFindLP)
			if laid = finding.Result(); laid.LeastProgressed != nil {
				least = few(laid.LeastProgressed.Ranks)
			}
		}
	}
	if least, err = reduce.Broadcast(s.Tree, sets, least, err); err != nil {
		return nil, err
	}
	found, err := reduce.Reduce(s.Tree, lookups, s.processes(least), nil)
	var result *diagnosis.Result
	if err == nil && s.Comm.Rank() == 0 {
		result, err = q.report(s.Index, known, sum, laid, found)
		watch.done(progress.StepOutput)
	}
	if err = reduce.Agree(s.Tree, err); err != nil || result == nil {
		return nil, err
	}
	result.Analysis = diagnosis.Analysis{Algorithm: laid.Algorithm, Seconds: watch.seconds}
	return result, nil
}

// report puts names to what was found.
func (q question) report(index *model.Index, known shareFacts, sum facts.Summary, laid progress.Result, found map[int]diagnosis.Process) (*diagnosis.Result, error) {
	resolver := symbol.New(q.symbols)
	defer resolver.Close()
	source := diagnosis.Source{
		Run: report.NewRun(index), Finding: laid, Damaged: known.Damaged, Problems: known.Lines(), Processes: found, Resolver: resolver,
	}
	if len(known.Moving) > 0 {
		source.Finding.Notes = append(source.Finding.Notes, movingNote(known.Moving))
	}
	if away := collect.Note(index); away != "" {
		source.Finding.Notes = append(source.Finding.Notes, away)
	}
	if known.Torn.Len() > 0 {
		source.Finding.Notes = append(source.Finding.Notes,
			fmt.Sprintf("rank %s: ended, or was read, in the midst of an update; what it did last may be half told", known.Torn))
	}
	result := diagnosis.New(source)
	result.Running = len(known.Moving) > 0
	if q.slice != nil && (q.slice.must || !result.Running) {
		made, err := q.slices(laid, sum, resolver, result.Run.Created)
		if err != nil {
			return nil, err
		}
		result.Slices = made
	}
	return result, q.only.apply(result, sum)
}

func movingNote(ranks []int) string {
	who := model.NewRankSet(ranks...)
	return fmt.Sprintf("the job is running: %s %s progress", who.Phrase(), words.Verb(who.String(), "makes", "make"))
}

// maxProcesses bounds the least-progressed ranks whose processes are looked up.
const maxProcesses = 64

// few returns the first ranks of a set, as many as are looked up.
func few(ranks model.RankSet) model.RankSet {
	if ranks.Len() <= maxProcesses {
		return ranks
	}
	return model.NewRankSet(ranks.Slice()[:maxProcesses]...)
}

// processes reads again the records of a few ranks of the share for what a user
// needs to get at them.
func (s *looker) processes(ranks model.RankSet) map[int]diagnosis.Process {
	out := map[int]diagnosis.Process{}
	for i, slot := range s.Index.Slots {
		if !ranks.Contains(slot.Rank) || slot.Spawned {
			continue
		}
		run, err := s.Index.Load(i, i+1)
		if err != nil || len(run.Ranks) != 1 {
			continue
		}
		r := run.Ranks[0]
		out[r.Rank] = diagnosis.Process{Host: r.Host, PID: r.PID, Since: r.QuietSince}
	}
	return out
}
