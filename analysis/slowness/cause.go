package slowness

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"laggard/model"
)

// What counts as evidence for a cause.
const (
	leastRatio     = 1.05 // of computing, or of calls, in an iteration, now over before
	leastStarved   = 0.03 // more of the time without a processor than before
	leastFaults    = 20.0 // more major page faults a second
	faultTime      = 0.01 // seconds that a page fault may take, with a disk that turns
	leastMemory    = 0.1  // more of the time in which processes waited for memory
	leastClock     = 0.9  // of the clock before
	leastExplained = 0.35 // of what an iteration takes longer
	explains       = 0.8  // likewise, by one who would be the cause of it
	mostly         = 0.67 // likewise, where something else would explain the rest
	sure           = 0.97 // the most that samples prove
	unsure         = 0.6  // confidence that files are slow where ranks may wait in a collective file call

	leastDeviations = 3   // standard errors by which a rank computes longer
	beyondChance    = 0.5 // standard deviations more than the largest by chance
)

// before and since are what a rank did at the usual speed and now.
type compared struct {
	rank          int
	host          string
	before, since sums
}

func (c *compared) rated() bool { return c.before.turns > 0 && c.since.turns > 0 }

// ratio of computing in an iteration; 0 unknown.
func (c *compared) computingRatio() float64 {
	before, now := c.before.perTurn(c.before.computing), c.since.perTurn(c.since.computing)
	if before == 0 || now == 0 {
		return 0
	}
	return now / before
}

// error of the logarithm of that ratio: samples are counted, hz a second.
func (c *compared) ratioError(hz float64) float64 {
	return math.Sqrt(logVariance(&c.before, c.before.computingShare(), hz) + logVariance(&c.since, c.since.computingShare(), hz))
}

// errorByChance is ratioError if the share of computing did not change. A share that is large by chance seems to be known better than
// it is, and of many ranks the one that is furthest off is such a case.
func (c *compared) errorByChance(hz float64) float64 {
	both := c.before
	both.add(&c.since)
	share := both.computingShare()
	return math.Sqrt(logVariance(&c.before, share, hz) + logVariance(&c.since, share, hz))
}

// shareError is the standard error of the difference of two shares, before and since, if nothing changed.
func (c *compared) shareError(part func(*sums) float32, hz float64) float64 {
	both := c.before
	both.add(&c.since)
	n, m := max(float64(c.before.seconds)*hz, 1), max(float64(c.since.seconds)*hz, 1)
	share := max(ratio(part(&both), both.seconds), 1/(n+m))
	return math.Sqrt(share * (1 - share) * (1/n + 1/m))
}

// logVariance is the variance of the logarithm of a share that the samples of some time show.
func logVariance(s *sums, share, hz float64) float64 {
	n := max(float64(s.seconds)*hz, 1)
	p := min(max(share, 1/n), 1)
	return (1 - p + 1/n) / (n * p)
}

// largestByChance is how many standard deviations the largest of n deviations is by chance, about.
func largestByChance(n int) float64 { return math.Sqrt(2 * math.Log(float64(n))) }

// longer is by how many seconds more a part of an iteration takes.
func (c *compared) longer(part func(*sums) float32) float64 {
	return c.since.perTurn(part(&c.since)) - c.before.perTurn(part(&c.before))
}

// more is by how much more of the time there is of something.
func (c *compared) more(part func(*sums) float32) float64 {
	return c.since.share(part) - c.before.share(part)
}

func computing(s *sums) float32 { return s.computing }
func waiting(s *sums) float32   { return s.waiting }
func inIO(s *sums) float32      { return s.io }

// hasNoProcessor reports whether the time in which the rank lacks a processor explains by how many seconds an iteration is longer. On
// a crowded node a rank that has more to do lacks one for longer as well: that much is its own doing.
func (c *compared) hasNoProcessor(longer float64) bool {
	longer = max(longer, c.longer(computing))
	lacked := c.before.perTurn(noProcessor(&c.before))
	own := lacked * max(ratio(c.since.worked()*c.before.turns, c.before.worked()*c.since.turns), 1)
	return c.more(noProcessor) >= leastStarved && c.since.perTurn(noProcessor(&c.since))-own >= leastExplained*longer
}

func noProcessor(s *sums) float32 { return s.starved + s.absent }

