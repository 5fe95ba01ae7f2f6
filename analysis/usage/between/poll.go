package between

import (
	"maps"
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

// tail is the row of empty polls with which the calls of a thread end.
type tail struct {
	round []numbered // the last poll of each place, in their order
	polls uint64
	open  bool // it ends with one that did not return
}

// addToTail follows the polls at the end of a thread.
func (d *Digester) addToTail(call int, c *recorded.Call) {
	if c.Func.Class == mpi.ClassLight {
		return
	}
	x, poll := d.tails[c.Thread], pollClasses[c.Func.Class]
	switch {
	case poll && c.Return == 0: // if it is the last one, the process ended in the midst of it
		if x == nil {
			x = &tail{}
			d.tails[c.Thread] = x
		}
		x.open = true
	case !poll || !c.IsEmptyPoll():
		delete(d.tails, c.Thread)
	default:
		if x == nil || x.open {
			x = &tail{}
			d.tails[c.Thread] = x
		}
		x.polls += 1 + c.Again
		x.round = append(slices.DeleteFunc(x.round, func(k numbered) bool { return k.Site == c.Site }), numbered{call, c})
	}
}

// pollLoops are the threads whose recording ends in a loop of empty polls: the calls of one round of each, the latest first.
func (d *Digester) pollLoops() (out [][]numbered) {
	for _, thread := range slices.Sorted(maps.Keys(d.tails)) {
		if x := d.tails[thread]; x.polls >= minPolls {
			slices.Reverse(x.round)
			out = append(out, x.round)
		}
	}
	return out
}

// addLoops turns loops of polls into waits, one for each poll of a round: the loop
// ends when any of them does.
func (d *Digester) addLoops(rounds [][]numbered) {
	polled := map[int]*replay.Wait{}
	for _, round := range rounds {
		for _, poll := range round {
			polled[poll.call] = nil
		}
	}
	for i := range d.Waits {
		if _, ok := polled[d.Waits[i].Call]; ok {
			polled[d.Waits[i].Call] = &d.Waits[i]
		}
	}
	for _, round := range rounds {
		step := d.stepIndex(round[0].call)
		for _, poll := range round {
			if step >= 0 {
				d.waits = append(d.waits, d.newPollWaiting(step, poll, polled[poll.call]))
			}
		}
	}
}

// newPollWaiting is what one poll of a loop waits for: its requests, or the message that a probe
// looks for.
func (d *Digester) newPollWaiting(step int32, poll numbered, w *replay.Wait) waiting {
	out := waiting{step: step, any: true}
	if w != nil {
		out = newWaiting(step, w)
	} else {
		d.addProbe(&out, poll)
	}
	out.loop = true
	return out
}

// addProbe adds the message that a probe in a loop looks for.
func (d *Digester) addProbe(out *waiting, c numbered) {
	comm, ok := c.InputInt("comm")
	source, from := c.InputInt("source")
	tag, tagged := c.InputInt("tag")
	if !ok || !from || !tagged || comm < 0 || comm >= int64(len(d.comms)) {
		out.other = true
		return
	}
	at := d.addMessage(&replay.Operation{
		Kind: replay.Probe, Call: d.stepIndex(c.call), Made: d.stepIndex(c.call), Done: -1, Comm: int32(comm),
		Peer: replay.ClampInt32(source), Tag: replay.ClampInt32(tag), Bytes: -1, Source: model.None, FromTag: model.None,
	})
	if at >= 0 {
		out.messages = append(out.messages, at)
	}
}
