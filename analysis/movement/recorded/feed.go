package recorded

import (
	"fmt"

	"laggard/analysis/movement/chain"
	"laggard/model"
)

// eventKinds are the kinds of events that moves become.
var eventKinds = map[Kind]chain.EventKind{
	Alloc: chain.Alloc, Free: chain.Free, Resize: chain.Resize, Copy: chain.Copy,
	Out: chain.Send, In: chain.Recv, Send: chain.Send, Recv: chain.Recv,
}

// Level says whose movements are looked at.
type Level string

// The levels.
const (
	// Application leaves out what the MPI library copies and transfers, and
	// follows its messages instead; and what an interpreter copies for itself.
	Application Level = "application"
	// Library has all of it, and follows messages only where no connection shows
	// them.
	Library Level = "library"
)

// ParseLevel reads "application" or "library"; another name is an error.
func ParseLevel(name string) (Level, error) {
	if l := Level(name); l == Application || l == Library {
		return l, nil
	}
	return "", fmt.Errorf("level must be application or library, not %q", name)
}

// Feed gives the events of the rank to a parser. Its sites get their names from
// the Namer. Moves that cannot be are left out.
func (r *Reader) Feed(p *chain.Parser, w Ways, level Level, names *Namer) []error {
	f := &feeder{reader: r, parser: p, ways: w, level: level, names: names, links: links{host: r.rank.Host},
		states: map[[2]int]int32{}, arenas: r.matchSites(isArena)}
	if level == Application {
		f.skipped = r.matchSites(func(s *model.Site) bool { return InsideMPI(s) || isInterpreterWork(s) })
		f.python = r.matchSites(isUnderPython)
	}
	errs := r.Moves(f.addMove)
	return append(errs, f.errs...)
}

// matchSites tells for each site of the rank whether it is of a kind.
func (r *Reader) matchSites(is func(*model.Site) bool) []bool {
	out := make([]bool, len(r.rank.Sites))
	for i, s := range r.rank.Sites {
		out[i] = s != nil && is(s)
	}
	return out
}

// hasKind reports whether the site with an index is of the kind.
func hasKind(kind []bool, site int) bool { return site >= 0 && site < len(kind) && kind[site] }

type feeder struct {
	reader  *Reader
	parser  *chain.Parser
	ways    Ways
	level   Level
	skipped []bool // by index into Rank.Sites: what is done there is left out
	arenas  []bool // likewise: what is allocated there is an interpreter's
	python  []bool // likewise: it is under a line of Python
	names   *Namer
	links   links
	sites   []int32 // by index into Rank.Sites, plus one; 0: not asked yet
	states  map[[2]int]int32
	errs    []error
}

func (f *feeder) addMove(m *Move) {
	if m.Kind == End {
		f.links.addEnd(m)
		return
	}
	e := chain.Event{
		Kind: eventKinds[m.Kind], Thread: uint32(m.Stream), Time: m.Time * 1000,
		Src: m.From, Dst: m.To, Len: m.Bytes,
	}
	followed := true
	switch m.Kind {
	case Alloc:
		e.Site, followed = f.siteNumber(m.Site), !hasKind(f.arenas, m.Site)
	case Copy:
		e.Site, followed = f.siteNumber(m.Site), !hasKind(f.skipped, m.Site) && !f.isStrayCopy(m)
	case Out, In:
		followed = !hasKind(f.skipped, m.Site) && f.fillTransfer(m, &e)
	case Send, Recv:
		followed = f.fillMessage(m, &e)
	}
	if !followed {
		return
	}
	if err := f.parser.Add(&e); err != nil && len(f.errs) < maxErrors {
		f.errs = append(f.errs, err)
	}
}

// isStrayCopy tells of a copy under a line of Python whether no data of the program can be in it:
// these are in buffers, and neither on the stack nor in an interpreter's small objects.
func (f *feeder) isStrayCopy(m *Move) bool {
	return hasKind(f.python, m.Site) && !f.parser.Allocated(m.From) && !f.parser.Allocated(m.To)
}

// maxErrors bounds what is told of one rank.
const maxErrors = 8

// fillTransfer is for a connection between ranks that are known; others lead to
// launchers and servers.
func (f *feeder) fillTransfer(m *Move, e *chain.Event) bool {
	end, known := f.links.endOf(m.Link)
	if !known || !f.ways.joined[end.connection] {
		return false
	}
	e.Site, e.Offset = f.siteNumber(m.Site), m.Offset
	e.Channel = f.parser.Channel(end.channel(m.Kind == Out))
	return true
}

func (f *feeder) fillMessage(m *Move, e *chain.Event) bool {
	own := f.reader.rank.Rank
	peer, known := f.reader.peerRank(m)
	pair := [2]int{own, peer}
	if m.Kind == Recv {
		pair = [2]int{peer, own}
	}
	if !known || f.level == Library && !f.ways.messages[pair] {
		return false
	}
	e.Site, e.Seq = f.stateSite(m.Thread, m.State), m.Seq
	e.Channel = f.parser.Channel(chain.Channel{ID: commOf(f.reader.rank, m.Comm), From: int32(pair[0]),
		To: int32(pair[1]), Tag: int32(m.Tag)})
	return true
}

func (f *feeder) siteNumber(i int) int32 {
	all := f.reader.rank.Sites
	if i < 0 || i >= len(all) || all[i] == nil {
		return 0
	}
	if f.sites == nil {
		f.sites = make([]int32, len(all))
	}
	if f.sites[i] == 0 {
		f.sites[i] = f.parser.Site(f.names.Name(all[i].Function, all[i].Stack)) + 1
	}
	return f.sites[i] - 1
}

func (f *feeder) stateSite(thread, state int) int32 {
	key := [2]int{thread, state}
	n, known := f.states[key]
	if known {
		return n
	}
	for _, t := range f.reader.rank.Threads {
		if t.Index == thread && state < len(t.Model.States) && t.Model.States[state] != nil {
			n = f.parser.Site(f.names.Name(t.Model.States[state].Call, t.Model.States[state].Stack))
		}
	}
	f.states[key] = n
	return n
}
