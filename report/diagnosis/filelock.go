package diagnosis

import (
	"cmp"
	"fmt"
	"strings"

	"laggard/analysis/progress/evidence"
	"laggard/model"
	"laggard/report/words"
)

// elsewhereAtFault bounds the confidence of ranks that wait for what a process has that was not recorded: it may be one of the ranks that
// wait for them, or have been started by one.
const elsewhereAtFault = 0.50

// FileLock is the lock of a file that ranks wait for outside MPI.
type FileLock struct {
	Ranks  string `json:"ranks"`  // the ranks that wait
	File   string `json:"file"`   // its name, of a long one the end; "" unknown
	Holder *int   `json:"holder"` // the rank that has it; null: no rank has it, or it is not known
	// the number of the process that has it; 0: it is not known, as on some network file systems
	PID     int    `json:"pid"`
	Command string `json:"command"` // the name of that process; "" unknown
}

func newFileLock(l *evidence.FileLock) FileLock {
	out := FileLock{Ranks: l.Ranks.String(), File: words.Printable(l.File), PID: l.PID, Command: words.Printable(l.Command)}
	if l.Holder >= 0 {
		out.Holder = &l.Holder
	}
	return out
}

// fileLockReason says which named ranks wait for the lock of a file, and who has it, or which locks that others wait for they have;
// "": none.
// It is known what they wait for, unless a process has one of these locks that is no rank.
func (r *Result) fileLockReason() (text string, known bool) {
	named := model.NewRankSet(r.LeastProgressed.Ranks...)
	known = true
	var parts []string
	told := model.RankSet{}
	for i := range r.FileLocks {
		l := &r.FileLocks[i]
		waiting, _ := model.ParseRankSet(l.Ranks)
		told = told.Union(waiting)
		some := waiting.Intersect(named)
		if l.Holder != nil && named.Contains(*l.Holder) {
			some = waiting
		}
		if some.Len() > 0 {
			parts, known = append(parts, l.text(some)), known && l.Holder != nil
		}
	}
	if rest := r.LeastProgressed.awaitingFileLock().Minus(told); rest.Len() > 0 { // a record of an older recorder
		parts, known = append(parts, (&FileLock{}).text(rest)), false
	}
	return strings.Join(parts, ""), known
}

// awaitingFileLock returns the named ranks that wait for the lock of a file, as their stacks say.
func (l *LeastProgressed) awaitingFileLock() (out model.RankSet) {
	for _, at := range l.Locations {
		if at.WaitsFor == "file lock" {
			ranks, _ := model.ParseRankSet(at.Ranks)
			out = out.Union(ranks)
		}
	}
	return out
}

// text says that some of the ranks wait for the lock, and who has it.
func (l *FileLock) text(ranks model.RankSet) string {
	text := fmt.Sprintf("; %s %s for the lock of %s", ranks.Phrase(), words.Verb(ranks.String(), "waits", "wait"), cmp.Or(l.File, "a file"))
	switch {
	case l.Holder != nil && ranks.Equal(model.NewRankSet(*l.Holder)):
		return text + ", which it holds itself"
	case l.Holder != nil:
		return text + fmt.Sprintf(", which rank %d holds", *l.Holder)
	case l.PID != 0:
		return text + fmt.Sprintf(", which process %d (%s) holds, no rank of the job", l.PID, l.Command)
	}
	return text + "; who holds it was not recorded, perhaps a rank that waits for " + ranks.Phrase()
}
