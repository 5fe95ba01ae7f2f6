package diagnosis

import (
	"fmt"
	"syscall"
	"time"

	"laggard/analysis/progress"
	"laggard/report/diagnosis/wording"
	"laggard/report/words"
)

func endedOf(e *progress.Ended) *Ended {
	return &Ended{By: string(e.By), Signal: wording.Signal(e.Signal), Time: time.Unix(0, e.Time).UTC(),
		Sender: wording.Sender(e.Sender), Ranks: e.Ranks.String()}
}

// endedText says what ended a job from outside, and when.
func endedText(e *Ended) string {
	at := " at " + e.Time.Format(time.DateTime) + " UTC"
	switch {
	case e.By == string(progress.EndedByLauncher):
		return fmt.Sprintf("Ended by the launcher with %s%s; the recording does not say why", e.Signal, at)
	case e.By == string(progress.EndedByAlarm):
		return fmt.Sprintf("Ended by itself: the handler of %s of %s ended the job%s", e.Signal, words.Ranks(e.Ranks), at)
	case e.By == string(progress.EndedByParent):
		return fmt.Sprintf("Ended with %s%s, %s; the recording does not say why", e.Signal, at, e.Sender)
	case e.By == string(progress.EndedWithLauncher) && e.Signal != "":
		return fmt.Sprintf("Ended because the launcher was killed by %s%s", e.Signal, at)
	case e.By == string(progress.EndedWithLauncher):
		return "Ended because the launcher, or its daemon, had ended" + at
	case e.By == string(progress.EndedTogether) && e.Signal == wording.Signal(int(syscall.SIGSEGV)):
		return fmt.Sprintf("All ranks ended at once%s, some or all of %s, as the exit status of the launcher says: "+
			"probably a stack overflow (ulimit -s)",
			at, e.Signal)
	case e.By == string(progress.EndedTogether):
		return "Ended from outside: all ranks were killed at once" + at
	case e.Ranks != "":
		return fmt.Sprintf("%s got %s%s, %s", words.Upper(words.Ranks(e.Ranks)), e.Signal, at, e.Sender)
	}
	return fmt.Sprintf("Ended from outside by %s%s", e.Signal, at)
}

// followingText says which ranks failed on their own besides; "": none did.
func followingText(r *Result) (text string) {
	for _, l := range r.Losses {
		if l.Acted {
			text += fmt.Sprintf("; %s %s", r.rankNames(l.Ranks), l.Reason)
		}
	}
	return words.Cut(text)
}

// endedHeadline is the answer in one sentence about a job that was ended from outside.
func endedHeadline(r *Result) string {
	text, l := endedText(r.Ended)+followingText(r), r.LeastProgressed
	switch {
	case l == nil:
		return text
	case allLeastProgressed(r.Ended.Ranks, r) && r.Ended.Ranks != "" && r.Ended.By == string(progress.EndedBySignal):
		return text + ", and the job ended because of it"
	case len(l.Ranks) == r.Ranks && r.Ranks > 1:
		return text + ". Until then no rank was behind"
	}
	behind := "behind"
	if r.Hang {
		behind = "least progressed"
	}
	return fmt.Sprintf("%s. Until then %s %s %s, of %s", text, words.Ranks(l.Set), words.Verb(l.Set, "was", "were"), behind,
		words.Size(r.Ranks))
}
