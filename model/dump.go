package model

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
)

// Dump writes every record of the node file at path as text, slot by slot, in
// the order of the records, then the problems, whose number it returns. The
// error is that of reading the file or of w; a damaged file is no error.
func Dump(w io.Writer, path string) (problems int, err error) {
	name := filepath.Base(path)
	img, err := openImage(path, name)
	if err != nil {
		return 0, fmt.Errorf("model: %w", err)
	}
	defer img.close()
	out := bufio.NewWriter(w)
	fault := img.guard(func() { problems, err = img.dump(out) })
	if err != nil {
		return 0, err
	}
	if fault != nil {
		return 0, fmt.Errorf("model: %s: %w", name, fault)
	}
	return problems, out.Flush()
}

func (m *image) dump(w *bufio.Writer) (int, error) {
	probs := problems{file: m.name, slot: -1}
	l, err := m.readLayout(&probs)
	if err != nil {
		return 0, &FormatError{File: m.name, Rank: -1, Slot: -1, Section: "file header", Offset: 0, Err: err}
	}
	fmt.Fprintf(w, "%q: host %q, run %s, created %s, %d bytes\n",
		m.name, l.header.Host, RunIDText(l.header.RunID), clock(l.header.Created), l.size)
	all := probs.done(-1)
	slots := slotCache{states: new(stateCache)}
	for _, slot := range l.order() {
		r := slots.read(m, l, slot)
		r.internMembers(newInterner(l.size)) // for its complaints
		m.dumpSlot(w, l, slot)
		all = append(all, r.probs.done(r.rank.Rank)...)
	}
	for _, p := range all {
		fmt.Fprintf(w, "problem: %v\n", p.Err)
	}
	return len(all), nil
}

func (m *image) dumpSlot(w *bufio.Writer, l *layout, slot uint32) {
	fmt.Fprintf(w, "slot %d\n", slot)
	var said problems // readSlot meets the same ones
	c := newCursor(m, l, slot, &said)
	shown := -1
	for {
		rec, ok := c.next()
		for shown < c.current {
			shown++
			ch := c.chunks[shown]
			fmt.Fprintf(w, "  chunk %d at %d, %d bytes, %d used\n", ch.seq, ch.off, ch.size, m.u64(ch.off+chunkUsed))
		}
		if !ok {
			return
		}
		name, _, _ := strings.Cut(rec.typ.String(), " ")
		fmt.Fprintf(w, "    %s at %d, thread %d:", name, rec.off, rec.thread)
		m.dumpRecord(w, rec)
		fmt.Fprintln(w)
	}
}

func clock(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339Nano)
}

// field is one field of a record. The dump shows it as it is in the file.
type field struct {
	name string
	at   int
	kind byte // i, u: 32 bits signed, unsigned; U: 64 bits; x: 64 bits in hex; t: time
}

