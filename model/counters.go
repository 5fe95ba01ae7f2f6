package model

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// trafficReader is a SENT record: where what a state sent is counted.
type trafficReader struct {
	thread, state uint32
	off, live     int64
}

// siteReader is a SITE record.
type siteReader struct {
	fixed     []byte
	off, live int64
}

func (r *slotReader) takeSent(rec record) error {
	le32, _ := fields(rec.fixed)
	r.sent = append(r.sent, trafficReader{rec.thread, le32(sentState), rec.off, rec.live})
	return nil
}

func (r *slotReader) takeSite(rec record) error {
	if _, _, err := stateParts(rec.fixed); err != nil {
		return err
	}
	r.sites = append(r.sites, siteReader{bytes.Clone(rec.fixed), rec.off, rec.live})
	return nil
}

// takeArguments splits the fixed part, in which each argument ends with a zero
// byte; what follows the last one is padding.
func (r *slotReader) takeArguments(rec record) error {
	if r.rank.Arguments != nil {
		return fmt.Errorf("%w: a second one in the slot", ErrCorrupt)
	}
	le32, _ := fields(rec.fixed)
	n := le32(argumentsBytes)
	if n > maxArguments || int(n) > len(rec.fixed)-argumentsFixed {
		return fmt.Errorf("%w: %d bytes of arguments in %d", ErrCorrupt, n, len(rec.fixed)-argumentsFixed)
	}
	text := rec.fixed[argumentsFixed:][:n]
	r.rank.Arguments = []string{}
	for len(text) > 0 {
		arg, rest, _ := bytes.Cut(text, []byte{0})
		r.rank.Arguments = append(r.rank.Arguments, string(arg))
		text = rest
	}
	return nil
}

func (r *slotReader) traffic(live int64) Traffic {
	return Traffic{Calls: r.img.u64(live + trafficCalls), Bytes: r.img.u64(live + trafficBytes)}
}

// assembleTraffic fills in Thread.Sent and Rank.Sites. States of equal content
// were joined, so are their bytes.
func (r *slotReader) assembleTraffic() {
	for _, s := range r.sent {
		t := r.threads[s.thread]
		if t == nil {
			r.probs.note(recSent.String(), s.off, ErrLost, "thread %d", s.thread)
			continue
		}
		if state := t.state(r, s.state, recSent.String(), s.off); state >= 0 {
			t.thread.Sent = append(t.thread.Sent,
				Sent{State: state, Traffic: r.traffic(s.live), Distance: r.img.u64(s.live + sentDistance)})
		}
	}
	for _, t := range r.rank.Threads {
		t.Sent = joinSent(t.Sent)
	}
	for _, s := range r.sites {
		r.rank.Sites = append(r.rank.Sites, r.site(s))
	}
}

func joinSent(sent []Sent) []Sent {
	slices.SortFunc(sent, func(a, b Sent) int { return a.State - b.State })
	out := sent[:0]
	for _, s := range sent {
		if n := len(out); n > 0 && out[n-1].State == s.State {
			out[n-1].Calls += s.Calls
			out[n-1].Bytes += s.Bytes
			out[n-1].Distance += s.Distance
		} else {
			out = append(out, s)
		}
	}
	return out
}

func (r *slotReader) site(s siteReader) *Site {
	le32, _ := fields(s.fixed)
	frames, name, _ := stateParts(s.fixed)
	site := &Site{Function: string(name), Partial: le32(stateFlags)&flagPartial != 0, Traffic: r.traffic(s.live)}
	site.Stack, _ = r.frames(frames, recSite.String(), s.off)
	return site
}

// sent writes what the states of a thread sent.
func (w *slotWriter) sent(t *Thread) {
	for _, s := range t.Sent {
		w.fits("state that sends", s.State, 0, len(t.Model.States)-1)
		var fixed, live fill
		w.record(recSent, t.Index, *fixed.i32(s.State).u32(0), *live.u64(s.Calls).u64(s.Bytes).u64(s.Distance))
	}
}

func (w *slotWriter) sites(r *Rank) {
	for i, s := range r.Sites {
		w.fits("length of a function name", len(s.Function), 0, 1<<16-1)
		var fixed, live fill
		fixed.i32(i).u16(uint16(len(s.Stack))).u16(uint16(len(s.Function))).flag(s.Partial).u32(0)
		w.frames(&fixed, s.Stack)
		w.record(recSite, 0, *fixed.text(s.Function), *live.u64(s.Calls).u64(s.Bytes))
	}
}

