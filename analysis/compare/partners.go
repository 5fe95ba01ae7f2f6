package compare

import (
	"fmt"
	"slices"
	"strings"

	"laggard/model/mpi"
)

// partners finds differences in messages and collectives of a unit whose ranks are those of the good runs.
type partners struct {
	*comparison
	*unit
	explained map[int]bool // places that are new, missing or skipped, with their messages
}

// manyTags is from how many tags to one peer on they are taken for numbers of messages.
const manyTags = 4

// usedTags lists the tags of like channels of the good ranks: the same communicator, peer and direction.
func (p partners) usedTags(c channel) []int {
	return p.usedValues(c, func(d channel) bool { return d.Distance == c.Distance }, func(d channel) int { return d.Tag })
}

// usedPeers lists the distances of the peers to which the good ranks send, or from which they receive, with that tag.
func (p partners) usedPeers(c channel) []int {
	return p.usedValues(c, func(d channel) bool { return d.Tag == c.Tag }, func(d channel) int { return d.Distance })
}

// usedValues lists a value of the channels of the good ranks that have the communicator and direction of one and are like it.
func (p partners) usedValues(c channel, like func(channel) bool, value func(channel) int) (values []int) {
	for _, g := range p.own {
		for _, d := range g.splitDirections() {
			if d.Comm == c.Comm && sends(d) == sends(c) && like(d) && !slices.Contains(values, value(d)) {
				values = append(values, value(d))
			}
		}
	}
	slices.Sort(values)
	return values
}

func sends(c channel) bool { return c.Sent > 0 }

// findMessages lists messages that the same ranks of the good runs never exchanged, and sends that they made and these did
// not. A send to another rank or with another tag is not missing, too.
func (p partners) findMessages() (out []Finding) {
	if p.own == nil || p.bad.Lossy || slices.ContainsFunc(p.own, func(g *behaviour) bool { return g.Lossy }) {
		return nil
	}
	for _, c := range p.bad.splitDirections() {
		if f, ok := p.newMessage(c); ok {
			out = append(out, f)
		}
	}
	for _, c := range p.own[0].splitDirections() {
		f, ok := p.missingSend(c)
		if ok && !slices.ContainsFunc(out, func(g Finding) bool { return g.id == f.id }) {
			out = append(out, f)
		}
	}
	return out
}

// splitDirections lists the channels with what is sent apart from what is received.
func (b *behaviour) splitDirections() (out []channel) {
	for _, c := range b.Channels {
		one, other := c, c
		one.Received, one.Receiver = 0, -1
		other.Sent, other.Sender = 0, -1
		if c.Sent > 0 {
			out = append(out, one)
		}
		if c.Received > 0 {
			out = append(out, other)
		}
	}
	return out
}

// goodForgot reports whether a good rank has nothing of a communicator left that it made; see [behaviour.forgot].
func (p partners) goodForgot(c commRef) bool {
	return slices.ContainsFunc(p.own, func(g *behaviour) bool { return g.forgot(c) })
}

func (p partners) newMessage(c channel) (f Finding, ok bool) {
	tags, peers := p.usedTags(c), p.usedPeers(c)
	at := max(c.Sender, c.Receiver)
	switch {
	case slices.Contains(tags, c.Tag), len(tags) >= manyTags, p.explained[at], at >= 0 && p.timing.affects(p.unit, at),
		at < 0 && p.timing.isDynamic(), p.goodForgot(c.Comm):
		return f, false
	}
	f = p.messageFinding(NewMessage, c, at)
	f.Bad = float64(max(c.Sent, c.Received))
	switch {
	case len(tags) > 0:
		f.GoodIs = fmt.Sprintf("tag %s", joinNumbers(tags))
	case len(peers) > 0:
		f.GoodIs = p.peerText(c, peers...)
	}
	return f, true
}