var (
	rankFields = []field{{"pid", rankPID, 'u'}, {"slot", rankSlot, 'u'}, {"start", rankStart, 't'},
		{"family", rankFamily, 'u'}}

	rankLiveFields = []field{{"rank", rankRank, 'i'}, {"size", rankSize, 'i'}, {"status", rankStatus, 'u'},
		{"end", rankEnd, 'u'},
		{"detail", rankDetail, 'i'}, {"thread_level", rankThreadLevel, 'i'}, {"heartbeat", rankHeartbeat, 't'},
		{"end_time", rankEndTime, 't'}, {"quiet_since", rankQuietSince, 't'}, {"longest_quiet_ns", rankLongest, 'U'},
		{"evicted", rankEvicted, 'U'}, {"lost_requests", rankLost, 'U'}, {"off", rankOff, 'u'},
		{"spawned", rankSpawned, 'u'}, {"pid_space", rankPIDSpace, 'U'}}

	threadFields = []field{{"index", threadIndex, 'u'}, {"first_tid", threadFirst, 'u'}}

	opFields = []field{{"seq", 0, 'U'}, {"calls", opCalls, 'U'}, {"progress", opProgress, 'U'}, {"polls", opPolls, 'U'},
		{"in_mpi", opInMPI, 'u'}, {"state", opState, 'i'}, {"kind", opKind, 'u'}, {"npending", opNPending, 'u'},
		{"nlisted", opNListed, 'u'}, {"tid", opTID, 'u'}, {"light", opLight, 'U'}}

	pendingFields = []field{{"kind", pendingKind, 'u'}, {"comm", pendingComm, 'i'}, {"peer", pendingPeer, 'i'},
		{"tag", pendingTag, 'i'}, {"seq", pendingSeq, 'U'}, {"state", pendingState, 'i'}}

	stackFields = []field{{"seq", 0, 'U'}, {"time", stackTime, 't'}, {"calls", stackCalls, 'U'}, {"why", stackWhy, 'u'},
		{"same", stackSame, 'u'}, {"in_mpi", stackInMPI, 'u'}, {"flags", stackFlags, 'u'}, {"signal", stackSignal, 'u'}}

	moduleFields = []field{{"index", moduleIndex, 'u'}, {"base", moduleBase, 'x'}, {"size", moduleSize, 'U'}}

	stateFields = []field{{"index", stateIndex, 'u'}, {"flags", stateFlags, 'u'}, {"binding", stateBinding, 'u'}}

	raisedFields = []field{{"calls", raisedCalls, 'U'}, {"how", raisedHow, 'u'}, {"flags", raisedFlags, 'u'},
		{"order", raisedOrder, 'u'}}

	likeFields = []field{{"slot", likeSlot, 'u'}, {"counts", likeCounts, 'u'}}

	edgeFields = []field{{"from", edgeFrom, 'u'}, {"to", edgeTo, 'u'}}

	commFields = []field{{"index", commIndex, 'u'}, {"flags", commFlags, 'u'}, {"rank", commRank, 'i'},
		{"size", commSize, 'i'}, {"remote_size", commRemoteSize, 'i'}}

	commLiveFields = []field{{"freed", commFreed, 'U'}, {"coll", commColl, 'U'}, {"id", commID, 'x'},
		{"parent", commParent, 'x'},
		{"by_thread", commThread, 'u'}, {"state", commState, 'i'}}

	channelFields = []field{{"comm", channelComm, 'u'}, {"peer", channelPeer, 'i'}, {"tag", channelTag, 'i'},
		{"sent", channelSent, 'U'}, {"received", channelReceived, 'U'}}

	siteFields = []field{{"index", stateIndex, 'u'}, {"flags", stateFlags, 'u'}}

	sentFields = []field{{"state", sentState, 'u'}}

	trafficFields = []field{{"calls", trafficCalls, 'U'}, {"bytes", trafficBytes, 'U'}}

	historyFields = []field{{"comm", historyComm, 'u'}}

	begunFields = []field{{"number", begunNumber, 'u'}, {"order", begunOrder, 'u'}, {"state", begunState, 'i'},
		{"thread", begunThread, 'h'}, {"op", begunOp, 'h'}, {"bytes", begunBytes, 'I'}, {"root", begunRoot, 'i'},
		{"calls", begunCalls, 'x'}, {"sites", begunSites, 'x'}}

	lockFields = []field{{"comm", lockComm, 'u'}, {"target", lockTarget, 'i'}, {"type", lockType, 'u'}}

	takeFields = []field{{"comm", takeComm, 'u'}, {"peer", takePeer, 'i'}, {"tag", takeTag, 'i'},
		{"number", takeNumber, 'U'}, {"state", takeState, 'i'}, {"thread", takeThread, 'h'}, {"wild", takeWild, 'h'}}
)