func (w *slotWriter) arguments(r *Rank) {
	if r.Arguments == nil {
		return
	}
	var text, fixed fill
	for _, a := range r.Arguments {
		text.text(a).text("\x00")
	}
	w.fits("bytes of the arguments", len(text), 0, maxArguments)
	w.record(recArguments, 0, *fixed.i32(len(text)).u32(0).text(string(text)), nil)
}

// tableReader is a CHANNELS, a LOCKS or a TAKEN record: entries of one size, each with a
// sequence number at its start and the communicator's index plus 1 behind it.
type tableReader struct {
	rec     record
	size    int64 // of an entry
	copied  bool
	entries []byte // those in use
}

// The communicator stands at the same place in all.
const entryComm = channelComm

func (r *slotReader) takeTable(rec record, size int64) {
	rec.fixed = nil // it will be overwritten
	r.tables = append(r.tables, tableReader{rec: rec, size: size})
}

// snapshot copies the entries that are in use.
func (c *tableReader) snapshot(r *slotReader) {
	c.copied = true
	var entry []byte
	for at := int64(0); at+c.size <= c.rec.nlive; at += c.size {
		var ok bool
		entry, ok = r.img.block(entry, c.rec.live+at, c.size, 32, &r.wait)
		switch {
		case binary.LittleEndian.Uint32(entry[entryComm:]) == 0:
		case !ok:
			r.probs.add(c.rec.typ.String(), c.rec.off, ErrTorn)
		default:
			c.entries = append(c.entries, entry...)
		}
	}
}

// assembleTables fills in Rank.Channels, Rank.Locks and Rank.Taken.
func (r *slotReader) assembleTables(position map[uint32]int) {
	for _, c := range r.tables {
		for b := c.entries; len(b) > 0; b = b[c.size:] {
			le32, _ := fields(b)
			comm, ok := r.comms.find(le32(entryComm) - 1)
			switch {
			case !ok || comm < 0:
				r.probs.note(c.rec.typ.String(), c.rec.off, ErrLost, "communicator %d", le32(entryComm)-1)
			case c.rec.typ == recChannels:
				r.rank.Channels = append(r.rank.Channels, channelAt(b, comm))
			case c.rec.typ == recLocks:
				r.addLock(c.rec, b, comm)
			default:
				r.addTaken(c.rec, b, comm, position)
			}
		}
	}
}

func channelAt(b []byte, comm int) Channel {
	le32, le64 := fields(b)
	return Channel{
		Comm:     comm,
		Peer:     int(int32(le32(channelPeer))),
		Tag:      int(int32(le32(channelTag))),
		Sent:     le64(channelSent),
		Received: le64(channelReceived),
	}
}

func (r *slotReader) addLock(rec record, b []byte, comm int) {
	le32, _ := fields(b)
	l := Lock{Comm: comm, Target: int(int32(le32(lockTarget))), Type: LockType(le32(lockType))}
	if l.Type < Exclusive || l.Type > Either {
		r.probs.note(rec.typ.String(), rec.off, ErrUnknown, "lock of type %d", l.Type)
		return
	}
	r.rank.Locks = append(r.rank.Locks, l)
}

// addTaken leaves out a message whose receive is of a thread that is not known.
func (r *slotReader) addTaken(rec record, b []byte, comm int, position map[uint32]int) {
	le32, le64 := fields(b)
	thread := uint32(binary.LittleEndian.Uint16(b[takeThread:]))
	t := r.threads[thread]
	if t == nil {
		r.probs.note(rec.typ.String(), rec.off, ErrLost, "thread %d", thread)
		return
	}
	wild := binary.LittleEndian.Uint16(b[takeWild:])
	r.rank.Taken = append(r.rank.Taken, Taken{
		Comm: comm, Peer: int(int32(le32(takePeer))), Tag: int(int32(le32(takeTag))), Number: le64(takeNumber),
		Thread: position[thread], State: t.state(r, le32(takeState), rec.typ.String(), rec.off),
		AnySource: wild&anySource != 0, AnyTag: wild&anyTag != 0,
	})
}