// messageFinding is about a message; at is the call, -1 unknown.
func (p partners) messageFinding(kind Kind, c channel, at int) Finding {
	f := Finding{Kind: kind, Ranks: p.ranks.Clone(), id: -1, position: len(p.bad.Visits)}
	direction := "from"
	if sends(c) {
		direction = "to"
	}
	f.BadIs = fmt.Sprintf("%s %s, tag %d", direction, p.peerText(c, c.Distance), c.Tag)
	if at >= 0 {
		p.setPlaces(&f, []int{at})
		if position, known := p.bad.position[at]; known {
			f.position = position
		}
	} else if p.bad.Stands >= 0 {
		f.position = p.bad.position[p.bad.Stands]
	}
	return f
}

// peerText names peers: by their number where one rank is concerned, else by their distance.
func (p partners) peerText(c channel, distances ...int) string {
	var out []string
	world := c.Comm.Kind == worldKind && p.ranks.Len() == 1
	for _, d := range distances {
		switch {
		case world:
			out = append(out, fmt.Sprintf("rank %d", (p.ranks.Min()+d)%c.Group))
		case d > c.Group/2:
			out = append(out, fmt.Sprintf("own rank - %d", c.Group-d))
		default:
			out = append(out, fmt.Sprintf("own rank + %d", d))
		}
	}
	return strings.Join(out, ", ")
}

func joinNumbers(list []int) string {
	text := make([]string, len(list))
	for i, n := range list {
		text[i] = fmt.Sprint(n)
	}
	return strings.Join(text, ", ")
}

func (p partners) missingSend(c channel) (f Finding, ok bool) {
	at := c.Sender
	if !sends(c) || at < 0 || p.explained[at] || len(p.usedTags(c)) >= manyTags || p.timing.affects(p.unit, at) ||
		!p.isOver(at) || p.bad.visits[at] == 0 || p.bad.forgot(c.Comm) {
		return f, false
	}
	usual, steady := p.own[0].sentOn(c), true
	for _, g := range p.own {
		n := g.sentOn(c)
		if n == 0 {
			return f, false
		}
		steady = steady && n == usual
	}
	sent := p.bad.sentOn(c)
	if sent > 0 && (sent >= usual || !steady || !p.sendsAsOften(at) || p.sendsMoreElsewhere(c)) {
		return f, false
	}
	f = p.messageFinding(MissingSend, c, at)
	f.Bad, f.Good = float64(sent), float64(c.Sent)
	return f, true
}

// sentOn counts what a rank sent to the same peer with the same tag.
func (b *behaviour) sentOn(c channel) (n uint64) {
	for _, d := range b.Channels {
		if d.Comm == c.Comm && d.Distance == c.Distance && d.Tag == c.Tag {
			n += d.Sent
		}
	}
	return n
}

// sendsAsOften reports whether a rank made a call that sends, and each other one that it came to, as often as the good ones: then it
// follows from no other difference that fewer messages are on a channel.
func (p partners) sendsAsOften(at int) bool {
	if !p.places.isSend(at) {
		return false
	}
	for place, n := range p.bad.visits {
		if p.places.isSend(place) && slices.ContainsFunc(p.own, func(g *behaviour) bool { return g.visits[place] != n }) {
			return false
		}
	}
	return true
}

// isSend reports whether calls at a place send messages, or start requests that do.
func (p *places) isSend(place int) bool {
	f := mpi.FindFunction(p.list[place].call)
	return f.InClass(mpi.ClassStart, mpi.ClassStartall) || f != nil && f.Class.SendsMessage() && !f.Class.IsPersistent()
}

// sendsMoreElsewhere reports whether a rank sent more to another peer, or with another tag, than the good ones: who gets a message may be
// left to chance.
func (p partners) sendsMoreElsewhere(c channel) bool {
	return slices.ContainsFunc(p.bad.Channels, func(d channel) bool {
		more := func(g *behaviour) bool { return d.Sent > g.sentOn(d) }
		return d.Comm == c.Comm && slices.ContainsFunc(p.own, more)
	})
}

