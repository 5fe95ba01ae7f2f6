package slowness

import (
	"fmt"
	"strconv"
	"strings"

	"laggard/analysis/slowness"
	"laggard/report/words"
)

// clock is how moments are written; an event is of today.
const clock = "15:04:05 UTC"

// Sentence tells of an event in one line, with the time at which it was noticed, as run prints it.
func Sentence(e *slowness.Event) string { return e.Noticed.UTC().Format(clock) + " " + Describe(e) }

// Describe tells of an event without that time.
func Describe(e *slowness.Event) string {
	since := e.Begin.UTC().Format(clock)
	switch {
	case e.Kind == slowness.Recovery:
		return fmt.Sprintf("the job is as fast as before again, since %s: %s iterations/s", since, Rate(e.Rate.Now))
	case e.Kind == slowness.OtherLoop:
		return fmt.Sprintf("the job is in another loop since %s: its speed before does not count any more", since)
	case e.Kind == slowness.Settled && e.Ranks.Len() > 0:
		return fmt.Sprintf("%s %s no slower since %s than is usual for %s by now", words.Ranks(e.Ranks.String()),
			verbOf(e, "has been", "have been"), since, verbOf(e, "it", "them"))
	case e.Kind == slowness.Settled:
		return fmt.Sprintf("the job has run %s iterations/s since %s: that is its usual speed now", Rate(e.Rate.Now), since)
	}
	parts := []string{what(e)}
	if e.Rate.Now < e.Rate.Before {
		parts = append(parts, fmt.Sprintf("the job runs %s iterations/s, before %s", Rate(e.Rate.Now), Rate(e.Rate.Before)))
	}
	if lack := lackText(e); lack != "" {
		parts = append(parts, lack)
	}
	if e.Confidence < leastSure {
		parts = append(parts, fmt.Sprintf("confidence %.2f", e.Confidence))
	}
	return strings.Join(parts, "; ")
}

// leastSure is the confidence below which it is told.
const leastSure = 0.8

// what became slower, and since when.
func what(e *slowness.Event) string {
	since := e.Begin.UTC().Format("15:04:05")
	who := subject(e)
	verb := func(one, several string) string { return verbOf(e, one, several) }
	switch e.Cause {
	case slowness.RankComputes, slowness.NodeSlow:
		if n := len(e.Hosts); e.Cause == slowness.NodeSlow && e.Ranks.Len() > 1 && n > 0 && n <= mostHosts {
			who = "on " + strings.Join(words.AllPrintable(e.Hosts), ", ") + ": " + words.Ranks(e.Ranks.String())
		}
		if e.ComputingRatio > 1 {
			return fmt.Sprintf("%s %s %.2g times as long between MPI calls as before %s", who, verb("computes", "compute"),
				e.ComputingRatio, since)
		}
		return fmt.Sprintf("%s %s slower than before %s", who, verb("is", "are"), since)
	case slowness.MachineSlow:
		return fmt.Sprintf("all nodes are slower than before %s", since)
	case slowness.LinkSlow:
		return fmt.Sprintf("ranks wait longer for each other than before %s, and no rank computes longer on average: the network or the "+
			"MPI library is slower, or the ranks send more data or are late in turn", since)
	case slowness.IOSlow:
		return fmt.Sprintf("%s %s %s of the time in MPI-IO or waiting for a disk, before %s %s", who, verb("spends", "spend"),
			words.Percent(e.Now.IO), since, words.Percent(e.Before.IO))
	case slowness.AllCompute:
		return fmt.Sprintf("all ranks compute %.2g times as long between MPI calls as before %s", e.ComputingRatio, since)
	}
	return fmt.Sprintf("the job is slower than before %s", since)
}

// verbOf chooses between the forms for one rank and for several.
func verbOf(e *slowness.Event, one, several string) string {
	if e.Ranks.Len() == 1 {
		return one
	}
	return several
}

// subject are the ranks of an event and their nodes.
func subject(e *slowness.Event) string {
	if e.Ranks.Len() == 0 {
		return "some ranks"
	}
	text := words.Ranks(e.Ranks.String())
	if n := len(e.Hosts); n > 0 && n <= mostHosts {
		return text + " (" + strings.Join(words.AllPrintable(e.Hosts), ", ") + ")"
	}
	return text
}

const mostHosts = 3

func lackText(e *slowness.Event) string {
	one := verbOf(e, "the rank waits", "the ranks wait")
	if e.Cause == slowness.MachineSlow {
		one = "ranks wait"
	}
	switch e.Evidence {
	case slowness.NoProcessor:
		return fmt.Sprintf("%s for a CPU %s of the time, before %s", one, words.Percent(e.Now.Starved+e.Now.Absent),
			words.Percent(e.Before.Starved+e.Before.Absent))
	case slowness.NoMemory:
		return "memory is short on the node: pages are read from disk"
	case slowness.SlowClock:
		return "the clock of the processors is slower than before"
	}
	return ""
}

// Rate writes a number of iterations per second with three digits.
func Rate(r float64) string {
	if r >= 100 {
		return strconv.FormatFloat(r, 'f', 0, 64)
	}
	return strconv.FormatFloat(r, 'g', 3, 64)
}
