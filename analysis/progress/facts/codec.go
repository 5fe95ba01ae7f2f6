package facts

import (
	"cmp"
	"errors"
	"fmt"

	"laggard/model"
	"laggard/model/wire"
)

// ErrEncoding wraps what is wrong with an encoded summary or partial.
var ErrEncoding = errors.New("progress: bad encoding")

// EncodeSummary writes a summary; equal summaries give equal bytes.
func EncodeSummary(s Summary) ([]byte, error) { return wire.Encode(s.code) }

// DecodeSummary reads what EncodeSummary wrote. Errors wrap ErrEncoding.
func DecodeSummary(b []byte) (Summary, error) {
	var s Summary
	if err := wire.Decode(b, s.code); err != nil {
		return Summary{}, fmt.Errorf("%w: %w", ErrEncoding, err)
	}
	return s, nil
}

func (s *Summary) code(c *wire.Coder) {
	codeCounts(c, &s.Sizes)
	wire.Uint(c, &s.Outside)
	var before Fact
	wire.SortedList(c, &s.Facts, func(f *Fact, c *wire.Coder) {
		f.code(c)
		if c.IsReading() {
			f.Waits, f.Wildcards = shareWaits(f.Waits, before.Waits), shareWildcards(f.Wildcards, before.Wildcards)
			before = *f
		}
	}, compareFacts)
	wire.SortedList(c, &s.Places, (*Place).code, comparePlaces)
	wire.SortedList(c, &s.Stacks, (*Stack).code, compareStacks)
	wire.SortedList(c, &s.Beside, (*Stack).code, compareStacks)
	wire.SortedList(c, &s.Raised, (*Raised).code, compareRaised)
	wire.SortedList(c, &s.Failed, (*Failed).code, compareFailed)
	wire.SortedList(c, &s.Unfreed, (*Unfreed).code, compareUnfreed)
	wire.SortedList(c, &s.Comms, (*Comm).code, compareComms)
	s.Flow.Code(c)
}

func codeCounts(c *wire.Coder, counts *[]Count) {
	wire.SortedList(c, counts, (*Count).code, compareCounts)
}

func (n *Count) code(c *wire.Coder) {
	wire.Uint(c, &n.N)
	codeSet(c, &n.Ranks)
}

// codeSet bounds what a walk through a set costs.
func codeSet(c *wire.Coder, set *model.RankSet) {
	if c.Set(set); c.IsReading() && set.Max() >= model.MaxRanks {
		c.Fail("rank %d", set.Max())
	}
}

func compareFacts(x, y Fact) int { return cmp.Compare(x.Rank, y.Rank) }

func (f *Fact) code(c *wire.Coder) {
	if f.Incident == nil {
		f.Incident = &Incident{}
	}
	wire.Index(c, &f.Rank, model.MaxRanks)
	f.At.code(c)
	c.Flags(&f.Driving, &f.Quiet, &f.Off, &f.Evicted, &f.Still, &f.Looking,
		&f.Watched, &f.GoneNoted, &f.Erred, &f.ErrorMayFollow, &f.MayPoll, &f.Orphaned, &f.Outward, &f.NoneActive, &f.Within,
		&f.PollsMemory, &f.LeftWorld)
	c.Text(&f.Host)
	c.Text(&f.Working)
	c.Text(&f.Error)
	c.Text(&f.Argument)
	c.Text(&f.FreedBy.Call)
	c.Stack(&f.FreedBy.Stack)
	wire.List(c, &f.Buffers, (*Buffer).code)
	wire.Int(c, &f.ThreadsInMPI)
	wire.Index(c, &f.ThreadLevel, model.ThreadMultiple)
	wire.Int(c, &f.Lasting)
	wire.Uint(c, &f.Phase)
	wire.Uint(c, &f.End)
	wire.Int(c, &f.Detail)
	wire.Int(c, &f.EndTime)
	wire.Int(c, &f.Heartbeat)
	wire.Int(c, &f.Stopped)
	wire.Int(c, &f.Gone)
	wire.Int(c, &f.PID)
	wire.Uint(c, &f.PIDSpace)
	f.Asked.code(c)
	f.Fatal.code(c)
	c.Text(&f.EndedBy)
	wire.Int(c, &f.Handler)
	wire.Uint(c, &f.Ender)
	wire.List(c, &f.Waits, (*Wait).code)
	wire.List(c, &f.Wildcards, (*Wildcard).code)
	f.Holder.code(c)
	c.Text(&f.Held.By.Call)
	c.Stack(&f.Held.By.Stack)
	c.Stack(&f.Held.Waits)
	if c.IsReading() {
		f.Incident = f.Incident.orNone()
	}
}

