package wording

import (
	"fmt"
	"strings"

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