func show(w *bufio.Writer, b []byte, list []field) {
	le32, le64 := fields(b)
	for _, f := range list {
		if f.at >= len(b) {
			break // an older recorder has not written it
		}
		switch f.kind {
		case 'i':
			fmt.Fprintf(w, " %s %d", f.name, int32(le32(f.at)))
		case 'u':
			fmt.Fprintf(w, " %s %d", f.name, le32(f.at))
		case 'h':
			fmt.Fprintf(w, " %s %d", f.name, binary.LittleEndian.Uint16(b[f.at:]))
		case 'U':
			fmt.Fprintf(w, " %s %d", f.name, le64(f.at))
		case 'I':
			fmt.Fprintf(w, " %s %d", f.name, int64(le64(f.at)))
		case 'x':
			fmt.Fprintf(w, " %s %#x", f.name, le64(f.at))
		case 't':
			fmt.Fprintf(w, " %s %s", f.name, clock(timeOf(le64(f.at))))
		}
	}
}

func (m *image) dumpRecord(w *bufio.Writer, rec record) {
	switch rec.typ {
	case recRank:
		show(w, rec.fixed, rankFields)
		fmt.Fprintf(w, " exe %q", strings.TrimRight(string(rec.fixed[rankExe:][:rankExeMax]), "\x00"))
		show(w, m.words(nil, rec.live, min(rankLive, rec.nlive)), rankLiveFields)
	case recThreadRec:
		show(w, rec.fixed, threadFields)
		m.dumpThread(w, rec)
	case recModule:
		show(w, rec.fixed, moduleFields)
		if id, path, err := moduleTexts(rec.fixed); err == nil {
			fmt.Fprintf(w, " build-id %x path %q", id, path)
		}
	case recState:
		show(w, rec.fixed, stateFields)
		if frames, name, err := stateParts(rec.fixed); err == nil {
			fmt.Fprintf(w, " call %q visits %d stack%s", name, m.u64(rec.live), frameText(frames))
		}
	case recEdge:
		show(w, rec.fixed, edgeFields)
		fmt.Fprintf(w, " count %d", m.u64(rec.live))
	case recComm:
		show(w, rec.fixed, commFields)
		show(w, m.words(nil, rec.live, commLive), commLiveFields)
		if local, remote, behind, err := commRanges(rec.fixed); err == nil {
			fmt.Fprintf(w, " ranges%s remote%s", rangeText(local), rangeText(remote))
			dumpNeighbours(w, rec.fixed, behind)
		}
	case recChannels:
		m.dumpTable(w, rec, channelSize, channelFields)
	case recLocks:
		m.dumpTable(w, rec, lockSize, lockFields)
	case recTaken:
		m.dumpTable(w, rec, takeSize, takeFields)
	case recHistory:
		m.dumpHistory(w, rec)
	case recSite:
		show(w, rec.fixed, siteFields)
		m.dumpTraffic(w, rec)
		if frames, name, err := stateParts(rec.fixed); err == nil {
			fmt.Fprintf(w, " function %q stack%s", name, frameText(frames))
		}
	case recSent:
		show(w, rec.fixed, sentFields)
		m.dumpTraffic(w, rec)
		fmt.Fprintf(w, " distance %d", m.u64(rec.live+sentDistance))
	case recRaised:
		show(w, rec.fixed, raisedFields)
		if frames, name, err := raisedParts(rec.fixed); err == nil {
			fmt.Fprintf(w, " type %q stack%s", name, frameText(frames))
		}
	case recArguments:
		fmt.Fprintf(w, " %q", strings.TrimRight(string(rec.fixed[argumentsFixed:]), "\x00"))
	case recRest:
		show(w, rec.fixed, threadFields)
		dumpRest(w, rec.fixed[threadFixed:])
	case recLike:
		dumpLike(w, rec.fixed)
	case recNote, recLibrary:
		fmt.Fprintf(w, " %q", padded(rec.fixed))
	}
}

func (m *image) dumpTraffic(w *bufio.Writer, rec record) {
	show(w, m.words(nil, rec.live, trafficSize), trafficFields)
}

func (m *image) dumpThread(w *bufio.Writer, rec record) {
	dumpOp(w, m.words(nil, rec.live, opSize))
	dumpStack(w, m.words(nil, rec.live+opSize, stackSize))
}

