package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"laggard/analysis/progress/facts"
	"laggard/model"
)

// Explain says why a rank waits for a peer.
func (s *Scene) Explain(l Link, peer int) string {
	wait := &s.Facts[l.source.rank].Waits[l.source.wait]
	who := fmt.Sprintf("rank %d is in %s", l.source.rank, wait.Call)
	if wait.Side { // the rank's state is that of another thread
		who = "a thread of " + who
	}
	if l.source.want < 0 {
		return fmt.Sprintf("%s, rank %d has not reached it", who, peer)
	}
	w := &wait.Wants[l.source.want]
	if w.Call != "" && w.Call != wait.Call {
		who += " for " + w.Call
	}
	text := ""
	switch {
	case s.known.Uncounted && w.Kind != model.RMA:
		text = s.explainUncounted(who, w, peer)
	case w.Kind == model.Collective && s.leavesMeetingToLeader(l.source) && s.Begun(w.Comm, peer) >= w.Seq:
		text = fmt.Sprintf("%s, rank %d meets the other group's leader for it", who, peer)
	case w.Kind == model.Collective && s.Begun(w.Comm, peer) >= w.Seq && s.isIn(peer, w.Comm, w.Seq):
		text = fmt.Sprintf("%s %d on %s, rank %d is in %s at that position", who, w.Seq, s.commText(w), peer,
			s.callIn(peer, w.Comm, w.Seq))
	case w.Kind == model.Collective:
		text = fmt.Sprintf("%s %d on %s, rank %d has begun %d", who, w.Seq, s.commText(w), peer, s.Begun(w.Comm, peer))
	case w.Kind == model.RMA && s.holdsLock(w, peer):
		text = fmt.Sprintf("%s%s on %s, rank %d holds a lock on it", who, targetText(w), s.commText(w), peer)
	case w.Kind == model.RMA && (isPassiveSync(w) || !synchronises(w)):
		text = fmt.Sprintf("%s on %s, rank %d is outside MPI", who, s.commText(w), peer)
	case w.Kind == model.RMA:
		text = fmt.Sprintf("%s on %s, rank %d is in no such call", who, s.commText(w), peer)
	case w.Tag == model.TagPost:
		text = fmt.Sprintf("%s %d toward rank %d on %s, which has posted %d", who, w.Seq, peer, s.commText(w),
			s.answerCount(l.source))
	case w.Tag == model.TagComplete:
		text = fmt.Sprintf("%s %d for rank %d on %s, which has completed %d", who, w.Seq, peer, s.commText(w),
			s.answerCount(l.source))
	case w.Kind == model.Send:
		text = fmt.Sprintf("%s%s to rank %d%s on %s; rank %d has begun %d such receives",
			who, messageText(w), peer, tagText(w), s.commText(w), peer, s.answerCount(l.source))
		if slices.ContainsFunc(s.answers[l.source], func(a facts.Answer) bool { return a.Probed }) {
			text += "; it has only matched the message with a probe"
		}
	case w.Peer == model.Any:
		text = fmt.Sprintf("%s from any source%s on %s; rank %d may send it", who, tagText(w), s.commText(w), peer)
	case w.Wild():
		text = fmt.Sprintf("%s from rank %d%s on %s; it has sent no further message", who, peer, tagText(w), s.commText(w))
	default:
		text = fmt.Sprintf("%s%s from rank %d%s on %s; such messages sent: %d%s",
			who, messageText(w), peer, tagText(w), s.commText(w), s.answerCount(l.source), s.strayText(l.source, w, peer))
	}
	if l.Weak {
		text += " (it may be satisfied already)"
	}
	return text
}

// maxStrays bounds the messages on other channels that are told.
const maxStrays = 2

// strayText says which messages a peer has sent with another tag, or on another communicator, that lie unreceived: one of them may be
// the one that a rank waits for. Those on the same communicator come first.
func (s *Scene) strayText(id wantID, w *facts.Want, peer int) string {
	var strays []facts.ChannelTotal
	for _, a := range s.answers[id] {
		strays = append(strays, a.Strays...)
	}
	if len(strays) == 0 || !s.countersComplete(peer) {
		return ""
	}
	slices.SortStableFunc(strays, func(x, y facts.ChannelTotal) int {
		return cmp.Compare(min(x.Comm^w.Comm, 1), min(y.Comm^w.Comm, 1))
	})
	var parts []string
	for _, m := range strays[:min(len(strays), maxStrays)] {
		part := fmt.Sprintf("%d with tag %d", m.Count, m.Tag)
		if m.Comm != w.Comm {
			part += " on " + s.CommName(m.Comm)
		}
		parts = append(parts, part)
	}
	return fmt.Sprintf("; unreceived from rank %d: %s", peer, strings.Join(parts, ", "))
}

// holdsLock reports whether a rank has a lock that keeps the wanted one away.
func (s *Scene) holdsLock(w *facts.Want, rank int) bool {
	holders, _ := s.lockHolders(-1, w)
	return w.Tag != model.None && holders.Contains(rank)
}

func rankText(rank int) string { return fmt.Sprintf("rank %d", rank) }

func targetText(w *facts.Want) string {
	if w.Peer == model.None {
		return ""
	}
	return fmt.Sprintf(" of rank %d", w.Peer)
}

func messageText(w *facts.Want) string {
	if w.Seq == 0 {
		return ""
	}
	return fmt.Sprintf(" number %d", w.Seq)
}

func tagText(w *facts.Want) string {
	switch w.Tag {
	case model.None:
		return ""
	case model.Any:
		return " with any tag"
	}
	return fmt.Sprintf(" with tag %d", w.Tag)
}

// commText names the communicator of a want.
func (s *Scene) commText(w *facts.Want) string {
	if w.Self {
		return "MPI_COMM_SELF"
	}
	return s.CommName(w.Comm)
}

// CommKind tells what a communicator, window or file is, as far as it is known.
func (s *Scene) CommKind(id uint64) model.CommKind {
	c := s.comms[id]
	switch {
	case c == nil:
		return model.Intra
	case c.World:
		return model.World
	case c.Window:
		return model.Window
	case c.IO:
		return model.File
	}
	return model.Intra
}

// CommName names a communicator, window or file.
func (s *Scene) CommName(id uint64) string {
	c := s.comms[id]
	switch {
	case c == nil:
		return "an unknown communicator"
	case c.World && len(s.known.Worlds) > 0:
		return "the MPI_COMM_WORLD of " + s.membersOf(c).Phrase()
	case c.World:
		return "MPI_COMM_WORLD"
	}
	kind := "communicator"
	switch {
	case c.Window:
		kind = "window"
	case c.IO:
		kind = "file"
	}
	return fmt.Sprintf("%s %x of %d ranks", kind, c.ID, s.membersOf(c).Len())
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