// hasNoMemory reports whether waiting for memory, or for pages from a disk, explains by how many seconds an iteration is longer.
func (c *compared) hasNoMemory(longer float64) bool {
	least := leastExplained * max(longer, c.longer(computing))
	faults := func(s *sums) float32 { return s.faults }
	waits := func(s *sums) float32 { return s.memory }
	return c.more(faults) >= leastFaults && faultTime*c.longer(faults) >= least ||
		c.more(waits) >= leastMemory && c.longer(waits) >= least
}

// hasSlowClock reports whether a slower clock explains that the rank computes longer.
func (c *compared) hasSlowClock() bool {
	before, now := ratio(c.before.megahertz, c.before.clockSample), ratio(c.since.megahertz, c.since.clockSample)
	if before <= 0 || now <= 0 || now >= leastClock*before {
		return false
	}
	longer := c.computingRatio()
	return longer <= 1 || math.Log(before/now) >= leastExplained*math.Log(longer)
}

// finding is why the job is slower.
type finding struct {
	cause      Cause
	ranks      model.RankSet
	lack       Lack
	confidence float64
}

// findCause says why an iteration takes longer by some seconds than before.
func findCause(ranks []compared, longer, hz float64) finding {
	if len(ranks) == 0 {
		return finding{cause: Unclear}
	}
	for _, look := range []func([]compared, float64, float64) (finding, bool){lackOfProcessors, files, longComputing} {
		if f, ok := look(ranks, longer, hz); ok {
			return f.withNode(ranks, longer, hz)
		}
	}
	return longWaiting(ranks, longer, hz)
}

// lackOfProcessors: ranks would run but have no processor.
func lackOfProcessors(ranks []compared, longer, _ float64) (finding, bool) {
	starved := rankSetOf(ranks, func(c *compared) bool { return c.hasNoProcessor(longer) })
	if starved.Len() == 0 {
		return finding{}, false
	}
	if typicallyStarved(ranks) { // others take the processors everywhere
		starved = rankSetOf(ranks, func(*compared) bool { return true })
	}
	return finding{cause: NodeSlow, ranks: starved, lack: NoProcessor, confidence: 0.95}, true
}

// files: the time for I/O in an iteration explains it.
func files(ranks []compared, longer, hz float64) (finding, bool) {
	slow := rankSetOf(ranks, func(c *compared) bool { return c.longer(inIO) >= leastExplained*longer })
	if slow.Len() == 0 || longer <= 0 {
		return finding{}, false
	}
	switch late := lateForFiles(ranks, slow, hz); {
	case late >= mostly:
		return finding{}, false
	case late >= 0.5:
		return finding{cause: Unclear}, true
	case late >= 1-mostly:
		return finding{cause: IOSlow, ranks: slow, confidence: unsure}, true
	}
	return finding{cause: IOSlow, ranks: slow, confidence: 0.9}, true
}

// lateForFiles is for which part of the time that some ranks are in I/O for longer others compute longer: in a collective file call those
// who are early wait for the last one. Slow files delay nobody's computing.
func lateForFiles(ranks []compared, slow model.RankSet, hz float64) float64 {
	var more []float64
	var others compared
	for i := range ranks {
		if c := &ranks[i]; slow.Contains(c.rank) {
			more = append(more, c.longer(inIO))
		} else {
			others.merge(c)
		}
	}
	typical := median(more)
	late := rankSetOf(ranks, func(c *compared) bool { return c.longer(computing) >= mostly*typical })
	if f, ok := longComputing(ranks, typical, hz); ok && f.confidence >= decidesAtOnce && late.Minus(slow).Len() > 0 {
		return 1 // it may be one of many, which does not show in what they have in common
	}
	return others.longer(computing) / typical
}

