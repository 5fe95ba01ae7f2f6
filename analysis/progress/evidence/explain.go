package evidence

import (
	"cmp"
	"slices"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// Explanation is why a rank waits for a peer.
type Explanation struct {
	Kind       ExplanationKind
	Rank, Peer int
	Wait       *facts.Wait   // that the rank is in; nil: HoldsFileLock, HoldsMutex
	Want       *facts.Want   // what of it the peer owes; nil: the whole call, HoldsFileLock, HoldsMutex
	On         model.CommRef // of the want; without an ID: it is not known
	// Counted: counts show it; else the places of the ranks do. Count is how many such calls the peer has begun, or messages sent, or
	// receives posted.
	Counted  bool
	Count    uint64
	PeerCall string  // of InOther
	Probed   bool    // of NotReceived: the peer has only matched the message with a probe
	Strays   []Stray // of NotSent: what the peer has sent elsewhere and lies unreceived, those on the same communicator first
	// Taker is the receive with a wildcard, not complete, that may have taken the message; nil: there is none.
	Taker *facts.Wildcard
}

// Stray is messages with another tag, or on another communicator.
type Stray struct {
	Count uint64
	Tag   int
	On    model.CommRef
}

// ExplanationKind is what of its peer a rank waits for.
type ExplanationKind int

// The kinds of explanation.
const (
	NotReached    ExplanationKind = iota // the peer has not come to the call
	MeetsLeader                          // the peer meets the leader of the other group
	InOther                              // the peer is in another collective at that position
	NotBegun                             // the peer has not begun the collective
	HoldsLock                            // the peer holds a lock on the window
	NotDriving                           // the peer is outside MPI, and the call may need it inside
	NotInCall                            // the peer is in no such call
	NotPosted                            // the peer has not posted its window
	NotComplete                          // the peer has not completed its accesses
	NotReceived                          // the peer has not begun to receive
	MaySend                              // the peer is one of those that may send
	NoMoreSent                           // the peer has sent nothing more, whatever the tag
	NotSent                              // the peer has not sent the message
	HoldsFileLock                        // the peer has the lock of a file, and the rank waits for it outside MPI
	HoldsMutex                           // likewise a mutex that processes share
	LeftNoRecord                         // nothing is known of the peer
)

// Likeness is what waits have in common that a reader takes for the same: the calls, the communicator (0: none) and the tag.
type Likeness struct {
	call, started string
	comm          uint64
	tag           int
}

// LikenessIn returns the likeness of a link of the scene.
func (l Link) LikenessIn(s *Scene) Likeness {
	if l.source.wait == noWait {
		return Likeness{}
	}
	wait := &s.Facts[l.source.rank].Waits[l.source.wait]
	if l.source.want < 0 {
		return Likeness{call: wait.Call}
	}
	w := &wait.Wants[l.source.want]
	return Likeness{call: wait.Call, started: w.Call, comm: w.Comm, tag: w.Tag}
}

// Explain says why a rank waits for a peer.
func (s *Scene) Explain(l Link, peer int) *Explanation {
	if l.source.wait == noWait {
		kind := HoldsFileLock
		if s.Facts[l.source.rank].Holder.For == model.ProcessAwaited {
			kind = HoldsMutex
		}
		return &Explanation{Kind: kind, Rank: l.source.rank, Peer: peer}
	}
	x := &Explanation{Rank: l.source.rank, Peer: peer, Wait: &s.Facts[l.source.rank].Waits[l.source.wait], Counted: !s.known.Uncounted}
	if l.source.want < 0 {
		if !s.Present.Contains(peer) {
			x.Kind = LeftNoRecord
		}
		return x
	}
	w := &x.Wait.Wants[l.source.want]
	e := explainer{judge{s}}
	x.Kind, x.Want, x.On, x.Count = e.kindOf(l, w, peer), w, s.commOf(w), e.answerCount(l.source)
	if l.taken {
		x.Taker = posted{s}.takerOf(l.source)
	}
	switch x.Kind {
	case NotBegun:
		x.Count = s.Begun(w.Comm, peer)
	case InOther:
		x.PeerCall = s.callIn(peer, w.Comm, w.Seq)
	case NotReceived:
		x.Probed = slices.ContainsFunc(s.answers[l.source], func(a facts.Answer) bool { return a.Probed })
		x.Count += posted{s}.mayReceive(l.source)
	case NotSent:
		x.Strays = e.straysOf(l.source, w, peer)
	}
	return x
}

// explainer says what a judged want comes to.
type explainer struct{ judge }

func (s explainer) kindOf(l Link, w *facts.Want, peer int) ExplanationKind {
	begun := w.Kind == model.Collective && !s.known.Uncounted && s.Begun(w.Comm, peer) >= w.Seq
	switch {
	case !s.Present.Contains(peer) && w.Peer != model.Any: // else all that is said of it is that it may send
		return LeftNoRecord
	case begun && s.leavesMeetingToLeader(l.source):
		return MeetsLeader
	case begun && s.isIn(peer, w.Comm, w.Seq):
		return InOther
	case w.Kind == model.Collective:
		return NotBegun
	case w.Kind == model.RMA && s.holdsLock(w, peer):
		return HoldsLock
	case w.Kind == model.RMA && (isPassiveSync(w) || !synchronises(w)):
		return NotDriving
	case w.Kind == model.RMA:
		return NotInCall
	case w.Tag == model.TagPost:
		return NotPosted
	case w.Tag == model.TagComplete:
		return NotComplete
	case w.Kind == model.Send:
		return NotReceived
	case w.Peer == model.Any:
		return MaySend
	case w.Wild() && !s.known.Uncounted:
		return NoMoreSent
	}
	return NotSent
}

// maxStrays bounds the messages on other channels that are told.
const maxStrays = 2

// straysOf are messages that a peer has sent with another tag, or on another communicator, and that lie unreceived: one of them may be
// the one that a rank waits for.
func (s explainer) straysOf(id wantID, w *facts.Want, peer int) (out []Stray) {
	var strays []facts.ChannelTotal
	for _, a := range s.answers[id] {
		strays = append(strays, a.Strays...)
	}
	if !s.countersComplete(peer) {
		return nil
	}
	slices.SortStableFunc(strays, func(x, y facts.ChannelTotal) int {
		return cmp.Compare(min(x.Comm^w.Comm, 1), min(y.Comm^w.Comm, 1))
	})
	for _, m := range strays[:min(len(strays), maxStrays)] {
		out = append(out, Stray{m.Count, m.Tag, s.Comm(m.Comm)})
	}
	return out
}

// holdsLock reports whether a rank has a lock that keeps the wanted one away.
func (s explainer) holdsLock(w *facts.Want, rank int) bool {
	holders, _ := s.lockHolders(-1, w)
	return w.Tag != model.None && holders.Contains(rank)
}

// commOf is the communicator of a want.
func (s *Scene) commOf(w *facts.Want) model.CommRef {
	if w.Self {
		return model.CommRef{ID: w.Comm, Kind: model.Self}
	}
	return s.Comm(w.Comm)
}

// Comm is what is known of a communicator, window or file.
func (s *Scene) Comm(id uint64) model.CommRef {
	c := s.comms[id]
	if c == nil {
		return model.CommRef{ID: id}
	}
	out := model.CommRef{ID: id, Known: true, Several: c.World && len(s.known.Worlds) > 0, Members: s.membersOf(c)}
	switch {
	case c.World:
		out.Kind = model.World
	case c.Window:
		out.Kind = model.Window
	case c.IO:
		out.Kind = model.File
	case c.Groups[1].Len() > 0:
		out.Kind = model.Inter
	}
	return out
}

// AreGroups reports whether some members of an intercommunicator are of one of its groups, and others of the other.
func AreGroups(s *Scene, comm uint64, some, others model.RankSet) bool {
	c := s.comms[comm]
	if c == nil || c.Groups[1].Len() == 0 {
		return false
	}
	first, second := c.Groups[0], c.Groups[1]
	if some.Minus(first).Len() > 0 {
		first, second = second, first
	}
	return some.Minus(first).Len() == 0 && others.Minus(second).Len() == 0
}

// World returns the ID of the MPI_COMM_WORLD of a rank, and how many collectives a rank has begun on
// it; 0 if it is not known.
func (s *Scene) World(rank int) (id, begun uint64) {
	for _, c := range s.Sum.Comms {
		if c.World && s.membersOf(&c).Contains(rank) {
			return c.ID, s.Begun(c.ID, rank)
		}
	}
	return 0, 0
}

// Begun returns how many collectives a rank has begun on a communicator.
func (s *Scene) Begun(comm uint64, rank int) uint64 {
	n := uint64(0)
	if c := s.comms[comm]; c != nil {
		for _, count := range c.Counts {
			if count.Ranks.Contains(rank) {
				n = count.N
			}
		}
	}
	return n
}
