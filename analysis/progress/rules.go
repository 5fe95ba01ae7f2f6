package progress

import (
	"slices"

	"laggard/analysis/progress/evidence"
)

// A rule looks at a job and concludes, if it can, which ranks are least progressed. It
// changes nothing.
type rule struct {
	name  string
	apply func(*job) (Verdict, bool)
}

const (
	// RuleLostProcess is the rule about ranks whose process is known to be gone or stopped.
	RuleLostProcess = "lost_process"
	// RuleLeftForFinalize is the rule about ranks that went to MPI_Finalize while others wait for them.
	RuleLeftForFinalize = "left_for_finalize"
	// RuleDeadlock is the rule about ranks that wait for each other.
	RuleDeadlock = "deadlock"
)

// rules are tried in this order; the first that concludes something decides (PDI §4.3, and
// evidence before it). The names are least_progressed.rule in JSON.
var rules = []rule{
	{RuleLostProcess, lostRule},
	{"diverged", divergedRule},
	{"crossed_collectives", crossedRule},
	{RuleLeftForFinalize, leftForFinalizeRule},
	{"extra_collective", extraCollectiveRule},
	{RuleDeadlock, deadlockRule},
	{"awaited", awaitedRule},
	{"no_record", noRecordRule},
	{"still_in_call", stillInCallRule},
	{"possible_deadlock", possibleDeadlockRule},
	{"matching_calls", matchingCallsRule},
	{"outside_mpi", outsideRule},
	{RuleLostProcess, outlivedRule},
	{"inferred", inferredRule},
}

// adjustments change the verdict of whichever rule decided, in this order.
var adjustments = []func(*job, Verdict) Verdict{
	doubtWhereCut,
	noteUnrecorded,
	discountWorking,
	preferConcurrent,
	preferFailedSender,
	preferLockHolder,
	preferTaker,
	preferStranger,
	preferRaising,
	noteTestingNothing,
	notePollingMemory,
	noteConnecting,
	withoutDeadlockWhileMoving,
	nobodyBehindInFarm,
}

// decideVerdict returns the verdict on a job; of one that moves: who is behind at this moment.
func decideVerdict(j *job) Verdict {
	v := Verdict{Diverged: j.diverged, Deadlock: j.deadlock}
	if j.hang || j.cut || j.opts.Progressing {
		v = firstVerdict(j)
	}
	for _, adjust := range adjustments {
		v = adjust(j, v)
	}
	return v
}

func firstVerdict(j *job) Verdict {
	tried := rules
	if j.opts.PaperOnly {
		tried = rules[len(rules)-1:] // the algorithm alone
	}
	for _, r := range tried {
		v, ok := r.apply(j)
		if !ok {
			continue
		}
		v.Rule = r.name
		if v.Method == "" {
			v.Method = MethodEvidence
		}
		if v.Deadlock == nil {
			v.Deadlock = j.deadlock
		}
		return v
	}
	return Verdict{}
}

// doubtWhereCut: to be behind at the moment at which a job was ended is no fault.
func doubtWhereCut(j *job, v Verdict) Verdict {
	if j.cut {
		v.Confidence = min(v.Confidence, guess)
	}
	return v
}

// withoutDeadlockWhileMoving: ranks that move are not all seen at the same moment.
func withoutDeadlockWhileMoving(j *job, v Verdict) Verdict {
	if !j.hang {
		v.Deadlock = nil
	}
	return v
}

// nobodyBehindInFarm: in a job that moves, or moved when it was ended, ranks for which others wait in receives from any source alone are
// at the work that these collect, as those of a farm are.
func nobodyBehindInFarm(j *job, v Verdict) Verdict {
	if j.hang || v.Rule != "awaited" {
		return v
	}
	for _, rank := range j.waitingRanks().Slice() {
		for _, alt := range j.scene.Needs[rank].Alts {
			if slices.ContainsFunc(alt, func(l evidence.Link) bool { return !l.To.Any }) {
				return v
			}
		}
	}
	return Verdict{Diverged: v.Diverged}
}