// longComputing: ranks compute longer than the others do.
func longComputing(ranks []compared, longer, hz float64) (finding, bool) {
	logs := make([]float64, 0, len(ranks))
	for i := range ranks {
		if q := ranks[i].computingRatio(); q > 0 {
			logs = append(logs, math.Log(q))
		}
	}
	if len(logs) == 0 {
		return finding{}, false
	}
	slices.Sort(logs)
	usual := max(logs[(len(logs)-1)/2], 0)
	if usual >= math.Log(leastRatio) && usual >= logs[len(logs)-1]/2 {
		return finding{cause: AllCompute, confidence: 0.5}, true
	}
	slowest, excess, second := furthestAhead(ranks, usual, hz)
	if slowest < 0 || excess.log < math.Log(leastRatio)/2 {
		return finding{}, false
	}
	if longer > 0 && ranks[slowest].longer(computing) < leastExplained*longer {
		return finding{}, false
	}
	chance := largestByChance(len(ranks))
	least := (chance + beyondChance) * spread(ranks, usual, hz)
	isNoChance := func(c *compared, over float64) bool { return over >= least*c.errorByChance(hz) }
	if !isNoChance(&ranks[slowest], excess.log) {
		return finding{}, false
	}
	slow := rankSetOf(ranks, func(c *compared) bool {
		q := c.computingRatio()
		over := math.Log(max(q, 1e-9)) - usual
		return c.rank == ranks[slowest].rank ||
			q > 0 && over >= excess.log/2 && over >= leastDeviations*c.ratioError(hz) && isNoChance(c, over)
	})
	confidence := distuv.UnitNormal.CDF(excess.deviations - max(chance, second))
	return finding{cause: RankComputes, ranks: slow, confidence: min(confidence, sure)}, true
}

// manySpread is how many ranks show by themselves how far apart they are without a fault.
const manySpread = 64

// spread is how many times as far apart the ranks are as their samples explain, at least 1: in many programs the work of a rank varies
// from time to time. Those below the usual ratio show it, as a fault moves ranks above.
func spread(ranks []compared, usual, hz float64) float64 {
	if len(ranks) < manySpread {
		return 1
	}
	var below []float64
	for i := range ranks {
		if q := ranks[i].computingRatio(); q > 0 && math.Log(q) < usual {
			below = append(below, (usual-math.Log(q))/ranks[i].errorByChance(hz))
		}
	}
	const ofNormal = 0.6745 // the median of the absolute deviations of a normal distribution
	return max(median(below)/ofNormal, 1)
}

// lead is by how much a rank computes longer than usual.
type lead struct {
	log        float64 // logarithm of the ratio, less the usual one
	deviations float64 // that by its standard error
}

// furthestAhead returns the rank that computes longest, compared with before, and how many deviations the next one has that is
// clearly another case.
func furthestAhead(ranks []compared, usual, hz float64) (slowest int, l lead, second float64) {
	slowest = -1
	for i := range ranks {
		q := ranks[i].computingRatio()
		if q <= 0 {
			continue
		}
		over := math.Log(q) - usual
		if d := over / ranks[i].ratioError(hz); slowest < 0 || d > l.deviations {
			slowest, l = i, lead{over, d}
		}
	}
	for i := range ranks {
		q := ranks[i].computingRatio()
		if over := math.Log(max(q, 1e-9)) - usual; i != slowest && q > 0 && over < l.log/2 {
			second = max(second, over/ranks[i].ratioError(hz))
		}
	}
	return slowest, l, second
}

// makeMoreCalls reports whether the ranks together make more MPI calls in an iteration than before. Calls are known to a second and
// iterations to a part of one, so that either time may have those of an iteration too many.
func makeMoreCalls(ranks []compared) bool {
	var all compared
	for i := range ranks {
		all.merge(&ranks[i])
	}
	n := float32(len(ranks))
	counted := ratio(n, all.before.turns) + ratio(n, all.since.turns)
	before := all.before.perTurn(all.before.calls)
	return before > 0 && all.since.perTurn(all.since.calls) >= (leastRatio+counted)*before
}

// longWaiting: nobody computes longer, and all wait longer, in as many calls as before.
func longWaiting(ranks []compared, longer, hz float64) finding {
	waits := make([]float64, len(ranks))
	for i := range ranks {
		waits[i] = ranks[i].longer(waiting)
	}
	typical := median(waits)
	if longer <= 0 || typical < leastExplained*longer || makeMoreCalls(ranks) {
		return finding{cause: Unclear}
	}
	nearest := math.Inf(1) // rank to one that computes so much longer that it explains it, in standard errors
	for i := range ranks {
		c := &ranks[i]
		before := c.before.perTurn(c.before.computing)
		if q := c.computingRatio(); q > 0 {
			nearest = min(nearest, (math.Log(1+explains*longer/before)-math.Log(q))/c.ratioError(hz))
		}
	}
	return finding{cause: LinkSlow, confidence: min(distuv.UnitNormal.CDF(nearest), sure)}
}

