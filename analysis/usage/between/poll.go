package between

import (
	"slices"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/model/mpi"
)

// minPolls is how many empty polls in a row, with nothing else between, are taken
// as waiting: a program that only looks in between computes in between.
const minPolls = 16

// pollClasses are the calls that look without waiting.
var pollClasses = map[mpi.Class]bool{
	mpi.ClassTest: true, mpi.ClassTestall: true, mpi.ClassTestany: true, mpi.ClassTestsome: true,
	mpi.ClassIprobe: true, mpi.ClassImprobe: true,
}

// pollLoops are the threads whose recording ends in a loop of empty polls: the calls
// of one round of each.
func pollLoops(t *recorded.Trace) [][]int {
	type tail struct {
		round []int // latest first
		polls uint64
		done  bool
	}
	tails := map[int]*tail{}
	var threads []int
	for i := len(t.Calls) - 1; i >= 0; i-- {
		c := &t.Calls[i]
		x := tails[c.Thread]
		if x == nil {
			x = &tail{}
			tails[c.Thread] = x
			threads = append(threads, c.Thread)
		}
		switch {
		case x.done || c.Func == nil || c.Func.Class == mpi.ClassLight:
		case x.polls == 0 && pollClasses[c.Func.Class] && c.Return == 0: // the process ended in the midst of one
		case !pollClasses[c.Func.Class] || c.Return == 0 || !isEmptyPoll(c):
			x.done = true
		default:
			x.polls += 1 + c.Again
			if !slices.ContainsFunc(x.round, func(k int) bool { return t.Calls[k].Site == c.Site }) {
				x.round = append(x.round, i)
			}
		}
	}
	slices.Sort(threads)
	var out [][]int
	for _, thread := range threads {
		if x := tails[thread]; x.polls >= minPolls {
			out = append(out, x.round)
		}
	}
	return out
}

// isEmptyPoll reports whether a poll found nothing.
func isEmptyPoll(c *recorded.Call) bool {
	for _, name := range []string{"flag", "outcount"} {
		if v, ok := c.OutputInt(name); ok {
			return v == 0
		}
	}
	return false
}

// addLoops turns loops of polls into waits, one for each poll of a round: the loop
// ends when any of them does.
func (d *digester) addLoops(rounds [][]int) {
	polled := map[int]*replay.Wait{}
	for _, round := range rounds {
		for _, call := range round {
			polled[call] = nil
		}
	}
	for i := range d.Waits {
		if _, ok := polled[d.Waits[i].Call]; ok {
			polled[d.Waits[i].Call] = &d.Waits[i]
		}
	}
	for _, round := range rounds {
		step := d.stepIndex(round[0])
		for _, call := range round {
			if step >= 0 {
				d.waits = append(d.waits, d.newPollWaiting(step, call, polled[call]))
			}
		}
	}
}

// newPollWaiting is what one poll of a loop waits for: its requests, or the message that a probe
// looks for.
func (d *digester) newPollWaiting(step int32, call int, w *replay.Wait) waiting {
	out := waiting{step: step, any: true}
	if w != nil {
		out = d.newWaiting(step, w)
	} else {
		d.addProbe(&out, call)
	}
	out.loop = true
	return out
}

// addProbe adds the message that a probe in a loop looks for.
func (d *digester) addProbe(out *waiting, call int) {
	c := &d.trace.Calls[call]
	comm, ok := c.InputInt("comm")
	source, from := c.InputInt("source")
	tag, tagged := c.InputInt("tag")
	if !ok || !from || !tagged || comm < 0 || comm >= int64(len(d.comms)) {
		out.other = true
		return
	}
	o := replay.Operation{
		Kind: replay.Probe, Call: int32(call), Made: int32(call), Done: -1, Comm: int32(comm), Peer: replay.ClampInt32(source),
		Tag:   replay.ClampInt32(tag),
		Bytes: -1, Source: model.None, FromTag: model.None,
	}
	if at := d.addMessage(&o); at >= 0 {
		out.messages = append(out.messages, at)
	}
}
