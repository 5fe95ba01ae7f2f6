package progress

import "testing"

func TestMovingNote(t *testing.T) {
	for want, ranks := range map[string][]int{
		"the job is running: rank 3 makes progress":     {3},
		"the job is running: ranks 0-2,7 make progress": {0, 1, 2, 7},
	} {
		if got := movingNote(ranks); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
