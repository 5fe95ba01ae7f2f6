package waits

import (
	"encoding/binary"
	"hash/fnv"
	"slices"

	"laggard/model"
	"laggard/model/mpi"
)

// intercommWait is the making of an intercommunicator: a collective of the own group, whose leader
// meets that of the other group.
func (r *reader) intercommWait() Wait {
	own := r.collectivePending()
	out := Wait{Kind: model.Wait, Pending: []model.Pending{own}}
	leader, ok := r.intArgument("local_leader")
	switch {
	case own.Comm == unknown || !ok:
		out.Unlisted = true
	case leader == r.Comms[own.Comm].Rank:
		if meeting := r.leadersComm(); meeting != unknown {
			own.Comm = meeting
			out.Pending = append(out.Pending, own)
		} else {
			out.Unlisted = true
		}
	}
	return out
}

// leadersComm is the communicator that the two leaders make for it.
func (r *reader) leadersComm() int {
	i := r.f.ParamIndex("peer_comm")
	handle, ok := r.handleArgument(i)
	other, known := r.intArgument("remote_leader")
	if !ok || !known {
		return unknown
	}
	peer := r.Library.ResolveComm(handle, r.Binding != mpi.C)
	if peer == nil || other < 0 || other >= len(peer.PeerGroup()) {
		return unknown
	}
	return r.formingComm(peer.ID, []int{peer.Members[peer.Rank], peer.PeerGroup()[other]})
}

// groupCommWait is the making of a communicator of groups, which its members alone take part in.
func (r *reader) groupCommWait() Wait {
	var parent uint64
	if r.f.ParamIndex("comm") >= 0 {
		c := r.callComm()
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
		handle, ok := r.handleArgument(i)
		group := r.Library.GroupRanks(handle, r.Binding != mpi.C)
		if !ok || group == nil {
			return Wait{Kind: model.Other}
		}
		members = append(members, group...)
	}
	p := model.Pending{Kind: model.Collective, Comm: r.formingComm(parent, members), Peer: model.None, Tag: model.None,
		State: -1}
	if p.Comm == unknown {
		return Wait{Kind: model.Other}
	}
	return r.singleWait(model.Collective, p)
}

// formingComm is a communicator that is being made: its members, and what it is made from, tell
// it from others.
func (r *reader) formingComm(parent uint64, members []int) int {
	slices.Sort(members)
	rank, found := slices.BinarySearch(members, r.Rank)
	if !found {
		return unknown
	}
	h := fnv.New64a()
	for _, n := range append([]int{int(parent)}, members...) {
		_ = binary.Write(h, binary.LittleEndian, int64(n))
	}
	return r.CommIndex(&model.Comm{ID: h.Sum64() | 1<<63, Rank: rank, Size: len(members), Members: members, State: -1})
}
