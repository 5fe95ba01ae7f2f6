package chaintest

import (
	"strconv"
	"strings"
	"testing"

	"laggard/analysis/movement/chain"
	"laggard/internal/musttest"
)

// A script says what the ranks of a job do with their data, one statement a
// line:
//
//	size N                          ranks in the job
//	on SET … end                    what these ranks do
//	repeat N … end                  several times
//	every K R … else … end          in iteration R of every K of the innermost repeat
//	alloc NAME LEN SITE             a buffer; again: at another address
//	carve NAME FROM LEN SITE        a piece of another buffer, of an allocator on top
//	static NAME LEN                 memory that was never allocated
//	free NAME, resize NAME LEN
//	copy SITE FROM TO LEN           FROM and TO are NAME or NAME+OFFSET
//	send SITE FROM LEN PEER         on the byte stream to PEER
//	recv SITE TO LEN PEER
//	msend SITE FROM LEN PEER TAG    a message
//	mrecv SITE TO LEN PEER TAG
//	thread N                        who does what follows
//	wait N                          time goes by
//
// PEER is a rank, or me+N or me-N modulo the size. Every event takes 1 ns.
type statement struct {
	words     []string
	body, alt []statement
}

func parseScript(t testing.TB, text string) []statement {
	var lines []string
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	list, rest, _ := parseBlock(lines)
	if len(rest) > 0 {
		t.Fatalf("an end too many before %q", rest)
	}
	return list
}

// parseBlock reads up to end or else, and returns which one it was.
func parseBlock(lines []string) (list []statement, rest []string, last string) {
	for len(lines) > 0 {
		s := statement{words: strings.Fields(lines[0])}
		lines = lines[1:]
		switch s.words[0] {
		case "end", "else":
			return list, lines, s.words[0]
		case "on", "repeat", "every":
			var last string
			if s.body, lines, last = parseBlock(lines); last == "else" {
				s.alt, lines, _ = parseBlock(lines)
			}
		}
		list = append(list, s)
	}
	return list, nil, ""
}

// actor plays a script for one rank.
type actor struct {
	t                         testing.TB
	rank, size                int
	parser                    *chain.Parser
	addresses                 map[string]uint64
	free                      uint64
	thread                    uint32
	clock                     int64
	sent, received            map[int]uint64
	sendCounts, receiveCounts map[[2]int]uint64
	iteration                 int
	events                    []chain.Event // what was played
}

func newActor(t testing.TB, rank, size int) *actor {
	return &actor{t: t, rank: rank, size: size, parser: chain.NewParser(rank), addresses: map[string]uint64{}, free: 0x10000,
		sent: map[int]uint64{}, received: map[int]uint64{}, sendCounts: map[[2]int]uint64{}, receiveCounts: map[[2]int]uint64{}}
}

func (a *actor) playStatements(list []statement) {
	for _, s := range list {
		switch w := s.words; w[0] {
		case "size":
		case "on":
			if parseRanks(a.t, w[1])[a.rank] {
				a.playStatements(s.body)
			}
		case "repeat":
			outer := a.iteration
			for a.iteration = 0; a.iteration < a.parseInt(w[1]); a.iteration++ {
				a.playStatements(s.body)
			}
			a.iteration = outer
		case "every":
			if a.iteration%a.parseInt(w[1]) == a.parseInt(w[2]) {
				a.playStatements(s.body)
			} else {
				a.playStatements(s.alt)
			}
		default:
			a.playStatement(w)
		}
	}
}

func parseRanks(t testing.TB, set string) map[int]bool {
	out := map[int]bool{}
	for piece := range strings.SplitSeq(set, ",") {
		first, last, ranged := strings.Cut(piece, "-")
		if !ranged {
			last = first
		}
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil {
			t.Fatalf("no ranks: %q", set)
		}
		for r := from; r <= to; r++ {
			out[r] = true
		}
	}
	return out
}

func (a *actor) parseInt(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		a.t.Fatalf("no number: %q", text)
	}
	return n
}

