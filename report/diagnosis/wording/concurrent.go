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
