package top

import (
	"fmt"
	"math"
	"path"
	"slices"
	"time"

	"laggard/report/words"
)

// leastQuiet is how long ranks wait without progress before that is told.
const leastQuiet = 10 * time.Second

// headline says how the job is, for the lines below the header.
func (s *Snapshot) headline() string {
	switch {
	case s.Explanation != "":
		return s.Explanation
	case s.QuietSeconds >= leastQuiet.Seconds():
		return fmt.Sprintf("No rank has made progress for %s; see laggard diagnose %s",
			duration(time.Duration(s.QuietSeconds*float64(time.Second))), words.Printable(words.ShellCommand(s.Run.Dir)))
	case len(s.Events) > 0:
		return s.Events[len(s.Events)-1].text(s.End)
	}
	text := "No change of speed was noticed in " + duration(time.Duration(s.ComparedSeconds*float64(time.Second)))
	switch {
	case s.Rate.Now <= 0 && !s.isEarly():
		text = "No iterations are recognised: a change of speed would not be noticed"
	case s.Rate.Now <= 0 || s.ComparedSeconds == 0:
		text = "It is too early to notice a change of speed"
	}
	switch b := s.Imbalance; {
	case b == nil || b.Cost < 0.01:
		return text + "."
	case b.StarvedRanks != "":
		return text + fmt.Sprintf("; uneven work, or that %s %s a processor for %s of the time, costs %s of the run",
			words.Ranks(b.StarvedRanks), words.Verb(b.StarvedRanks, "lacks", "lack"), percent(b.Starved), percent(b.Cost))
	default:
		text += fmt.Sprintf("; uneven work costs %s of the run", percent(b.Cost))
		if len(b.Sites) > 0 {
			text += fmt.Sprintf(", most after %s: %s longest", b.Sites[0].Place.at(), words.Ranks(b.Sites[0].Ranks))
		}
		return text
	}
}

// leastSampled is how long iterations are looked for before it is said that there are none.
const leastSampled = 15 * time.Second

// isEarly reports whether the speed of the job may be known soon: it has just begun, or ranks have one.
func (s *Snapshot) isEarly() bool {
	return s.End.Sub(s.Begin) < leastSampled || slices.ContainsFunc(s.Speeds, func(k Speed) bool { return k.Rate.Now > 0 })
}

// text says what happened, seen from a later moment.
func (e *Event) text(now time.Time) string {
	text := words.Upper(e.Text)
	if ago := now.Sub(e.Begin); ago > 0 {
		text = duration(ago) + " ago: " + e.Text
	}
	return text
}

// at names a place on little room: the program's line, or else the call.
func (p *SampledAt) at() string {
	switch site := p.Site; {
	case site.File != "" && site.Function != "":
		return fmt.Sprintf("%s:%d %s", path.Base(site.File), site.Line, site.Function)
	case site.Function != "":
		return site.Function
	case site.Code != "":
		return site.Code
	}
	return p.MPI
}

// text names a place with what happens there.
func (p *SampledAt) text() string {
	switch {
	case p == nil:
		return "-"
	case p.InMPI && p.at() != p.MPI:
		return p.at() + " in " + p.MPI
	case p.InMPI:
		return p.MPI
	}
	return "after " + p.at()
}

// percent writes a part of 1.
func percent(part float64) string { return fmt.Sprintf("%.0f%%", 100*part) }

// rate writes iterations per second with three digits.
func rate(perSecond float64) string {
	switch {
	case perSecond <= 0:
		return "-"
	case perSecond < 0.01:
		return fmt.Sprintf("%.1g", perSecond)
	}
	digits := max(0, 2-int(math.Floor(math.Log10(perSecond))))
	return fmt.Sprintf("%.*f", min(digits, 3), perSecond)
}

// duration writes a length of time in its two largest units.
func duration(d time.Duration) string {
	d = d.Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h >= 24:
		return fmt.Sprintf("%d d %d h", h/24, h%24)
	case h > 0:
		return fmt.Sprintf("%d h %d min", h, m)
	case m > 0:
		return fmt.Sprintf("%d min %d s", m, s)
	}
	return fmt.Sprintf("%d s", s)
}
