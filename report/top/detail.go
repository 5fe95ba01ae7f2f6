package top

import (
	"fmt"
	"math"
	"strings"
	"time"

	"laggard/model"
	"laggard/report"
	"laggard/report/words"
	"laggard/symbol"
)

// Detail is what the record says of one rank.
type Detail struct {
	Rank   int
	PID    int
	Host   string
	Ended  bool           // it has finalized MPI, or its process ended
	Quiet  time.Time      // since when it makes no progress; zero: it does
	Call   string         // the MPI function that it is in, or was in last; "" none
	InMPI  bool           // it is in Call
	Peers  model.RankSet  // ranks that its pending operations wait for
	Stack  []report.Frame // innermost first: where it was captured, or of the call
	Taken  time.Time      // when the stack was captured; zero: it is that of the call
	Series []model.Interval
}

// NewDetail reads a rank's record. The thread shown is the one that the latest samples are of, or the first one.
func NewDetail(k *model.Rank, resolver *symbol.Resolver) *Detail {
	d := &Detail{
		Rank: k.Rank, PID: k.PID, Host: words.Printable(k.Host), Quiet: k.QuietSince, Series: k.Series,
		Ended: k.Phase >= model.Finalized || k.End != model.NoEnd,
	}
	t := k.Threads[0]
	if n := len(k.Series); n > 0 {
		t = k.Threads[k.Series[n-1].Thread]
	}
	if s := t.Op.State; s >= 0 && s < len(t.Model.States) {
		state := t.Model.States[s]
		d.Call, d.InMPI = words.Printable(state.Call), t.Op.InMPI
		d.Stack = report.Frames(resolver.ResolveProgramStack(state.Stack, false))
	}
	for _, p := range t.Op.Pending {
		if p.Comm < 0 {
			continue
		}
		if peer := k.Comms[p.Comm].WorldRank(p.Peer); peer >= 0 && t.Op.InMPI {
			d.Peers.Add(peer)
		}
	}
	if c := t.Captured; c != nil && c.Calls == t.Calls && len(c.Stack) > 0 {
		d.Stack, d.Taken = report.Frames(resolver.ResolveProgramStack(c.Stack, true)), c.Time
	}
	return d
}

// detailLines show a rank: what it does, its history and its stack.
func (s *Snapshot) detailLines(v View, d *Detail, rows int) []Line {
	texts := []string{}
	add := func(format string, args ...any) { texts = append(texts, fmt.Sprintf(format, args...)) }
	if d == nil || d.Rank != v.Selected {
		add("rank %d: reading its record …", v.Selected)
	} else {
		add("rank %d, process %d on %s", d.Rank, d.PID, d.Host)
		add("%s", d.state())
		if k := s.speedOf(d.Rank); k != nil {
			text := rate(k.Rate.Now) + " iterations/s, before " + rate(k.Rate.Before)
			if k.ComputingRatio > 0 {
				text += fmt.Sprintf("; computes %s times as long in each as before", ratio(k.ComputingRatio))
			}
			texts = append(texts, text)
			add("now:    %s", k.Now.text())
			if k.Before != (Shares{}) {
				add("before: %s", k.Before.text())
			}
		}
		texts = append(texts, "")
		texts = append(texts, history(d.Series, v.Width)...)
		texts = append(texts, "")
		switch {
		case len(d.Stack) == 0:
			add("no stack is recorded yet")
		case !d.Taken.IsZero():
			add("stack, captured %s UTC:", d.Taken.UTC().Format("15:04:05"))
		default:
			add("stack of its latest call, %s:", d.Call)
		}
		for _, f := range d.Stack {
			add("  %s", f)
		}
	}
	var out []Line
	for _, text := range texts[:min(len(texts), max(rows, 0))] {
		out = append(out, plain(fit(text, v.Width), Plain))
	}
	return out
}

// state says what the rank does.
func (d *Detail) state() string {
	text := "has called no MPI function yet"
	switch {
	case d.Ended:
		return "has ended"
	case d.InMPI && d.Peers.Len() > 0:
		text = "in " + d.Call + ", waits for " + words.Ranks(d.Peers.String())
	case d.InMPI:
		text = "in " + d.Call
	case d.Call != "":
		text = "computes after " + d.Call
	}
	if !d.Quiet.IsZero() {
		text += fmt.Sprintf(", no progress since %s UTC", d.Quiet.UTC().Format("15:04:05"))
	}
	return text
}

func (s *Snapshot) speedOf(rank int) *Speed {
	for i := range s.Speeds {
		if s.Speeds[i].Rank == rank {
			return &s.Speeds[i]
		}
	}
	return nil
}

// text writes the shares that are not zero.
func (s Shares) text() string {
	if !s.areKnown() {
		return "computing -  waiting -"
	}
	parts := []string{"computing " + percent(s.Computing), "waiting " + percent(s.Waiting)}
	for _, other := range []struct {
		name string
		part float64
	}{{"I/O", s.IO}, {"no samples", s.Absent}, {"no CPU", s.Starved}} {
		if other.part >= 0.005 {
			parts = append(parts, other.name+" "+percent(other.part))
		}
	}
	return strings.Join(parts, "  ")
}

// levels are the steps of a history, from none to all.
var levels = []rune(" ▁▂▃▄▅▆▇█")

// history draws the shares of a rank over time, the latest moment last, a column for each interval.
func history(series []model.Interval, width int) []string {
	const label = 10
	if len(series) == 0 {
		return []string{"there are no samples of this rank"}
	}
	series = series[max(0, len(series)-(width-label)):]
	spark := func(name string, of func(*model.Interval) int) string {
		line := []rune(fmt.Sprintf("%-*s", label, name))
		for i := range series {
			part := 0.0
			if k := &series[i]; k.Samples > 0 {
				part = min(1, float64(of(k))/float64(k.Samples))
			}
			line = append(line, levels[int(math.Ceil(part*float64(len(levels)-1)-0.25))])
		}
		return string(line)
	}
	first, last := &series[0], &series[len(series)-1]
	steps := fmt.Sprintf("a column is %s", duration(last.Step))
	if first.Step != last.Step {
		steps = fmt.Sprintf("a column is %s at first and %s at last", duration(first.Step), duration(last.Step))
	}
	return []string{
		fmt.Sprintf("from %s to %s UTC, %s:", first.Begin.UTC().Format("15:04:05"), last.End().UTC().Format("15:04:05"), steps),
		spark("computing", func(k *model.Interval) int { return k.Computing }),
		spark("waiting", func(k *model.Interval) int { return k.Waiting }),
		spark("I/O", func(k *model.Interval) int { return k.IO }),
	}
}
