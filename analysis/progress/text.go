package progress

import (
	"fmt"

	"laggard/model"
)

// ranksText writes "rank 3" or "ranks 0-2,7".
func ranksText(r model.RankSet) string {
	if r.Len() == 1 {
		return "rank " + r.String()
	}
	return "ranks " + r.String()
}

// cyclesText writes the cycles of a deadlock.
func cyclesText(cycles [][]int) string {
	text := ""
	for _, c := range cycles {
		who := ranksText(model.NewRankSet(c...)) + " wait for each other"
		if len(c) == 1 {
			who = fmt.Sprintf("rank %d waits for itself", c[0])
		}
		text = join(text, "; ", who)
	}
	return text
}

func join(text, between, more string) string {
	if text == "" {
		return more
	}
	return text + between + more
}
