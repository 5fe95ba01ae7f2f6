package progress

import (
	"fmt"

	"laggard/model"
)

// cyclesText writes the cycles of a deadlock.
func cyclesText(cycles [][]int) string {
	text := ""
	for _, c := range cycles {
		who := model.NewRankSet(c...).Phrase() + " wait for each other"
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