func (a *actor) parseAddress(text string) uint64 {
	name, offset, _ := strings.Cut(text, "+")
	base, ok := a.addresses[name]
	if !ok {
		a.t.Fatalf("no buffer %q", name)
	}
	if offset != "" {
		base += uint64(a.parseInt(offset))
	}
	return base
}

func (a *actor) parsePeer(text string) int {
	if rest, relative := strings.CutPrefix(text, "me"); relative {
		return ((a.rank+a.parseInt(rest))%a.size + a.size) % a.size
	}
	return a.parseInt(text)
}

// placeBuffer finds a place for a buffer, with a gap to the one before.
func (a *actor) placeBuffer(name string, n uint64) uint64 {
	a.addresses[name] = a.free
	a.free += n + 16
	return a.addresses[name]
}

func (a *actor) playStatement(w []string) {
	e := chain.Event{}
	switch w[0] {
	case "thread":
		a.thread = uint32(a.parseInt(w[1]))
		return
	case "wait":
		a.clock += int64(a.parseInt(w[1]))
		return
	case "static":
		a.placeBuffer(w[1], uint64(a.parseInt(w[2])))
		return
	case "alloc":
		e = chain.Event{Kind: chain.Alloc, Len: uint64(a.parseInt(w[2])), Site: a.parser.Site(w[3])}
		e.Dst = a.placeBuffer(w[1], e.Len)
	case "carve":
		e = chain.Event{Kind: chain.Alloc, Dst: a.parseAddress(w[2]), Len: uint64(a.parseInt(w[3])), Site: a.parser.Site(w[4])}
		a.addresses[w[1]] = e.Dst
	case "free":
		e = chain.Event{Kind: chain.Free, Dst: a.parseAddress(w[1])}
	case "resize":
		e = chain.Event{Kind: chain.Resize, Dst: a.parseAddress(w[1]), Len: uint64(a.parseInt(w[2]))}
	case "copy":
		e = chain.Event{Kind: chain.Copy, Site: a.parser.Site(w[1]), Src: a.parseAddress(w[2]), Dst: a.parseAddress(w[3]),
			Len: uint64(a.parseInt(w[4]))}
	case "send", "recv", "msend", "mrecv":
		e = a.transferEvent(w)
	default:
		a.t.Fatalf("unknown statement %q", w)
	}
	a.clock++
	e.Time, e.Thread = a.clock, a.thread
	a.events = append(a.events, e)
}

func (a *actor) transferEvent(w []string) chain.Event {
	e := chain.Event{Kind: chain.Recv, Site: a.parser.Site(w[1]), Dst: a.parseAddress(w[2]), Len: uint64(a.parseInt(w[3]))}
	peer := a.parsePeer(w[4])
	if strings.HasSuffix(w[0], "send") {
		e.Kind, e.Src, e.Dst = chain.Send, e.Dst, 0
	}
	c := chain.Channel{Stream: w[0][0] != 'm', ID: 1, From: int32(peer), To: int32(a.rank)}
	offsets, numbers := a.received, a.receiveCounts
	if e.Kind == chain.Send {
		c.From, c.To = c.To, c.From
		offsets, numbers = a.sent, a.sendCounts
	}
	if c.Stream {
		e.Offset = offsets[peer]
		offsets[peer] += e.Len
	} else {
		c.Tag = int32(a.parseInt(w[5]))
		numbers[[2]int{peer, int(c.Tag)}]++
		e.Seq = numbers[[2]int{peer, int(c.Tag)}]
	}
	e.Channel = a.parser.Channel(c)
	return e
}

// PlayScript plays a script and returns the table of every rank.
func PlayScript(t testing.TB, text string) []chain.Table {
	list := parseScript(t, text)
	if len(list) == 0 || list[0].words[0] != "size" {
		t.Fatal("the script does not begin with the size")
	}
	size, err := strconv.Atoi(list[0].words[1])
	if err != nil {
		t.Fatal(err)
	}
	out := make([]chain.Table, size)
	for r := range out {
		a := newActor(t, r, size)
		a.playStatements(list)
		for i := range a.events {
			musttest.Succeed(t, a.parser.Add(&a.events[i]))
		}
		if out[r], err = a.parser.Finish(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}
