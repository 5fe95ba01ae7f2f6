package nodefile

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/format/schema"
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
	fault := img.guardReads(func() { problems, err = img.dumpFile(out) })
	if err != nil {
		return 0, err
	}
	if fault != nil {
		return 0, fmt.Errorf("model: %s: %w", name, fault)
	}
	return problems, out.Flush()
}

func (m *image) dumpFile(w *bufio.Writer) (int, error) {
	probs := problems{file: m.name, slot: -1}
	l, err := m.readLayout(&probs)
	if err != nil {
		return 0, &model.FormatError{File: m.name, Rank: -1, Slot: -1, Section: "file header", Offset: 0, Err: err}
	}
	fmt.Fprintf(w, "%q: host %q, run %s, created %s, %d bytes\n",
		m.name, l.header.Host, model.RunIDText(l.header.RunID), formatTime(l.header.Created), l.size)
	all := probs.asProblems(-1)
	var slots []SlotInfo
	for _, slot := range l.slotOrder() {
		slots = append(slots, SlotInfo{File: m.name, Slot: int(slot)})
	}
	files := map[string]*File{m.name: {img: m, layout: l}}
	NewDecoder(l.size).DecodeSlots(files, slots, func(i int, r *model.Rank, wrong *SlotProblems) {
		m.dumpSlot(w, l, uint32(slots[i].Slot))
		all = append(all, wrong.OfRank(r.Rank)...)
	})
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
			fmt.Fprintf(w, "  chunk %d at %d, %d bytes, %d used\n", ch.seq, ch.off, ch.size, m.u64(ch.off+format.ChunkUsed))
		}
		if !ok {
			return
		}
		fmt.Fprintf(w, "    %s at %d, thread %d:", rec.typ.Name(), rec.off, rec.thread)
		m.dumpRecord(w, rec)
		fmt.Fprintln(w)
	}
}

func formatTime(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.Format(time.RFC3339Nano)
}

// formatTable says which fields there are. It is read when the first file is shown.
var formatTable = sync.OnceValue(func() *schema.Table {
	t, err := schema.Parse(format.Table)
	if err != nil {
		panic(err) // a mistake in the table
	}
	return t
})

// fixedFields and liveFields are what is shown of the parts of a record, fieldsOf of a structure.
func fixedFields(r format.Record) []schema.Shown { return formatTable().Records[r].Fixed.Shown }
func liveFields(r format.Record) []schema.Shown  { return formatTable().Records[r].Live.Shown }
func fieldsOf(structure string) []schema.Shown   { return formatTable().Struct(structure).Fixed.Shown }

// dumpFields writes fields as they are in the file.
func dumpFields(w *bufio.Writer, b []byte, list []schema.Shown) {
	le32, le64 := wordReaders(b)
	for _, f := range list {
		if f.Offset >= len(b) {
			break // an older recorder has not written it
		}
		switch f.Kind {
		case schema.Int32:
			fmt.Fprintf(w, " %s %d", f.Name, int32(le32(f.Offset)))
		case schema.Uint32:
			fmt.Fprintf(w, " %s %d", f.Name, le32(f.Offset))
		case schema.Uint16:
			fmt.Fprintf(w, " %s %d", f.Name, binary.LittleEndian.Uint16(b[f.Offset:]))
		case schema.Uint64:
			fmt.Fprintf(w, " %s %d", f.Name, le64(f.Offset))
		case schema.Int64:
			fmt.Fprintf(w, " %s %d", f.Name, int64(le64(f.Offset)))
		case schema.Hex64:
			fmt.Fprintf(w, " %s %#x", f.Name, le64(f.Offset))
		case schema.Time:
			fmt.Fprintf(w, " %s %s", f.Name, formatTime(timeOf(le64(f.Offset))))
		}
	}
}

