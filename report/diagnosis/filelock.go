package diagnosis

import (
	"fmt"

	"laggard/model"
	"laggard/report/words"
)

// elsewhereAtFault bounds the confidence of ranks that wait for what a process has that was not recorded: it may be one of the ranks that
// wait for them.
const elsewhereAtFault = 0.50

// fileLockReason says which named ranks wait for the lock of a file; "": none does.
func (l *LeastProgressed) fileLockReason() string {
	var waiting model.RankSet
	for _, at := range l.Locations {
		if at.WaitsFor == "file lock" {
			ranks, _ := model.ParseRankSet(at.Ranks)
			waiting = waiting.Union(ranks)
		}
	}
	if waiting.Len() == 0 {
		return ""
	}
	return fmt.Sprintf("; %s %s for the lock of a file; who holds it was not recorded, perhaps a rank that waits for %s", waiting.Phrase(),
		words.Verb(waiting.String(), "waits", "wait"), waiting.Phrase())
}
