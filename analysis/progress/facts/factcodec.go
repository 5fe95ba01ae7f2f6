package facts

import (
	"encoding/binary"
	"fmt"

	"laggard/model"
)

// Facts are most of a summary, one per rank, so they are packed: numbers as
// varints, each text once.

// packer writes.
type packer struct {
	b     []byte
	texts map[string]uint64
}

func (p *packer) number(n int64)    { p.b = binary.AppendVarint(p.b, n) }
func (p *packer) unsigned(n uint64) { p.b = binary.AppendUvarint(p.b, n) }

// flags writes truth values as the bits of one byte.
func (p *packer) flags(set ...bool) {
	var b byte
	for i, is := range set {
		if is {
			b |= 1 << i
		}
	}
	p.b = append(p.b, b)
}

// text writes the number of a text; 0, and the text itself, if it is new.
func (p *packer) text(s string) {
	if n, known := p.texts[s]; known {
		p.unsigned(n)
		return
	}
	p.texts[s] = uint64(len(p.texts)) + 1
	p.unsigned(0)
	p.unsigned(uint64(len(s)))
	p.b = append(p.b, s...)
}

// packFacts writes facts; equal facts give equal bytes.
func packFacts(facts []Fact) []byte {
	p := packer{texts: map[string]uint64{}}
	p.unsigned(uint64(len(facts)))
	for i := range facts {
		p.fact(&facts[i])
	}
	return p.b
}

func (p *packer) fact(f *Fact) {
	p.number(int64(f.Rank))
	p.flags(f.At.Begun, f.At.InMPI, f.Driving, f.Quiet, f.Off, f.Evicted, f.Still, f.Looking)
	if f.At.Begun {
		p.text(string(f.At.State[:]))
	}
	p.text(f.Host)
	p.unsigned(uint64(f.Phase))
	p.unsigned(uint64(f.End))
	p.number(int64(f.Detail))
	p.number(f.EndTime)
	p.number(f.Heartbeat)
	p.unsigned(uint64(len(f.Waits)))
	for i := range f.Waits {
		p.wait(&f.Waits[i])
	}
}

func (p *packer) wait(w *Wait) {
	p.unsigned(uint64(w.Kind))
	p.text(w.Call)
	p.flags(w.Side, w.Unlisted)
	p.unsigned(uint64(len(w.Wants)))
	for i := range w.Wants {
		p.want(&w.Wants[i])
	}
}

func (p *packer) want(w *Want) {
	p.unsigned(uint64(w.Kind))
	p.text(w.Call)
	p.unsigned(w.Comm)
	p.flags(w.Self, w.Lost, w.Near)
	p.number(int64(w.Peer))
	p.number(int64(w.Tag))
	p.unsigned(w.Seq)
	p.unsigned(uint64(len(w.Had)))
	for _, h := range w.Had {
		p.number(int64(h.Peer))
		p.number(int64(h.Tag))
		p.unsigned(h.Count)
	}
	if w.Near {
		p.text(w.Sources.String())
		p.text(w.Dests.String())
	}
}

// unpacker reads; after an error it reads zeros.
type unpacker struct {
	b     []byte
	texts []string
	err   error
}

func (u *unpacker) fail(what string) {
	if u.err == nil {
		u.err = fmt.Errorf("%w: %s in the facts", ErrEncoding, what)
	}
	u.b = nil
}

func (u *unpacker) number() int64 {
	v, n := binary.Varint(u.b)
	if n <= 0 {
		u.fail("a number cut off")
		return 0
	}
	u.b = u.b[n:]
	return v
}

func (u *unpacker) unsigned() uint64 {
	v, n := binary.Uvarint(u.b)
	if n <= 0 {
		u.fail("a number cut off")
		return 0
	}
	u.b = u.b[n:]
	return v
}

// word reads a number that fits 32 bits.
func (u *unpacker) word() uint32 {
	v := u.unsigned()
	if v != uint64(uint32(v)) {
		u.fail("a number out of range")
	}
	return uint32(v)
}

// length reads how many things follow; each takes a byte at least.
func (u *unpacker) length() int {
	n := u.unsigned()
	if n > uint64(len(u.b)) {
		u.fail("a length out of range")
		return 0
	}
	return int(n)
}

func (u *unpacker) flags(into ...*bool) {
	if len(u.b) == 0 {
		u.fail("flags cut off")
		return
	}
	for i, is := range into {
		*is = u.b[0]>>i&1 != 0
	}
	if u.b[0]>>len(into) != 0 {
		u.fail("an unknown flag")
		return
	}
	u.b = u.b[1:]
}

func (u *unpacker) text() string {
	n := u.unsigned()
	switch {
	case n > uint64(len(u.texts)):
		u.fail("an unknown text")
		return ""
	case n > 0:
		return u.texts[n-1]
	}
	size := u.length()
	if u.err != nil {
		return ""
	}
	s := string(u.b[:size])
	u.b, u.texts = u.b[size:], append(u.texts, s)
	return s
}

// unpackFacts reads what packFacts wrote. Errors wrap ErrEncoding.
func unpackFacts(b []byte) ([]Fact, error) {
	if len(b) == 0 {
		return nil, nil
	}
	u := unpacker{b: b}
	var facts []Fact
	for range u.length() {
		facts = append(facts, u.fact())
		if u.err != nil {
			return nil, u.err
		}
	}
	if len(u.b) > 0 {
		u.fail("more bytes than needed")
	}
	return facts, u.err
}

func (u *unpacker) fact() Fact {
	f := Fact{Rank: int(u.number())}
	u.flags(&f.At.Begun, &f.At.InMPI, &f.Driving, &f.Quiet, &f.Off, &f.Evicted, &f.Still, &f.Looking)
	if f.At.Begun {
		if state := u.text(); len(state) == len(f.At.State) {
			copy(f.At.State[:], state)
		} else {
			u.fail("a state")
		}
	}
	f.Host = u.text()
	f.Phase, f.End = model.Phase(u.word()), model.End(u.word())
	f.Detail, f.EndTime, f.Heartbeat = int(u.number()), u.number(), u.number()
	for range u.length() {
		f.Waits = append(f.Waits, u.wait())
	}
	return f
}

func (u *unpacker) wait() Wait {
	w := Wait{Kind: model.Kind(u.word()), Call: u.text()}
	u.flags(&w.Side, &w.Unlisted)
	for range u.length() {
		w.Wants = append(w.Wants, u.want())
	}
	return w
}

func (u *unpacker) want() Want {
	w := Want{Kind: model.Kind(u.word()), Call: u.text(), Comm: u.unsigned()}
	u.flags(&w.Self, &w.Lost, &w.Near)
	w.Peer, w.Tag, w.Seq = int(u.number()), int(u.number()), u.unsigned()
	for range u.length() {
		w.Had = append(w.Had, Had{int(u.number()), int(u.number()), u.unsigned()})
	}
	if w.Near {
		w.Sources, w.Dests = u.set(), u.set()
	}
	return w
}

func (u *unpacker) set() model.RankSet {
	set, err := model.ParseRankSet(u.text())
	if err != nil || checkSet(set) != nil {
		u.fail("a set of ranks")
	}
	return set
}