// dumpRest prints the two blocks of a REST record, as far as they are whole.
func dumpRest(w *bufio.Writer, blocks []byte) {
	if op, stack, err := restBlocks(blocks); err == nil {
		dumpOp(w, op)
		dumpStack(w, stack)
	}
}

func dumpLike(w *bufio.Writer, fixed []byte) {
	show(w, fixed, likeFields)
	fmt.Fprint(w, " differences")
	for b := fixed[likeFixed:]; len(b) > 0; {
		n, size := binary.Varint(b)
		if size <= 0 {
			return
		}
		fmt.Fprintf(w, " %d", n)
		b = b[size:]
	}
}

const indent = "\n      "

func dumpOp(w *bufio.Writer, op []byte) {
	le32, _ := fields(op)
	fmt.Fprint(w, indent, "now:")
	show(w, op, opFields)
	for i := range int(min(le32(opNListed), maxPending)) {
		fmt.Fprint(w, indent, "pending:")
		show(w, op[opPending+pendingSize*i:], pendingFields)
	}
}

func dumpStack(w *bufio.Writer, stack []byte) {
	le32, le64 := fields(stack)
	if le64(stackTime) == 0 {
		return
	}
	frames := stack[stackFrames:][:8*min(le32(stackNFrames), maxFrames)]
	fmt.Fprint(w, indent, "captured:")
	show(w, stack, stackFields)
	fmt.Fprintf(w, " stack%s", frameText(frames))
}

// dumpTable shows the entries of a record that are in use.
func (m *image) dumpTable(w *bufio.Writer, rec record, size int64, list []field) {
	for at := int64(0); at+size <= rec.nlive; at += size {
		entry := m.words(nil, rec.live+at, size)
		if le32, _ := fields(entry); le32(entryComm) != 0 {
			fmt.Fprint(w, "\n     ")
			show(w, entry, list)
		}
	}
}

// dumpHistory shows the collectives of a history, and its checkpoints.
func (m *image) dumpHistory(w *bufio.Writer, rec record) {
	show(w, rec.fixed, historyFields)
	live := m.words(nil, rec.live, rec.nlive)
	for at := historyBegun; at+begunSize <= len(live); at += begunSize {
		if entry := live[at:]; binary.LittleEndian.Uint32(entry[begunNumber:]) != 0 {
			fmt.Fprint(w, "\n     ")
			show(w, entry, begunFields)
		}
	}
	for _, mark := range marks(live) {
		fmt.Fprintf(w, "\n      after %d calls %#x sites %#x", mark.Number, mark.Calls, mark.Sites)
	}
}

// dumpNeighbours shows those of a communicator with a topology.
func dumpNeighbours(w *bufio.Writer, fixed, behind []byte) {
	le32, _ := fields(fixed)
	if le32(commFlags)&flagTopology == 0 {
		return
	}
	if n, err := neighbours(fixed, behind, MaxRank); err == nil {
		fmt.Fprintf(w, " sources %v dests %v", n.Sources, n.Dests)
	}
}

// frameText writes frame words as module:offset, without a module as an address.
func frameText(words []byte) string {
	var b strings.Builder
	_, le64 := fields(words)
	for at := 0; at < len(words); at += 8 {
		word := le64(at)
		if word>>offsetBits == noModule {
			fmt.Fprintf(&b, " %#x", word&MaxOffset)
		} else {
			fmt.Fprintf(&b, " %d:%#x", word>>offsetBits, word&MaxOffset)
		}
	}
	return b.String()
}

// rangeText writes ranges as start+stride*count.
func rangeText(ranges []byte) string {
	var b strings.Builder
	for ; len(ranges) > 0; ranges = ranges[rangeSize:] {
		start, stride, count := rangeAt(ranges)
		fmt.Fprintf(&b, " %d+%d*%d", start, stride, count)
	}
	return b.String()
}
