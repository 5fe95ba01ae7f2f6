package between

import (
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/model"
)

// maxShown bounds the calls that the message of a deadlock describes; the places
// are bounded likewise.
const maxShown = 16

// maxNamed bounds what is said of the things that one call waits for.
const maxNamed = 3

// checkDeadlock reports the cores of what is stuck: ranks that wait only for each
// other, or for ranks that have ended. Others that wait for them are counted.
func (w *waits) checkDeadlock() {
	cores := w.graph.Knots(w.never)
	for _, core := range cores {
		w.addDeadlock(w.digestPositions(core.Slice()), len(cores) == 1)
	}
}

// digestPositions are the positions of ranks in digests.
func (w *waits) digestPositions(ranks []int) []int32 {
	out := make([]int32, len(ranks))
	for i, r := range ranks {
		out[i] = w.byRank[r]
	}
	return out
}

// addDeadlock reports a core, with the ranks that wait behind it if it is the only one.
func (w *waits) addDeadlock(core []int32, only bool) {
	cycle := core[:1] // unless it waits for itself, through others
	if way := w.graph.Cycle(w.digests[core[0]].Rank, func(node int) bool { return w.stuckNode[node] }); way != nil {
		cycle = w.digestPositions(way)
	}
	polling := w.pollingRanks(core)
	if polling.Len() == 0 {
		w.checkOrder(cycle)
	}
	if w.needsAny(core) {
		cycle = core // a knot: no single cycle shows why
	}
	cycle = w.culpritFirst(cycle)
	var says []string
	var places []finding.Place
	for i, at := range cycle {
		if i == maxShown {
			says = append(says, fmt.Sprintf("and %d more ranks", len(cycle)-i))
			break
		}
		says = append(says, w.describeWait(at))
		places = append(places, w.blockedPlaces(at)...)
	}
	f := finding.New("deadlock", strings.Join(says, "; ")+w.describeCause(core), places...)
	for _, at := range core {
		f.Ranks.Add(w.digests[at].Rank)
	}
	if only {
		f.Message += w.describeStuckBehind(f.Ranks)
	}
	if polling.Len() > 0 {
		f.Severity = finding.Warning
		f.Message += fmt.Sprintf("; this is a deadlock only if nothing else is done between the polls of %s", polling.Phrase())
	}
	if change := w.deadlockAdvice(core); change != "" {
		f.Change = change
	}
	w.found.Add(f)
}

// pollingRanks are those of a core that are in a loop of polls: what a rank does between its polls is not recorded, and may end
// the loop.
func (w *waits) pollingRanks(core []int32) (out model.RankSet) {
	for _, at := range core {
		if w.standings[at].polls() {
			out.Add(w.digests[at].Rank)
		}
	}
	return out
}

// describeStuckBehind describes the ranks that are stuck but not in the core.
func (w *waits) describeStuckBehind(core model.RankSet) string {
	var ranks []int
	for at, d := range w.digests {
		if w.isStuck(int32(at)) && !core.Contains(d.Rank) {
			ranks = append(ranks, d.Rank)
		}
	}
	switch len(ranks) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; %s waits behind", model.NewRankSet(ranks...).Phrase())
	}
	return fmt.Sprintf("; %s wait behind", model.NewRankSet(ranks...).Phrase())
}

// culpritFirst turns a cycle so that a call for a message comes first, or at least
// one other than MPI_Finalize: where a collective waits, others are late.
func (w *waits) culpritFirst(cycle []int32) []int32 {
	for _, fits := range []func(at int32) bool{
		func(at int32) bool {
			return slices.ContainsFunc(w.unmetNeeds(at), func(n need) bool { return n.message != none })
		},
		func(at int32) bool { return w.callAt(at) != "MPI_Finalize" },
	} {
		if i := slices.IndexFunc(cycle, fits); i >= 0 {
			return append(slices.Clone(cycle[i:]), cycle[:i]...)
		}
	}
	return cycle
}

// checkOrder reports a cycle of collectives only: the members call those of several
// communicators in different order (§5.13).
func (w *waits) checkOrder(cycle []int32) {
	comms := map[*communicator]bool{}
	var says []string
	var places []finding.Place
	for _, at := range cycle {
		for _, n := range w.unmetNeeds(at) {
			if n.event == nil || w.callsDiffer(n.event) {
				return
			}
			comms[n.event.comm] = true
			if len(says) < maxShown {
				says = append(says,
					fmt.Sprintf("rank %d calls %s on %s", w.digests[at].Rank, w.callAt(at), n.event.comm.name()))
				places = append(places, w.blockedPlaces(at)...)
			}
		}
	}
	if len(comms) > 1 {
		f := finding.New("collective_mismatch",
			"the order of collectives on several communicators differs: "+strings.Join(says, ", "), places...)
		f.Standard = "MPI-3.1 §5.13"
		f.Change = "let all members call the collectives of all communicators in the same order"
		w.found.Add(f)
	}
}

