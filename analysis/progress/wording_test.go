package progress_test

import (
	"laggard/analysis/progress"
	"laggard/report/diagnosis/wording"
)

// The transcripts show reasons in the words that users see, which are written above this package.
func init() { progress.SayReason = wording.Reason }