// asSeenByPart is what can be said of a finding where only some ranks of the job are seen: they may wait for others that compute
// longer, also in a collective file call, and other nodes may be well.
func (f finding) asSeenByPart() finding {
	switch f.cause {
	case LinkSlow, AllCompute:
		return finding{cause: Unclear}
	case IOSlow:
		f.confidence = min(f.confidence, unsure)
	case MachineSlow:
		f.cause = NodeSlow
	}
	return f
}

// withNode widens a finding to nodes: what all ranks of a node have in common is the node's.
func (f finding) withNode(ranks []compared, longer, hz float64) finding {
	if f.cause == AllCompute || f.cause == IOSlow {
		return f
	}
	if f.lack == "" {
		f.lack = lackOf(ranks, f.ranks, longer)
	}
	nodes := ranksByHost(ranks)
	if f.lack == "" && f.ranks.Len() > 0 && len(nodes) > 1 {
		for host := range hostsOf(ranks, f.ranks) {
			if others, ok := slowTogether(nodes[host], f.ranks, hz); ok {
				f.cause, f.ranks = NodeSlow, f.ranks.Union(others)
			}
		}
		if f.cause == NodeSlow { // what is left over of other nodes was chance
			f.ranks = rankSetOf(ranks, func(c *compared) bool { _, slow := slowTogether(nodes[c.host], f.ranks, hz); return slow })
		}
		return f
	}
	switch {
	case f.lack == "":
	case 5*f.ranks.Len() >= 4*len(ranks) && len(ranks) > 1 && len(hostsOf(ranks, f.ranks)) == len(nodes):
		f.cause = MachineSlow
	default:
		f.cause = NodeSlow
	}
	return f
}

func ranksByHost(ranks []compared) map[string][]compared {
	out := map[string][]compared{}
	for _, c := range ranks {
		out[c.host] = append(out[c.host], c)
	}
	return out
}

func hostsOf(ranks []compared, some model.RankSet) map[string]bool {
	out := map[string]bool{}
	for i := range ranks {
		if some.Contains(ranks[i].rank) {
			out[ranks[i].host] = true
		}
	}
	return out
}

// slowTogether reports whether all ranks of a node compute longer by about as much as those of some do, and returns them. Each of
// them alone may not show it.
func slowTogether(node []compared, some model.RankSet, hz float64) (model.RankSet, bool) {
	var rest, named compared
	var out model.RankSet
	n := 0
	for i := range node {
		c := &node[i]
		out.Add(c.rank)
		if some.Contains(c.rank) {
			named.merge(c)
			n++
		} else {
			rest.merge(c)
		}
	}
	switch {
	case n == 0 || len(node) < 2:
		return model.RankSet{}, false
	case n == len(node):
		return out, true
	}
	over, expected := math.Log(max(rest.computingRatio(), 1e-9)), math.Log(max(named.computingRatio(), 1e-9))
	return out, over >= expected/2 && over >= 2*rest.ratioError(hz)
}

// merge adds what another rank did.
func (c *compared) merge(o *compared) {
	c.before.add(&o.before)
	c.since.add(&o.since)
}

// lackOf is what the nodes of some ranks lack.
func lackOf(ranks []compared, some model.RankSet, longer float64) Lack {
	counts := map[Lack]int{}
	for i := range ranks {
		switch c := &ranks[i]; {
		case !some.Contains(c.rank):
		case c.hasNoProcessor(longer):
			counts[NoProcessor]++
		case c.hasNoMemory(longer):
			counts[NoMemory]++
		case c.hasSlowClock():
			counts[SlowClock]++
		}
	}
	for _, lack := range []Lack{NoProcessor, NoMemory, SlowClock} {
		if 2*counts[lack] > some.Len() {
			return lack
		}
	}
	return ""
}

func rankSetOf(ranks []compared, is func(*compared) bool) model.RankSet {
	var out model.RankSet
	for i := range ranks {
		if is(&ranks[i]) {
			out.Add(ranks[i].rank)
		}
	}
	return out
}
