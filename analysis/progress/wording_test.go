package progress_test

import (
	"laggard/analysis/progress"
	"laggard/report/diagnosis/wording"
)

// The transcripts show reasons in the words that users see, which are written above this package.
func init() {
	say, names := &progress.Say, wording.Names{}
	say.Reason = func(l *progress.LeastProgressed) string { return names.Reason(l, "") }
	say.Loss, say.Failure = wording.Loss, wording.Failure
	say.FindingNotes = wording.FindingNotes
	say.Edge, say.Comm, say.Signal, say.Sender = names.Edge, names.Comm, wording.Signal, wording.Sender
}