// dumpRecord writes the fields of a record, and what is not in the lists of fields: arrays
// and texts.
func (m *image) dumpRecord(w *bufio.Writer, rec record) {
	dumpFields(w, rec.fixed, fixedFields(rec.typ))
	switch rec.typ {
	case format.RankRecord:
		fmt.Fprintf(w, " exe %q", strings.TrimRight(string(rec.fixed[format.RankExe:][:format.SizeofRankExe]), "\x00"))
		m.showLive(w, rec)
		if rec.hasField(format.RankEndedBy) {
			fmt.Fprintf(w, " ended_by %q", m.endedBy(rec))
		}
	case format.ThreadRecord:
		dumpOp(w, m.appendWords(nil, rec.live, format.ThreadStack))
		dumpStack(w, m.appendWords(nil, rec.live+format.ThreadStack, format.SizeofCapture))
	case format.ModuleRecord:
		if id, path, err := moduleTexts(rec.fixed); err == nil {
			fmt.Fprintf(w, " build-id %x path %q", id, path)
		}
	case format.StateRecord:
		m.dumpState(w, rec)
	case format.EdgeRecord, format.SentRecord:
		m.showLive(w, rec)
	case format.CommRecord:
		m.dumpComm(w, rec)
	case format.ChannelsRecord:
		m.dumpTable(w, rec, fieldsOf("channel"))
	case format.OriginsRecord:
		m.dumpTable(w, rec, fieldsOf("origin"))
	case format.PersistentsRecord:
		m.dumpTable(w, rec, fieldsOf("persistent"))
	case format.LocksRecord:
		m.dumpTable(w, rec, fieldsOf("lock"))
	case format.TakenRecord, format.ProbedRecord:
		m.dumpTable(w, rec, fieldsOf("take"))
	case format.WildcardsRecord:
		m.dumpTable(w, rec, fieldsOf("wildcard"))
	case format.HistoryRecord:
		m.dumpHistory(w, rec)
	case format.SeriesRecord:
		m.dumpSeries(w, rec)
	case format.SiteRecord:
		m.showLive(w, rec)
		if frames, name, err := stateParts(rec.fixed); err == nil {
			fmt.Fprintf(w, " function %q stack%s", name, frameText(frames))
		}
	case format.OtherRecord:
		m.showLive(w, rec)
		if frames, err := otherFrames(rec.fixed); err == nil {
			fmt.Fprintf(w, " stack%s", frameText(frames))
		}
	case format.RaisedRecord:
		if frames, name, text, err := raisedParts(rec.fixed); err == nil {
			fmt.Fprintf(w, " type %q text %q stack%s", name, text, frameText(frames))
		}
	case format.FilelockRecord:
		if command, file, err := fileLockTexts(rec.fixed); err == nil {
			fmt.Fprintf(w, " command %q file %q", command, file)
		}
	case format.FailedRecord:
		m.showLive(w, rec)
		if text, err := failedText(rec.fixed); err == nil {
			fmt.Fprintf(w, " text %q", text)
		}
	case format.ArgumentsRecord:
		fmt.Fprintf(w, " %q", trimPadding(rec.fixed[format.SizeofArgumentsFixed:]))
	case format.RestRecord:
		dumpRest(w, rec.fixed)
	case format.LikeRecord:
		dumpLike(w, rec.fixed)
	case format.NoteRecord, format.LibraryRecord:
		fmt.Fprintf(w, " %q", trimPadding(rec.fixed))
	}
}

// showLive writes the fields of the live part.
func (m *image) showLive(w *bufio.Writer, rec record) {
	dumpFields(w, m.appendWords(nil, rec.live, rec.nlive), liveFields(rec.typ))
}

func (m *image) dumpState(w *bufio.Writer, rec record) {
	if frames, name, err := stateParts(rec.fixed); err == nil {
		fmt.Fprintf(w, " call %q", name)
		m.showLive(w, rec)
		fmt.Fprintf(w, " stack%s", frameText(frames))
	}
}

func (m *image) dumpComm(w *bufio.Writer, rec record) {
	m.showLive(w, rec)
	if local, remote, behind, err := commRanges(rec.fixed); err == nil {
		fmt.Fprintf(w, " ranges%s remote%s", rangeText(local), rangeText(remote))
		dumpNeighbours(w, rec.fixed, behind)
	}
}

// dumpRest prints the parts of a REST record, as far as they are whole.
func dumpRest(w *bufio.Writer, fixed []byte) {
	if thread, op, stack, err := restParts(fixed); err == nil {
		dumpFields(w, thread, fixedFields(format.ThreadRecord))
		dumpOp(w, op)
		dumpStack(w, stack)
	}
}

