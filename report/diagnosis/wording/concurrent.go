package wording

import (
	"fmt"
	"strings"

	"laggard/report"
	"laggard/report/words"
)

// Concurrent says that threads call collectives at once, which MPI leaves without an order: so many of each rank, at most.
func Concurrent(threads int, ranks, on string, functions []string) string {
	return fmt.Sprintf("%d threads of %s%s are in collective calls on %s at once (%s). "+
		"MPI requires the program to order such calls (MPI-3.1 §12.4.2): otherwise ranks may match them differently.",
		threads, words.Verb(ranks, "", "each of "), words.Ranks(ranks), on, strings.Join(functions, ", "))
}

// AboveLevel says that threads are in MPI at once although the thread level that MPI provided forbids it: so many of each rank, at most.
func AboveLevel(threads int, ranks, provided string) string {
	return fmt.Sprintf("%d threads of %s%s are in MPI at once. That requires MPI_THREAD_MULTIPLE, and MPI provided %s (MPI-3.1 §12.4.3).",
		threads, words.Verb(ranks, "", "each of "), words.Ranks(ranks), provided)
}

// HeldLock says that a thread of some ranks waits at a place for a mutex which another one holds inside a call, named as by CallAt.
func HeldLock(ranks, call string, waits report.Site) string {
	return fmt.Sprintf("a thread of %s%s waits in %s for a lock that the thread in %s holds", words.Verb(ranks, "", "each of "),
		words.Ranks(ranks), waits.String(), call)
}
