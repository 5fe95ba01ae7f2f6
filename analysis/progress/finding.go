package progress

import (
	"fmt"
	"slices"

	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// Finding is what was found out, before it is laid out as a Diagnosis.
type Finding struct {
	opts       Options
	scene      *evidence.Scene
	algorithm  inference.Algorithm
	order      inference.Order
	graph      *evidence.Graph // of all needs, the weak ones too
	hang       bool
	roots      []evidence.Root // of the deadlocks
	least      model.RankSet
	method     string
	confidence float64
	reason     string
	cause      CauseKind
	deadlock   *Deadlock
	diverged   []divergence.Divergence
	raised     []facts.Raised
	notes      []string
}

// FindLP finds the least progressed ranks from the merged summary and partial
// (PDI §4.3, and evidence before it). In order: lost ranks; those that left the
// common sequence of collectives, or the job; the roots of deadlocks; the ranks that
// the waiting ones wait for in the end; deadlocks that buffering may still dissolve;
// the ranks outside MPI, if there are stacks only; and last what the algorithm
// infers. Errors wrap ErrUnknownAlgorithm or ErrMismatch.
func FindLP(sum facts.Summary, part Partial, opts Options) (*Finding, error) {
	algorithm, err := inference.NewAlgorithm(opts.Algorithm)
	if err != nil {
		return nil, err
	}
	order, err := algorithm.Order(&sum, &part.Partial)
	if err != nil {
		return nil, err
	}
	s := evidence.NewScene(&sum, part.Answers, opts.Observed)
	f := &Finding{opts: opts, scene: s, algorithm: algorithm, order: order, diverged: opts.Diverged,
		raised: sum.Raised}
	f.graph = evidence.NewGraph(s, func(evidence.Need) bool { return true }, false)
	f.hang = !opts.Progressing && (s.Unfinished().Len() > 0 || s.Lost.Len() > 0)
	if s.Present.Len() == 0 {
		f.notes = append(f.notes, "there is no record of any rank")
	}
	if n := sum.Outside; n > 0 {
		f.notes = append(f.notes, fmt.Sprintf(
			"%d processes outside MPI_COMM_WORLD, or without a known rank, were left out", n))
	}
	if f.hang || opts.Progressing {
		f.find() // of a job that moves: who is behind at this moment
	}
	f.excepted()
	if !f.hang {
		f.deadlock = nil // ranks that move are not all seen at the same moment
	}
	return f, nil
}

// find tries the sources in the order of their weight.
func (f *Finding) find() {
	if f.opts.PaperOnly {
		f.inferred()
		return
	}
	f.findDeadlock(func(n evidence.Need) bool { return !n.Weak }, true)
	switch {
	case f.lostFirst(), f.parted(), f.crossed(), f.departed(), f.extra(), f.deadlocked(), f.awaited(),
		f.stillInside(f.scene.Unfinished()), f.maybeDeadlocked(), f.library(), f.outside():
		f.method = MethodEvidence
	default:
		f.inferred()
	}
}

func (f *Finding) lostFirst() bool {
	for _, l := range f.scene.Losses {
		if l.Cause {
			f.least = f.least.Union(l.Ranks)
		}
	}
	if f.least.Len() == 0 {
		return false
	}
	lost := f.least
	if lost.Minus(f.scene.Erred).Len() == 0 || f.exited(lost) || f.crashedBehind(lost) {
		if f.parted() {
			f.reason += "; " + f.lossReason() // that is how the ways parted
			if oddRanks(&f.diverged[0]).Equal(lost) {
				f.least, f.confidence = lost, f.sure(certainty) // however few came as far
			}
			return true
		}
	}
	if f.apart(lost.Intersect(f.scene.Erred)) {
		f.reason += "; " + f.lossReason()
		return true
	}
	f.mixedUp(lost.Intersect(f.scene.Crashed()))
	f.reason, f.cause = f.lossReason(), f.lossKind()
	level := certainty
	for _, l := range f.scene.Losses {
		if l.Cause {
			level = min(level, leads[l.Lead])
		}
	}
	f.least, f.confidence = lost, f.sure(level)
	return true
}

// leads are the levels of lost ranks, by how sure it is that they were the first.
var leads = [...]float64{evidence.Ahead: certainty, evidence.Close: awaitedBy, evidence.Even: guess}

// exited tells whether some ranks ended by themselves.
func (f *Finding) exited(ranks model.RankSet) bool {
	return ranks.Minus(f.scene.RanksWhere(func(fact *facts.Fact) bool {
		return fact.End == model.Exited || fact.End == model.Aborted
	})).Len() == 0
}

// crashedBehind tells whether ranks crashed after they had come to the collective at which
// others had left the common sequence: since then calls were matched that do not belong
// together, and data came that were not meant.
func (f *Finding) crashedBehind(ranks model.RankSet) bool {
	i := slices.IndexFunc(f.diverged, f.explains)
	if i < 0 || f.diverged[i].Odd[0].Kind == divergence.ErrorPath {
		return false
	}
	came := f.diverged[i].Agree.Union(oddRanks(&f.diverged[i]))
	return ranks.Minus(came).Len() == 0 && ranks.Minus(f.scene.Crashed()).Len() == 0
}

// awaited takes the ranks that the waiting ranks wait for in the end. A rank
// that has all it waits for, or whose record stopped, is taken only if there
// is no other.
func (f *Finding) awaited() bool {
	graph := f.graph
	first, second, alone := f.sinks(graph)
	if first.Len() == 0 && second.Len() == 0 {
		graph = evidence.NewGraph(f.scene, func(evidence.Need) bool { return true }, true)
		first, second, alone = f.sinks(graph)
	}
	f.least, f.confidence = first, f.sure(f.directness())
	f.reason = "awaited in the end by " + f.waiting().Phrase()
	switch {
	case first.Len() == 0:
		f.least, f.confidence = second, f.sure(guess)
		f.reason = "others wait for it, and nothing certain is known of what holds it"
	case alone.Len() > 0:
		f.confidence = f.sure(guess) // one of those who left may have owed it
		f.reason = alone.Phrase() + ": waits for a message that nobody is left to send"
	case f.opts.Uncounted && (second.Len() > 0 || f.certainlyAwaited().Intersect(first).Len() == 0):
		f.confidence = f.sure(guess) // it may be one of those whose waits are not known
	}
	f.narrow()
	f.stillInside(f.least)
	f.stalledBehind()
	return f.least.Len() > 0
}

// stillInside takes, of ranks that nothing certain tells apart, those that
// stand still inside their call while others go on looking for messages.
func (f *Finding) stillInside(among model.RankSet) bool {
	s := f.scene
	certain := func(r int) bool { n := s.Needs[r]; return n.Standing == evidence.Waiting && !n.Weak }
	still := s.RanksWhere(func(fact *facts.Fact) bool {
		return fact.Still && among.Contains(fact.Rank) && !certain(fact.Rank)
	})
	looking := s.RanksWhere(func(fact *facts.Fact) bool { return fact.Looking })
	if still.Len() == 0 || still.Equal(f.least) || still.Len() > looking.Len() {
		return false
	}
	f.least, f.confidence = still, f.sure(likely)
	f.reason = still.Phrase() + " stands still inside the call, while others look for messages"
	return true
}

// narrow asks the algorithm about ranks that are only perhaps waited for, if
// there are others: those ahead of the lowest are left out.
func (f *Finding) narrow() {
	if f.least.Len() < 2 {
		return
	}
	maybe := f.least.Minus(f.certainlyAwaited())
	lowest, layers := f.least.Min(), f.layerOf()
	f.least.Each(func(r int) {
		if layers[r] < layers[lowest] {
			lowest = r
		}
	})
	var ahead []int
	maybe.Each(func(r int) {
		if code, _ := f.order.Relate(r, lowest); code == inference.Forward {
			ahead = append(ahead, r)
		}
	})
	if len(ahead) > 0 {
		left := model.NewRankSet(ahead...)
		f.least = f.least.Minus(left)
		f.reason += fmt.Sprintf("; %s may be as well, but the execution history shows further progress", left.Phrase())
	}
}

// sinks returns the ranks reached from waiting ranks that do not wait
// themselves, and those that wait, alone, for what nobody is left to send.
// Second come those of which nothing is known to hold them, or nothing certain.
func (f *Finding) sinks(g *evidence.Graph) (first, second, alone model.RankSet) {
	alone = f.where(func(n evidence.Need) bool { return n.Alone })
	first = alone.Clone()
	g.AwaitedBy(f.waiting()).Each(func(rank int) {
		n := f.scene.Needs[rank]
		switch {
		case n.Standing == evidence.Waiting && !n.Computes:
		case n.Computes || n.Standing == evidence.Ready || f.scene.Off.Contains(rank),
			f.opts.Uncounted && (n.Standing == evidence.Opaque || f.scene.Facts[rank].Away || f.joins(rank)):
			second.Add(rank)
		default:
			first.Add(rank)
		}
	})
	return first, second, alone
}

// joins tells whether a rank is outside MPI while another of its threads is inside, for which
// it may wait.
func (f *Finding) joins(rank int) bool {
	fact := f.scene.Facts[rank]
	return fact.Driving && !fact.At.InMPI
}

// inferred asks the algorithm. Finished ranks cannot be least progressed.
func (f *Finding) inferred() {
	f.method = f.algorithm.Name()
	ends := f.ends()
	for _, end := range ends {
		f.least = f.least.Union(end)
	}
	f.reason = "in the execution history no rank is behind it"
	switch {
	case f.least.Len() == 0:
		f.notes = append(f.notes, "the execution history leaves the order undefined: every position waits for another")
	case f.undecided():
		f.reason = "nothing tells the ranks apart"
	}
	f.confidence = f.sure(f.inferredConfidence(ends))
}

// ends returns the unfinished ranks that nobody is behind, by place. If there
// are several places, those are discarded of which a rank waits point-to-point
// for one that is not among them and lies in another branch, unless that would
// leave none (PDI §4.3).
func (f *Finding) ends() []model.RankSet {
	ends := f.lowest()
	if len(ends) < 2 {
		return ends
	}
	var all model.RankSet
	for _, end := range ends {
		all = all.Union(end)
	}
	kept := slices.DeleteFunc(slices.Clone(ends), func(end model.RankSet) bool {
		return slices.ContainsFunc(f.peers(end), func(peer int) bool {
			if all.Contains(peer) {
				return false
			}
			code, _ := f.order.Relate(end.Min(), peer)
			return code == inference.Null
		})
	})
	if len(kept) == 0 {
		return ends
	}
	return kept
}

// lowest returns the unfinished ranks of the first layer that has any, by
// place. There are none if every rank waits for another.
func (f *Finding) lowest() []model.RankSet {
	unfinished := f.scene.Unfinished()
	for _, layer := range f.order.Layers() {
		var out []model.RankSet
		for _, place := range layer {
			if place = place.Intersect(unfinished); place.Len() > 0 {
				out = append(out, place)
			}
		}
		if len(out) > 0 || len(layer) == 0 {
			return out
		}
	}
	return nil
}

// peers returns the ranks with a record that some ranks wait for in
// point-to-point operations, those of wildcards left out.
func (f *Finding) peers(ranks model.RankSet) []int {
	var out model.RankSet
	ranks.Each(func(rank int) {
		for _, alt := range f.scene.Needs[rank].Alts {
			for _, l := range alt {
				if l.Kind == evidence.PointToPoint && !l.To.Any {
					out = out.Union(l.To.Ranks)
				}
			}
		}
	})
	return out.Intersect(f.scene.Present).Slice()
}

// undecided tells whether the least progressed ranks are all there are.
func (f *Finding) undecided() bool {
	return f.least.Len() > 1 && f.least.Equal(f.scene.Unfinished())
}

// alike returns the named ranks where nothing told them apart.
func (f *Finding) alike() model.RankSet {
	if f.opts.PaperOnly || f.method == MethodEvidence && f.cause != CauseLibrary || !f.undecided() {
		return model.RankSet{}
	}
	return f.least
}

// lossReason names the losses that may be the cause.
func (f *Finding) lossReason() string {
	text := ""
	for _, l := range f.scene.Losses {
		if l.Cause {
			text = join(text, "; ", fmt.Sprintf("%s: %s", l.Ranks.Phrase(), l.Reason))
		}
	}
	return text
}

// certainlyAwaited returns the ranks that certain waits lead to, and those that
// wait for nobody who is left.
func (f *Finding) certainlyAwaited() model.RankSet {
	certain := func(n evidence.Need) bool { return !n.Weak }
	from := f.where(func(n evidence.Need) bool { return n.Standing == evidence.Waiting && certain(n) })
	alone := f.where(func(n evidence.Need) bool { return n.Alone })
	return alone.Union(evidence.NewGraph(f.scene, certain, false).AwaitedBy(from))
}

// waiting returns the ranks that wait.
func (f *Finding) waiting() model.RankSet {
	return f.where(func(n evidence.Need) bool { return n.Standing == evidence.Waiting })
}

// where returns the ranks of whose needs keep is true.
func (f *Finding) where(keep func(n evidence.Need) bool) model.RankSet {
	return f.scene.RanksWhere(func(fact *facts.Fact) bool { return keep(f.scene.Needs[fact.Rank]) })
}