func dumpLike(w *bufio.Writer, fixed []byte) {
	fmt.Fprint(w, " differences")
	for b := fixed[format.SizeofLikeFixed:]; len(b) > 0; {
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
	le32, _ := wordReaders(op)
	fmt.Fprint(w, indent, "now:")
	dumpFields(w, op, liveFields(format.ThreadRecord))
	for i := range int(min(le32(format.ThreadNlisted), format.MaxPending)) {
		fmt.Fprint(w, indent, "pending:")
		dumpFields(w, op[format.ThreadPending+format.SizeofPending*i:], fieldsOf("pending"))
	}
}

func dumpStack(w *bufio.Writer, stack []byte) {
	le32, le64 := wordReaders(stack)
	if le64(format.CaptureTime) == 0 {
		return
	}
	frames := stack[format.CaptureFrames:][:8*min(le32(format.CaptureNframes), format.MaxFrames)]
	fmt.Fprint(w, indent, "captured:")
	dumpFields(w, stack, fieldsOf("capture"))
	fmt.Fprintf(w, " stack%s", frameText(frames))
}

// dumpTable shows the entries of a record that are in use.
func (m *image) dumpTable(w *bufio.Writer, rec record, list []schema.Shown) {
	size := entrySizes[rec.typ]
	for at := int64(0); at+size <= rec.nlive; at += size {
		entry := m.appendWords(nil, rec.live+at, size)
		if le32, _ := wordReaders(entry); le32(entryComm) != 0 {
			fmt.Fprint(w, "\n     ")
			dumpFields(w, entry, list)
		}
	}
}

// dumpHistory shows the collectives of a history, and its checkpoints.
func (m *image) dumpHistory(w *bufio.Writer, rec record) {
	live := m.appendWords(nil, rec.live, rec.nlive)
	for at := format.HistoryBegun; at+format.SizeofBegun <= len(live); at += format.SizeofBegun {
		if entry := live[at:]; binary.LittleEndian.Uint32(entry[format.BegunNumber:]) != 0 {
			fmt.Fprint(w, "\n     ")
			dumpFields(w, entry, fieldsOf("begun"))
		}
	}
	for _, mark := range readMarks(live) {
		fmt.Fprintf(w, "\n      after %d calls %#x sites %#x", mark.Number, mark.Calls, mark.Sites)
	}
}

// dumpNeighbours shows those of a communicator with a topology.
func dumpNeighbours(w *bufio.Writer, fixed, behind []byte) {
	le32, _ := wordReaders(fixed)
	if le32(format.CommFlags)&format.CommTopology == 0 {
		return
	}
	if n, err := neighbours(fixed, behind, model.MaxRank); err == nil {
		fmt.Fprintf(w, " sources %v dests %v", n.Sources, n.Dests)
	}
}

// frameText writes frame words as module:offset, without a module as an address.
func frameText(words []byte) string {
	var b strings.Builder
	_, le64 := wordReaders(words)
	for at := 0; at < len(words); at += 8 {
		word := le64(at)
		if word>>format.OffsetBits == format.NoModule {
			fmt.Fprintf(&b, " %#x", word&MaxOffset)
		} else {
			fmt.Fprintf(&b, " %d:%#x", word>>format.OffsetBits, word&MaxOffset)
		}
	}
	return b.String()
}

// rangeText writes ranges as start+stride*count.
func rangeText(ranges []byte) string {
	var b strings.Builder
	for ; len(ranges) > 0; ranges = ranges[format.SizeofRange:] {
		start, stride, count := rangeAt(ranges)
		fmt.Fprintf(&b, " %d+%d*%d", start, stride, count)
	}
	return b.String()
}

// dumpSeries shows the intervals of a record that are in use.
func (m *image) dumpSeries(w *bufio.Writer, rec record) {
	for b := m.appendIntervals(nil, rec); len(b) > 0; b = b[format.SizeofInterval:] {
		fmt.Fprint(w, "\n     ")
		dumpFields(w, b[:format.SizeofInterval], fieldsOf("interval"))
	}
}
