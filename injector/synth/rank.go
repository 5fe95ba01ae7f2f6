package synth

import (
	"fmt"
	"slices"
	"time"

	"laggard/model"
)

// rank makes one rank of the job as a recorder would have left it.
func (j *job) rank(rank int) *model.Rank {
	at := j.at(rank)
	f := j.form(rank, at.role)
	w := j.model(rank, f)
	like := j.members[0].rank
	r := &model.Rank{
		Rank: rank, Size: j.Ranks, Host: j.host(rank / j.PerNode), PID: 1000 + rank%j.PerNode,
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
	j.block(r, t, at)
	return r
}

// quiet is how long the job has made no progress.
const quiet = 90 * time.Second

func (j *job) host(node int) string { return fmt.Sprintf("n%06d", node) }

// addComms gives the rank its communicators.
func (j *job) addComms(r *model.Rank, f *form, at wave) {
	for i, g := range j.groups {
		c := &model.Comm{
			ID: g.comm.ID, Parent: g.comm.Parent, Kind: g.comm.Kind, Forming: g.comm.Forming,
			Freed: g.comm.Freed, Coll: g.comm.Coll, State: f.comms[i],
		}
		c.Members = j.membersOf(g, r.Rank)
		c.Size, c.Rank = len(c.Members), r.Rank-c.Members[0]
		if g.kind == block {
			c.ID = blockID(&g, r.Rank)
		}
		switch {
		case i == j.meet:
			c.Coll = j.first - j.colls[at.role]
		case j.skips(r.Rank, i):
			c.Coll--
		}
		j.addHistory(r, c, i, f, at)
		r.Comms = append(r.Comms, c)
	}
}

// addChannels counts the messages with the neighbours: as many were received as
// were sent, but for the one that a rank waits for.
func (j *job) addChannels(r *model.Rank, at wave) {
	if j.Fault.Kind == Healthy && j.talk.count == 0 {
		return
	}
	peers := j.grid.neighbours(r.Rank)
	if at.from >= 0 {
		peers = append(peers, at.from)
	}
	peers = append(peers, j.waiters(r.Rank)...)
	slices.Sort(peers)
	for _, peer := range slices.Compact(peers) {
		r.Channels = append(r.Channels, model.Channel{
			Comm: j.meet, Peer: peer, Tag: j.talk.tag,
			Sent: j.sent(r.Rank, peer), Received: j.received(peer, r.Rank),
		})
	}
}

// waiters lists the ranks that wait for a message of one which is no neighbour
// of theirs.
func (j *job) waiters(rank int) []int {
	if j.Fault.Kind != Deadlock && j.Fault.Kind != Message {
		return nil
	}
	var out []int
	for _, r := range j.Fault.Ranks.Slice() {
		if j.waits[r].from == rank {
			out = append(out, r)
		}
	}
	return out
}

// received is how many messages of one rank another has begun to receive, and
// sent how many it was sent.
func (j *job) received(from, to int) uint64 { return j.talk.count + mix(j.Seed, from, to, 5)%7 + 1 }

func (j *job) sent(from, to int) uint64 {
	n := j.received(from, to)
	if w, near := j.waits[to]; near && w.from == from {
		n--
	}
	return n
}

// block says what the rank does: what it waits for, or that it computes.
func (j *job) block(r *model.Rank, t *model.Thread, at wave) {
	switch {
	case j.Fault.Kind == Healthy:
		r.Phase, r.End, r.EndDetail, r.EndTime, r.QuietSince = model.Finalized, model.Exited, 0, j.Created, time.Time{}
		t.Op.Kind = model.Finalize
	case at.from >= 0:
		j.await(r, t, at)
	case at.role == 0 && j.Fault.Kind == Skipped:
		j.join(r, t, j.program.stuck)
	case at.role == 0:
		j.fault(r, t)
	case ends(j.calls[at.role]):
		r.Phase, t.Op.InMPI, t.Op.Kind = model.Finalizing, true, model.Finalize
	default:
		j.join(r, t, j.meet)
	}
}

// join makes the rank wait in the latest collective of a communicator.
func (j *job) join(r *model.Rank, t *model.Thread, comm int) {
	t.Op.InMPI, t.Op.Kind = true, model.Collective
	t.Op.Pending = []model.Pending{{Kind: model.Collective, Comm: comm, Peer: model.None, Tag: model.None,
		Seq: r.Comms[comm].Coll, State: t.Op.State}}
}

// await makes the rank wait for a message.
func (j *job) await(r *model.Rank, t *model.Thread, at wave) {
	kind, call := model.Recv, name(j.calls[at.role])
	t.Op.InMPI, t.Op.Kind = true, model.Recv
	switch call {
	case "probe", "mprobe":
		kind, t.Op.Kind = model.Probe, model.Probe
	case "wait", "waitall", "sendrecv", "sendrecv_replace":
		t.Op.Kind = model.Wait
	}
	seq := j.received(at.from, r.Rank)
	if kind == model.Probe { // it looks for the message behind those received
		for i, c := range r.Channels {
			if c.Peer == at.from {
				r.Channels[i].Received = seq - 1
			}
		}
	}
	t.Op.Pending = []model.Pending{{Kind: kind, Comm: j.meet, Peer: at.from, Tag: j.talk.tag, Seq: seq,
		State: t.Op.State}}
}

// fault makes the rank compute, or ends its process.
func (j *job) fault(r *model.Rank, t *model.Thread) {
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