// findCollectives lists collectives whose communicator, root, operation or size no good run had at that place.
func (p partners) findCollectives() (out []Finding) {
	if p.own == nil {
		return nil
	}
	for _, b := range p.bad.Begun {
		if p.explained[b.State] || p.timing.affects(p.unit, b.State) {
			continue
		}
		for _, property := range collectiveProperties {
			if property.kind == OtherComm && p.goodForgot(b.Comm) {
				continue
			}
			if f, ok := p.compareProperty(b, property); ok {
				out = append(out, f)
				break
			}
		}
	}
	return out
}

// property is something that is recorded of a collective.
type property struct {
	kind  Kind
	value func(*comparison, begun) string
}

// collectiveProperties are in the order in which one explains the others.
var collectiveProperties = []property{
	{OtherComm, func(c *comparison, b begun) string { return c.commText(b.Comm) }},
	{OtherOp, func(_ *comparison, b begun) string { return b.Op }},
	{OtherRoot, func(_ *comparison, b begun) string { return fmt.Sprintf("root %d", b.Root) }},
	{OtherSize, func(_ *comparison, b begun) string { return fmt.Sprintf("%d bytes", b.Bytes) }},
}

// enoughCollectives is how many of the latest collectives at a place must be the same where earlier ones are not known. The
// latest are comparable if both runs have come to their end, or if one rank differs from the others of its run.
const enoughCollectives = 4

func (p partners) compareProperty(b begun, is property) (f Finding, ok bool) {
	bad := is.value(p.comparison, b)
	var values []string
	count, all := 0, true
	for _, g := range p.own {
		for _, d := range g.Begun {
			if d.State != b.State {
				continue
			}
			count, all = count+d.Count, all && d.All
			if v := is.value(p.comparison, d); !slices.Contains(values, v) {
				values = append(values, v)
			}
		}
	}
	known := all && (b.All || !p.bad.Cut) ||
		len(values) == 1 && count >= enoughCollectives && (!p.bad.Cut || p.isAlone(b.State, bad, is))
	if len(values) == 0 || slices.Contains(values, bad) || !known {
		return f, false
	}
	f = Finding{Kind: is.kind, Ranks: p.ranks.Clone(), position: p.bad.position[b.State], Bad: float64(b.Count),
		Good: float64(count), BadIs: bad, GoodIs: strings.Join(values, ", ")}
	p.setPlaces(&f, []int{b.State})
	return f, true
}

// isAlone reports whether other ranks of the bad run made collectives at a place, and none with that value.
func (p partners) isAlone(place int, value string, is property) bool {
	others := false
	for _, u := range p.units {
		if u.bad == p.bad {
			continue
		}
		for _, b := range u.bad.Begun {
			if b.State != place {
				continue
			}
			if is.value(p.comparison, b) == value {
				return false
			}
			others = true
		}
	}
	return others
}

// otherMean is by what share the mean size of messages must differ.
const otherMean = 0.01

// findSizes lists calls that send messages of another size, where volume was recorded.
func (p partners) findSizes() (out []Finding) {
	if p.own == nil {
		return nil
	}
	for _, s := range p.bad.Sent {
		if p.explained[s.State] || p.timing.affects(p.unit, s.State) || !p.isOver(s.State) && s.Bytes%max(1, s.Calls) != 0 {
			continue
		}
		least, most, n := 0.0, 0.0, 0
		for _, g := range p.like {
			for _, t := range g.Sent {
				if t.State == s.State && t.Calls > 0 {
					mean := float64(t.Bytes) / float64(t.Calls)
					if n++; n == 1 {
						least, most = mean, mean
					}
					least, most = min(least, mean), max(most, mean)
				}
			}
		}
		mean := float64(s.Bytes) / float64(max(1, s.Calls))
		if n == 0 || mean >= least*(1-otherMean) && mean <= most*(1+otherMean) {
			continue
		}
		f := Finding{Kind: OtherSize, Ranks: p.ranks.Clone(), position: p.bad.position[s.State], Bad: mean, Good: least,
			BadIs: fmt.Sprintf("%.0f bytes", mean), GoodIs: fmt.Sprintf("%.0f bytes", least)}
		p.setPlaces(&f, []int{s.State})
		out = append(out, f)
	}
	return out
}
