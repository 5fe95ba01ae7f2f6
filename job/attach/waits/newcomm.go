package waits

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
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
	return r.forming(peer.ID, []int{peer.Members[peer.Rank], peer.Peers()[other]})
}

// groups is the making of a communicator of groups, which its members alone take part in.
func (r *reader) groups() Wait {
	var parent uint64
	if r.f.Param("comm") >= 0 {
		c := r.comm()
		if c == unknown {
			return Wait{Kind: model.Other}
		}
		parent = r.Comms[c].ID
	}
	var members []int
	for i, p := range r.f.Params {
		if p.Kind != mpi.Group || p.Ref {
			continue
		}
		handle, ok := r.handle(i)
		group := r.Library.Group(handle, r.Binding != model.C)
		if !ok || group == nil {
			return Wait{Kind: model.Other}
		}
		members = append(members, group...)
	}
	p := model.Pending{Kind: model.Collective, Comm: r.forming(parent, members), Peer: model.None, Tag: model.None,
		State: -1}
	if p.Comm == unknown {
		return Wait{Kind: model.Other}
	}
	return r.one(model.Collective, p)
}

// forming is a communicator that is being made: its members, and what it is made from, tell
// it from others.
func (r *reader) forming(parent uint64, members []int) int {
	slices.Sort(members)
	rank, found := slices.BinarySearch(members, r.Rank)
	if !found {
		return unknown
	}
	h := fnv.New64a()
	for _, n := range append([]int{int(parent)}, members...) {
		_ = binary.Write(h, binary.LittleEndian, int64(n))
	}
	return r.Index(&model.Comm{ID: h.Sum64() | 1<<63, Rank: rank, Size: len(members), Members: members, State: -1})
}