func (w *waits) callAt(at int32) string {
	return w.digests[at].step(w.standings[at].calls[0].step).fn().Name
}

func (w *waits) needsAny(core []int32) bool {
	return slices.ContainsFunc(core, func(at int32) bool {
		return slices.ContainsFunc(w.standings[at].calls, func(b *blocked) bool {
			return b.any && len(b.needs) > 1 ||
				slices.ContainsFunc(b.needs, func(n need) bool { return n.any && len(n.ranks) > 1 })
		})
	})
}

// describeWait describes what a stuck rank waits for.
func (w *waits) describeWait(at int32) string {
	d := w.digests[at]
	var parts []string
	for _, c := range w.standings[at].calls {
		var whats []string
		for _, n := range c.needs {
			if what := n.what + w.describeEnded(n); !w.canBeMet(n) && !slices.Contains(whats, what) {
				whats = append(whats, what)
			}
		}
		if len(whats) > maxNamed {
			whats = append(whats[:maxNamed], fmt.Sprintf("%d more", len(whats)-maxNamed))
		}
		link := " and "
		if c.any {
			link = " or "
		}
		verb := "waits in"
		if len(c.polls) > 0 {
			verb = "polls unsuccessfully with"
		}
		parts = append(parts,
			fmt.Sprintf("rank %d %s %s for %s", d.Rank, verb, d.step(c.step).fn().Name, strings.Join(whats, link)))
	}
	return strings.Join(parts, "; ")
}

// describeEnded describes which of the ranks that a need waits for have ended.
func (w *waits) describeEnded(n need) string {
	var gone []int
	for _, r := range n.ranks {
		if at, ok := w.byRank[r]; ok && w.standings[at].ended {
			gone = append(gone, r)
		}
	}
	if len(gone) == 0 {
		return ""
	}
	if len(n.ranks) == 1 {
		return ", which has ended"
	}
	return fmt.Sprintf(" (%s ended)", model.NewRankSet(gone...).Phrase())
}

// blockedPlaces are the calls that a stuck rank is in, each with where the requests began
// of which it waits for what never comes.
func (w *waits) blockedPlaces(at int32) []finding.Place {
	var out []finding.Place
	for _, c := range w.standings[at].calls {
		out = append(out, w.placeOf(at, c.step, "waits"))
		seen := map[int32]bool{c.step: true}
		for _, n := range c.needs {
			if began := w.beginStep(at, n); began >= 0 && !seen[began] && !w.canBeMet(n) && len(seen) <= maxNamed {
				seen[began] = true
				out = append(out, w.placeOf(at, began, "start"))
			}
		}
	}
	return out
}

// beginStep is the step of a rank that began what it waits for, -1 not known.
func (w *waits) beginStep(at int32, n need) int32 {
	if n.message != none {
		_, m := w.messageAt(n.message)
		return m.step
	}
	if n.event != nil {
		for _, p := range n.event.parts {
			if p.rank == at {
				_, e := w.entryAt(p)
				return e.step
			}
		}
	}
	return -1
}

// describeCause says which other finding the deadlock follows from.
func (w *waits) describeCause(core []int32) string {
	for _, at := range core {
		for _, n := range w.unmetNeeds(at) {
			if n.event != nil && w.callsDiffer(n.event) {
				return "; this follows from the collectives that do not match"
			}
			if n.message != none && w.nearMiss[n.message] {
				return "; this follows from the message that does not match"
			}
		}
	}
	return ""
}

// callsDiffer reports whether members made different calls.
func (j *job) callsDiffer(e *event) bool {
	d, first := j.entryAt(e.parts[0])
	name := d.shapes[first.shape].name
	return slices.ContainsFunc(e.parts, func(p ref) bool {
		o, entry := j.entryAt(p)
		return o.shapes[entry.shape].name != name
	})
}

// deadlockAdvice says what to do where the general advice of the class does not help.
func (w *waits) deadlockAdvice(core []int32) string {
	collective, message := false, false
	for _, at := range core {
		for _, n := range w.unmetNeeds(at) {
			collective = collective || n.event != nil
			message = message || n.message != none
		}
	}
	switch {
	case collective && !message:
		return "let all members call the collectives of all communicators in the same order"
	case collective:
		return "let all members make the collective call at the same place among their sends and receives"
	}
	return ""
}
