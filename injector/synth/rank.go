package synth

import (
	"fmt"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/mpi"
)

// newRank makes one rank of the job as a recorder would have left it.
func (j *job) newRank(rank int) *model.Rank {
	at := j.placeOf(rank)
	f := j.chooseForm(rank, at.role)
	w := j.walkFor(rank, f)
	like := j.members[0].rank
	r := &model.Rank{
		Rank: rank, Size: j.Ranks, Host: j.hostName(rank / j.PerNode), PID: 1000 + rank%j.PerNode,
		Family: like.Family, Exe: like.Exe, Start: j.Created.Add(-time.Hour), Phase: model.Running, EndDetail: -1,
		Heartbeat:   j.Created.Add(time.Duration(mix(j.Seed, rank, 4)%1e9) - time.Second),
		QuietSince:  j.Created.Add(-quiet),
		ThreadLevel: like.ThreadLevel, Modules: f.modules,
	}
	t := &model.Thread{TID: r.PID, Model: model.Model{States: w.states, Visits: w.visits, Edges: w.edges}}
	for _, n := range w.visits {
		t.Calls += n
	}
	t.Progress = t.Calls
	t.Op.State = w.at
	r.Threads = []*model.Thread{t}
	j.addComms(r, f, at)
	j.addChannels(r, at)
	j.setOperation(r, t, at)
	return r
}

// quiet is how long the job has made no progress.
const quiet = 90 * time.Second

func (j *job) hostName(node int) string { return fmt.Sprintf("n%06d", node) }

// addComms gives the rank its communicators.
func (j *job) addComms(r *model.Rank, f *form, at placement) {
	for i, g := range j.groups {
		c := &model.Comm{
			ID: g.comm.ID, Parent: g.comm.Parent, Kind: g.comm.Kind, Forming: g.comm.Forming,
			Freed: g.comm.Freed, Coll: g.comm.Coll, State: f.comms[i],
		}
		c.Members = j.membersOf(g, r.Rank)
		c.Size, c.Rank = len(c.Members), r.Rank-c.Members[0]
		if g.kind == blockGroup {
			c.ID = blockID(&g, r.Rank)
		}
		switch {
		case i == j.meet:
			c.Coll = j.first - j.colls[at.role]
		case j.hasSkipped(r.Rank, i):
			c.Coll--
		}
		j.addHistory(r, c, i, f, at)
		r.Comms = append(r.Comms, c)
	}
}

// addChannels counts the messages with the neighbours: as many were received as
// were sent, but for the one that a rank waits for.
func (j *job) addChannels(r *model.Rank, at placement) {
	if j.Fault.Kind == Healthy && j.talk.count == 0 {
		return
	}
	peers := j.grid.neighbours(r.Rank)
	if at.waitsFor >= 0 {
		peers = append(peers, at.waitsFor)
	}
	peers = append(peers, j.waitersFor(r.Rank)...)
	slices.Sort(peers)
	for _, peer := range slices.Compact(peers) {
		r.Channels = append(r.Channels, model.Channel{
			Comm: j.meet, Peer: peer, Tag: j.talk.tag,
			Sent: j.sentCount(r.Rank, peer), Received: j.receivedCount(peer, r.Rank),
		})
	}
}

// waitersFor lists the ranks that wait for a message of one which is no neighbour
// of theirs.
func (j *job) waitersFor(rank int) []int {
	if j.Fault.Kind != Deadlock && j.Fault.Kind != Message {
		return nil
	}
	var out []int
	for _, r := range j.Fault.Ranks.Slice() {
		if j.waits[r].waitsFor == rank {
			out = append(out, r)
		}
	}
	return out
}

// receivedCount is how many messages of one rank another has begun to receive, and
// sent how many it was sent.
func (j *job) receivedCount(from, to int) uint64 {
	return j.talk.count + mix(j.Seed, from, to, 5)%7 + 1
}

func (j *job) sentCount(from, to int) uint64 {
	n := j.receivedCount(from, to)
	if w, near := j.waits[to]; near && w.waitsFor == from {
		n--
	}
	return n
}

// setOperation says what the rank does: what it waits for, or that it computes.
func (j *job) setOperation(r *model.Rank, t *model.Thread, at placement) {
	switch {
	case j.Fault.Kind == Healthy:
		r.Phase, r.End, r.EndDetail, r.EndTime, r.QuietSince = model.Finalized, model.Exited, 0, j.Created, time.Time{}
		t.Op.Kind = model.Finalize
	case at.waitsFor >= 0:
		j.waitMessage(r, t, at)
	case at.role == 0 && j.Fault.Kind == Skipped:
		j.waitCollective(r, t, j.program.stuck)
	case at.role == 0:
		j.applyFault(r, t)
	case finalizes(j.calls[at.role]):
		r.Phase, t.Op.InMPI, t.Op.Kind = model.Finalizing, true, model.Finalize
	default:
		j.waitCollective(r, t, j.meet)
	}
}

// waitCollective makes the rank wait in the latest collective of a communicator.
func (j *job) waitCollective(r *model.Rank, t *model.Thread, comm int) {
	t.Op.InMPI, t.Op.Kind = true, model.Collective
	t.Op.Pending = []model.Pending{{Kind: model.Collective, Comm: comm, Peer: model.None, Tag: model.None,
		Seq: r.Comms[comm].Coll, State: t.Op.State}}
}

// waitMessage makes the rank wait for a message.
func (j *job) waitMessage(r *model.Rank, t *model.Thread, at placement) {
	kind, f := model.Recv, mpi.FunctionOf(j.calls[at.role])
	t.Op.InMPI, t.Op.Kind = true, model.Recv
	switch {
	case f.InClass(mpi.ClassProbe, mpi.ClassMprobe):
		kind, t.Op.Kind = model.Probe, model.Probe
	case f.InClass(mpi.ClassWait, mpi.ClassWaitall, mpi.ClassSendrecv):
		t.Op.Kind = model.Wait
	}
	seq := j.receivedCount(at.waitsFor, r.Rank)
	if kind == model.Probe { // it looks for the message behind those received
		for i, c := range r.Channels {
			if c.Peer == at.waitsFor {
				r.Channels[i].Received = seq - 1
			}
		}
	}
	t.Op.Pending = []model.Pending{{Kind: kind, Comm: j.meet, Peer: at.waitsFor, Tag: j.talk.tag, Seq: seq,
		State: t.Op.State}}
}

// applyFault makes the rank compute, or ends its process.
func (j *job) applyFault(r *model.Rank, t *model.Thread) {
	t.Op.Kind = model.Local
	stack := t.Model.States[t.Op.State].Stack
	switch j.Fault.Kind {
	case Killed:
		r.Heartbeat, r.QuietSince = r.Heartbeat.Add(-quiet), time.Time{}
	case Exited:
		r.End, r.EndDetail, r.EndTime, r.QuietSince = model.Exited, 3, j.Created.Add(-quiet), time.Time{}
	default:
		t.Captured = &model.Capture{Time: j.Created.Add(-quiet / 2), Why: model.CaptureQuiet, Stack: stack,
			Calls: t.Calls, Same: 8}
	}
}
