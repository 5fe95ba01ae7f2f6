package waits

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"laggard/model"
)

// leaders is the making of an intercommunicator: a collective of the own group, whose leader
// meets that of the other group.
func (r *reader) leaders() Wait {
	own := r.collective()
	out := Wait{Kind: model.Wait, Pending: []model.Pending{own}}
	leader, ok := r.int("local_leader")
	switch {
	case own.Comm == unknown || !ok:
		out.Unlisted = true
	case leader == r.Comms[own.Comm].Rank:
		if meeting := r.meeting(); meeting != unknown {
			own.Comm = meeting
			out.Pending = append(out.Pending, own)
		} else {
			out.Unlisted = true
		}
	}
	return out
}

// meeting is the communicator that the two leaders make for it.
func (r *reader) meeting() int {
	i := r.f.Param("peer_comm")
	handle, ok := r.handle(i)
	other, known := r.int("remote_leader")
	if !ok || !known {
		return unknown
	}
	peer := r.Library.Comm(handle, r.Binding != model.C)
	if peer == nil || other < 0 || other >= len(peer.Peers()) {
		return unknown
	}
	both := []int{peer.Members[peer.Rank], peer.Peers()[other]}
	slices.Sort(both)
	return r.forming(peer.ID, both, nil)
}

// groups is the making of a communicator of groups, which its members alone take part in.
func (r *reader) groups() Wait {
	var parent uint64
	if r.f.Param("comm") >= 0 {
		if c := r.comm(); c != unknown {
			parent = r.Comms[c].ID
		}
	}
	sides := [][]int{nil, nil}
	for k, names := range [][]string{{"group", "local_group"}, {"remote_group"}} {
		for _, name := range names {
			i := r.f.Param(name)
			if i < 0 {
				continue
			}
			handle, ok := r.handle(i)
			if ok {
				sides[k] = r.Library.Group(handle, r.Binding != model.C)
			}
			if sides[k] == nil {
				return Wait{Kind: model.Other}
			}
		}
	}
	p := model.Pending{Kind: model.Collective, Comm: r.forming(parent, sides[0], sides[1]), Peer: model.None,
		Tag: model.None, State: -1}
	if p.Comm == unknown {
		return Wait{Kind: model.Other}
	}
	return r.one(model.Collective, p)
}

// forming is a communicator that is being made: its members, and what it is made from, tell
// it from others.
func (r *reader) forming(parent uint64, local, remote []int) int {
	rank := slices.Index(local, r.Rank)
	if rank < 0 {
		return unknown
	}
	h := fnv.New64a()
	first, second := local, remote
	if remote != nil && remote[0] < local[0] { // both sides give the same number
		first, second = remote, local
	}
	for _, n := range slices.Concat([]int{int(parent), len(first)}, first, second) {
		_ = binary.Write(h, binary.LittleEndian, int64(n))
	}
	c := &model.Comm{ID: h.Sum64() | 1<<63, Rank: rank, Size: len(local), Members: local, State: -1}
	if remote != nil {
		c.Kind, c.Remote, c.RemoteSize = model.Inter, remote, len(remote)
	}
	return r.Index(c)
}
