package diagnosis

import (
	"slices"

	"laggard/analysis/progress"
	"laggard/model"
	"laggard/report"
	"laggard/report/diagnosis/wording"
	"laggard/symbol"
)

// HeldLock is a mutex that a thread holds inside an MPI call, while another thread of its rank waits for it.
type HeldLock struct {
	Ranks string   `json:"ranks"` // the ranks with such threads
	By    MadeCall `json:"by"`    // the call that the holder is in
	// where the other thread waits
	Waits report.Site    `json:"waits"`
	Stack []report.Frame `json:"stack"` // its call stack, innermost frame first
}

func (s Source) newHeldLock(h progress.HeldLock) HeldLock {
	stack := slices.DeleteFunc(s.Resolver.ResolveProgramStack(h.Waits, true), symbol.InRecorder)
	return HeldLock{Ranks: h.Ranks.String(), By: *s.newMadeCall(&model.State{Call: h.By.Call, Stack: h.By.Stack}),
		Waits: report.NewSite(stack), Stack: report.Frames(stack)}
}

// heldLockReason says for the reason which mutex a thread of the named ranks holds while another one waits for it.
func (r *Result) heldLockReason() string {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	for i := range r.HeldLocks {
		h := &r.HeldLocks[i]
		if ranks, err := model.ParseRankSet(h.Ranks); err == nil && ranks.Intersect(named).Len() > 0 {
			return "; " + wording.HeldLock(ranks.Intersect(named).String(), h.By.text(), h.Waits)
		}
	}
	return ""
}
