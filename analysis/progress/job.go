package progress

import (
	"laggard/analysis/divergence"
	"laggard/analysis/progress/evidence"
	"laggard/analysis/progress/facts"
	"laggard/analysis/progress/inference"
	"laggard/model"
)

// job is all that is known of a job before a verdict. Rules ask it and do not change it.
type job struct {
	opts      Options
	scene     *evidence.Scene
	algorithm inference.Algorithm
	order     inference.Order
	graph     *evidence.Graph // of all needs, the weak ones too
	raised    []facts.Raised
	hang      bool
	cut       bool            // the job moved when it was ended from outside
	roots     []evidence.Root // of deadlocks of certain waits
	deadlock  *Deadlock       // of those; nil: there is none
	// diverged is where the members of communicators parted, as far as all of them went on.
	diverged []divergence.Divergence
	left     *[]divergence.Divergence // what partings has found
}

// newJob relates what was recorded. Errors wrap ErrUnknownAlgorithm or ErrMismatch.
func newJob(sum *facts.Summary, part Partial, opts Options) (*job, error) {
	algorithm, err := inference.NewAlgorithm(opts.Algorithm)
	if err != nil {
		return nil, err
	}
	order, err := algorithm.Order(sum, &part.Partial)
	if err != nil {
		return nil, err
	}
	s := evidence.NewScene(sum, opts.answersThatHold(part.Answers), opts.Observed)
	j := &job{opts: opts, scene: s, algorithm: algorithm, order: order, raised: sum.Raised, diverged: opts.Diverged}
	j.graph = evidence.NewGraph(s, func(evidence.Need) bool { return true }, false)
	markOutlived(j)
	j.hang = !opts.Progressing && len(s.Failures) == 0 && (s.Unfinished().Len() > 0 || s.Lost.Len() > 0)
	if (j.hang || opts.Progressing) && (!opts.PaperOnly || s.Ended != nil) { // the paper's algorithm asks for none
		j.roots = s.Roots(func(n evidence.Need) bool { return !n.Weak })
		j.deadlock = deadlockOf(j.roots, true)
	}
	if s.Ended != nil && j.hang && !j.wasStuck() { // nothing is the cause, and the ranks are compared as they were
		j.hang, j.cut, j.diverged = false, true, nil
	}
	return j, nil
}

// divergences returns where the members of communicators parted; of a job that hangs, if all
// of them went on together, where some left for good.
func (j *job) divergences() []divergence.Divergence {
	if len(j.diverged) > 0 || !j.hang {
		return j.diverged
	}
	if j.left == nil {
		waits := func(rank int, comm, number uint64) bool {
			s, ok := j.standingOf(rank)
			return ok && s.comm == comm && s.call.Number == number
		}
		left := append(divergence.FindShifted(j.opts.Begun, waits), divergence.FindEarlyLeavers(j.opts.Begun, j.elsewhere())...)
		j.left = &left
	}
	return *j.left
}

// ranksWithNeed returns the ranks of whose needs keep is true.
func (j *job) ranksWithNeed(keep func(n evidence.Need) bool) model.RankSet {
	return j.scene.RanksWhere(func(fact *facts.Fact) bool { return keep(j.scene.Needs[fact.Rank]) })
}

// waitingRanks returns the ranks that wait.
func (j *job) waitingRanks() model.RankSet {
	return j.ranksWithNeed(func(n evidence.Need) bool { return n.Standing == evidence.Waiting })
}

// certainlyAwaited returns the ranks that certain waits lead to, and those that
// wait for no remaining rank.
func (j *job) certainlyAwaited() model.RankSet {
	certain := func(n evidence.Need) bool { return !n.Weak }
	from := j.ranksWithNeed(func(n evidence.Need) bool { return n.Standing == evidence.Waiting && certain(n) })
	alone := j.ranksWithNeed(func(n evidence.Need) bool { return n.Alone })
	return alone.Union(evidence.NewGraph(j.scene, certain, false).AwaitedBy(from))
}