func (h *Holder) code(c *wire.Coder) {
	wire.Uint(c, &h.For)
	wire.Int(c, &h.TID)
	c.Text(&h.Call)
	c.Stack(&h.Stack)
	c.Text(&h.File)
	c.Text(&h.Command)
}

func (s *Signal) code(c *wire.Coder) {
	wire.Int(c, &s.Number)
	wire.Uint(c, &s.Sender)
	wire.Int(c, &s.PID)
	wire.Int(c, &s.Time)
}

func (p *Position) code(c *wire.Coder) {
	if c.Flags(&p.Begun, &p.InMPI); p.Begun {
		c.State(&p.State)
	} else if p.InMPI {
		c.Fail("in MPI before the first call")
	}
}

func (w *Wait) code(c *wire.Coder) {
	wire.Uint(c, &w.Kind)
	c.Text(&w.Call)
	c.Flags(&w.Side, &w.Holds, &w.Unlisted)
	wire.List(c, &w.Wants, (*Want).code)
}

func (w *Want) code(c *wire.Coder) {
	wire.Uint(c, &w.Kind)
	c.Text(&w.Call)
	wire.Uint(c, &w.Comm)
	took := w.Taken.Number > 0
	c.Flags(&w.Self, &w.Lost, &w.Neighbourhood, &took, &w.OthersKnown)
	wire.Int(c, &w.Peer)
	wire.Int(c, &w.Tag)
	wire.Uint(c, &w.Seq)
	wire.Uint(c, &w.Overtaken)
	wire.SortedList(c, &w.ChannelCounts, (*ChannelCount).code, compareChannelCounts)
	wire.SortedList(c, &w.Others, (*ChannelTotal).code, compareChannelTotals)
	if w.Neighbourhood {
		codeSet(c, &w.Sources)
		codeSet(c, &w.Dests)
	}
	if took {
		w.Taken.code(c)
	}
}

func (t *Taken) code(c *wire.Coder) {
	if wire.Uint(c, &t.Number); t.Number == 0 {
		c.Fail("message 0")
	}
	wire.Int(c, &t.Peer)
	c.Flags(&t.AnySource, &t.AnyTag)
	c.Text(&t.Call)
	c.Stack(&t.Stack)
}

func (h *ChannelCount) code(c *wire.Coder) {
	wire.Int(c, &h.Peer)
	wire.Int(c, &h.Tag)
	wire.Uint(c, &h.Count)
}

func (t *ChannelTotal) code(c *wire.Coder) {
	wire.Uint(c, &t.Comm)
	wire.Int(c, &t.Tag)
	wire.Uint(c, &t.Count)
}

func (p *Place) code(c *wire.Coder) {
	p.At.code(c)
	c.Text(&p.Call)
	c.Stack(&p.Stack)
}

func (s *Stack) code(c *wire.Coder) {
	c.Stack(&s.Frames)
	c.Flags(&s.Fatal, &s.Other)
	codeSet(c, &s.Ranks)
}

func (m *Comm) code(c *wire.Coder) {
	wire.Uint(c, &m.ID)
	c.Flags(&m.World, &m.Window, &m.IO)
	for i := range m.Groups {
		codeSet(c, &m.Groups[i])
	}
	c.Group(&m.Order)
	codeCounts(c, &m.Counts)
	wire.SortedList(c, &m.Locks, (*Hold).code, compareHolds)
}

func (h *Hold) code(c *wire.Coder) {
	wire.Int(c, &h.Target)
	wire.Uint(c, &h.Type)
	codeSet(c, &h.Ranks)
}
