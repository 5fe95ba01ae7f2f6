// Package evidence tells what each rank waits for, as far as the record proves
// it. The [Scene] indexes the merged facts and answers: which processes are lost,
// and the [Need] of each rank, from its pending messages, collectives and windows
// (PDI §2.1). The [Graph] joins the needs: who waits for whom in the end, and
// which ranks are deadlocked.
package evidence
