package nodefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
)

// damaged is a small valid file and what a reader makes of it.
type damaged struct {
	data  []byte
	whole *model.Run
	used  []int64 // by rank: where its last record ends
	first []int64 // by rank: where its first chunk starts
	last  []int64 // by rank: where its last chunk ends
	spans [][2]int64
	of    []int // rank, of the spans: where the records of a chunk are
}

func damagedFile(t testing.TB, sc modeltest.Scale) *damaged {
	t.Helper()
	ranks := modeltest.RandomRanksOf(rand.New(rand.NewPCG(11, 0)), sc, "node-a.lgd", 3)
	d := &damaged{data: mustEncode(t, testHeader, ranks)}
	d.whole = mustDecode(t, d.data)
	m := newImage("", d.data)
	var p problems
	l, err := m.readLayout(&p)
	if err != nil || len(d.whole.Problems)+len(p.list) > 0 {
		t.Fatal("the file is not valid", err, d.whole.Problems)
	}
	for slot := range uint32(3) {
		chunks := l.slots[slot]
		for _, c := range chunks {
			start := c.off + format.SizeofChunk
			d.spans = append(d.spans, [2]int64{start, start + int64(m.u64(c.off+format.ChunkUsed))})
			d.of = append(d.of, int(slot))
		}
		end := chunks[len(chunks)-1]
		d.first = append(d.first, chunks[0].off)
		d.last = append(d.last, end.off+end.size)
		d.used = append(d.used, end.off+format.SizeofChunk+int64(m.u64(end.off+format.ChunkUsed)))
	}
	return d
}

// rank returns a rank of the run, nil if it is not there.
func rankOf(run *model.Run, rank int) *model.Rank {
	for _, k := range run.Ranks {
		if k.Rank == rank {
			return k
		}
	}
	return nil
}

func TestTruncationAtEveryByte(t *testing.T) { damagedFile(t, modeltest.Lean).checkCuts(t, 1) }

// The same with slots of several chunks, at fewer places.
func TestTruncationOfLaterChunks(t *testing.T) { damagedFile(t, modeltest.Ample).checkCuts(t, 101) }

func (d *damaged) checkCuts(t *testing.T, step int) {
	const shares = 4
	var wg sync.WaitGroup
	for share := range shares {
		wg.Go(func() {
			for cut := share * step; cut < len(d.data); cut += shares * step {
				if err := d.checkCut(int64(cut)); err != nil {
					t.Errorf("cut at %d: %v", cut, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// checkCut tells what is wrong with how the file is read that ends at cut.
func (d *damaged) checkCut(cut int64) error {
	run, err := decodeFile(d.data[:cut])
	if cut < format.FileEndings {
		if run != nil || !errors.Is(err, model.ErrTruncated) {
			return fmt.Errorf("no file header, but %v", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if len(run.Problems) == 0 || !errors.Is(run.Problems[0].Err, model.ErrTruncated) {
		return fmt.Errorf("the problems are %v", run.Problems)
	}
	for rank, used := range d.used {
		got := rankOf(run, rank)
		switch {
		case used <= cut && !reflect.DeepEqual(got, rankOf(d.whole, rank)):
			return fmt.Errorf("rank %d is whole, but was read as another", rank)
		case d.insideRecords(rank, cut) && got != nil && !complains(run, rank):
			return fmt.Errorf("rank %d is cut, but nobody says so", rank)
		}
	}
	return nil
}

// insideRecords reports whether a cut goes through the records of a chunk of the
// rank. Of a chunk that is not there at all only the file header knows.
func (d *damaged) insideRecords(rank int, cut int64) bool {
	for i, s := range d.spans {
		if d.of[i] == rank && s[0] <= cut && cut < s[1] {
			return true
		}
	}
	return false
}

func complains(run *model.Run, rank int) bool {
	return slices.ContainsFunc(run.Problems, func(p model.Problem) bool { return p.Rank == rank })
}

// One byte is changed at a time: the ranks it does not belong to are read as
// before, and if it is under a checksum, somebody says so.
func TestDamageStaysInItsSlot(t *testing.T) {
	d := damagedFile(t, modeltest.Lean)
	r := rand.New(rand.NewPCG(12, 0))
	for range 6000 {
		at := r.Int64N(int64(len(d.data)))
		bad := slices.Clone(d.data)
		bad[at] ^= byte(1 + r.IntN(255))
		run := musttest.Get(decodeFile(bad))(t, "byte", at)
		for rank := range d.used {
			inside := at >= d.first[rank] && at < d.last[rank]
			if !inside && !d.sameRank(run, rank) {
				t.Fatalf("byte %d: rank %d was read as another, %v", at, rank, run.Problems)
			}
		}
	}
}

// sameRank compares but for the host and the other things that the header of
// the file says.
func (d *damaged) sameRank(run *model.Run, rank int) bool {
	got := rankOf(run, rank)
	if got == nil {
		return false
	}
	k := *got
	k.Host = testHeader.Host
	return reflect.DeepEqual(&k, rankOf(d.whole, rank))
}

func TestEveryFixedByteIsChecked(t *testing.T) {
	d := damagedFile(t, modeltest.Lean)
	m := newImage("", d.data)
	var p problems
	l, _ := m.readLayout(&p)
	checked := map[string][2]int64{"file header": {8, format.FileCRC}}
	for slot := range l.slots {
		c := newCursor(m, l, slot, &p)
		for rec, ok := c.next(); ok; rec, ok = c.next() {
			checked[fmt.Sprintf("%s %d", rec.typ, rec.off)] = [2]int64{rec.off, rec.live}
		}
	}
	for _, span := range checked {
		for _, at := range []int64{span[0], (span[0] + span[1]) / 2, span[1] - 1} {
			bad := slices.Clone(d.data)
			bad[at] ^= 0x40
			if run := mustDecode(t, bad); len(run.Problems) == 0 {
				t.Errorf("byte %d: changed, and nobody says so", at)
			}
		}
	}
}

// fileOf makes a file of one rank and says where its first record of the type
// is.
func fileOf(t testing.TB, typ format.Record) (data []byte, off int64) {
	t.Helper()
	for seed := uint64(1); seed <= 20; seed++ { // not every random rank has every type
		data = mustEncode(t, testHeader, modeltest.RandomRanks(rand.New(rand.NewPCG(17, seed)), "node-a.lgd", 1))
		m := newImage("", data)
		var p problems
		l := musttest.Get(m.readLayout(&p))(t)
		c := newCursor(m, l, 0, &p)
		for rec, ok := c.next(); ok; rec, ok = c.next() {
			if rec.typ == typ {
				return data, rec.off
			}
		}
	}
	t.Fatalf("no %s", typ)
	return nil, 0
}

// patchWord writes a 32-bit word and returns the file with the checksum of the
// record at off put right.
func patchWord(data []byte, off, at int64, v uint32) {
	le := binary.LittleEndian
	le.PutUint32(data[at:], v)
	n := int64(le.Uint32(data[off+format.RecFixed:]))
	le.PutUint32(data[off+format.RecCRC:], recordCRC(data[off:], data[off+format.SizeofRec:][:n]))
}

// liveOffset returns where the mutable part of the record at off starts.
func liveOffset(data []byte, off int64) int64 {
	return off + format.SizeofRec + int64(binary.LittleEndian.Uint32(data[off+format.RecFixed:]))
}

func TestProblems(t *testing.T) {
	const fixed = format.SizeofRec
	for _, c := range []struct {
		name  string
		typ   format.Record
		spoil func(data []byte, off int64)
		is    error
		text  string // %d: the offset of the record
	}{
		{"checksum", format.StateRecord, func(b []byte, off int64) { b[off+fixed+20] ^= 1 },
			model.ErrChecksum, "model: node-a.lgd: rank 0: STATE record at %d: checksum mismatch"},
		{"torn operation", format.ThreadRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 },
			model.ErrTorn, "model: node-a.lgd: rank 0: THREAD record at %d: update was cut short"},
		{"torn stack", format.ThreadRecord, func(b []byte, off int64) { b[liveOffset(b, off)+format.ThreadStack] |= 1 }, model.ErrTorn,
			"captured stack"},
		{"torn channel", format.ChannelsRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "CHANNELS"},
		{"unknown type", format.NoteRecord, func(b []byte, off int64) { patchWord(b, off, off, 77) }, model.ErrUnknown, "record type 77"},
		{"kind", format.ThreadRecord, func(b []byte, off int64) { b[liveOffset(b, off)+format.ThreadKind] = 99 }, model.ErrUnknown,
			"operation kind 99"},
		{"state", format.ThreadRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.ThreadState+1] = 9 }, model.ErrLost, "state "},
		{"listed", format.ThreadRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.ThreadNlisted+1] = 9 }, model.ErrCorrupt, "listed"},
		{"frames", format.ThreadRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.ThreadStack+format.CaptureNframes+1] = 9 }, model.ErrCorrupt,
			"captured stack of"},
		{"edge", format.EdgeRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.EdgeTo, 5000) }, model.ErrLost,
			"EDGE record at %d: record is missing: state 5000"},
		{"ranges", format.CommRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.CommNranges, 5000) }, model.ErrCorrupt,
			"ranges"},
		{"size", format.CommRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.CommSize, 5000) }, model.ErrCorrupt,
			"size 5000"},
		{"rank", format.CommRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.CommRank, 5000) }, model.ErrCorrupt,
			"rank 5000"},
		{"neighbours", format.CommRecord, func(b []byte, off int64) {
			patchWord(b, off, off+fixed+format.CommFlags, format.CommWorld|format.CommTopology)
			patchWord(b, off, off+fixed+format.CommNsources, format.MaxNeighbours+1)
		}, model.ErrCorrupt, "COMM record at %d: impossible value: 4097 and 0 neighbours"},
		{"neighbours cut off", format.CommRecord, func(b []byte, off int64) {
			patchWord(b, off, off+fixed+format.CommFlags, format.CommWorld|format.CommTopology)
			patchWord(b, off, off+fixed+format.CommNsources, 1<<16|2)
		}, model.ErrCorrupt, "2 and 1 neighbours"},
		{"torn lock", format.LocksRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "LOCKS"},
		{"lock", format.LocksRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.LockComm+1] = 9 }, model.ErrLost, "communicator"},
		{"lock of a type", format.LocksRecord, func(b []byte, off int64) { b[liveOffset(b, off)+format.LockType] = 9 }, model.ErrUnknown,
			"lock of type 9"},
		{"torn message", format.TakenRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "TAKEN"},
		{"message", format.TakenRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.TakeComm+1] = 9 }, model.ErrLost, "communicator"},
		{"thread of a receive", format.TakenRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.TakeThread+1] = 9 }, model.ErrLost,
			"thread 23"},
		{"torn probe", format.ProbedRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "PROBED"},
		{"torn wildcard", format.WildcardsRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "WILDCARDS"},
		{"torn origin", format.OriginsRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "ORIGINS"},
		{"torn requests", format.PersistentsRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "PERSISTENTS"},
		{"thread of requests", format.PersistentsRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.PersistentThread+1] = 9 }, model.ErrLost, "thread 23"},
		{"thread of an origin", format.OriginsRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.OriginThread+1] = 9 }, model.ErrLost, "thread 23"},
		{"text of an error", format.FailedRecord, func(b []byte, off int64) {
			patchWord(b, off, off+fixed+format.FailedTextLen, 5000)
		}, model.ErrCorrupt, "a text of 5000 bytes"},
		{"torn history", format.HistoryRecord, func(b []byte, off int64) { b[liveOffset(b, off)] |= 1 }, model.ErrTorn, "HISTORY"},
		{"communicator of a history", format.HistoryRecord,
			func(b []byte, off int64) { patchWord(b, off, off+fixed+format.HistoryComm, 5000) },
			model.ErrLost, "HISTORY record at %d: record is missing: communicator 5000"},
		{"thread of a collective",
			format.HistoryRecord, func(b []byte, off int64) { b[liveOffset(b, off)+format.HistoryBegun+format.BegunThread+1] = 9 },
			model.ErrLost, "HISTORY record at %d: record is missing: thread 23"},
		{"state of a collective",
			format.HistoryRecord, func(b []byte, off int64) { b[liveOffset(b, off)+format.HistoryBegun+format.BegunState+2] = 9 },
			model.ErrLost, "HISTORY record at %d: record is missing: state 5898"},
		{"operation", format.HistoryRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.HistoryBegun+format.BegunOp] = 99 }, model.ErrUnknown,
			"operation 99"},
		{"state that sends", format.SentRecord,
			func(b []byte, off int64) { patchWord(b, off, off+fixed+format.SentState, 5000) }, model.ErrLost,
			"SENT record at %d: record is missing: state 5000"},
		{"thread that sends", format.SentRecord, func(b []byte, off int64) {
			b[off+format.RecThread+1] = 9
			patchWord(b, off, off+fixed+format.SentState, 0)
		}, model.ErrLost, "SENT record at %d: record is missing: thread 23"},
		{"site", format.SiteRecord,
			func(b []byte, off int64) { patchWord(b, off, off+fixed+format.StateNframes, format.MaxFrames+1) }, model.ErrCorrupt,
			"65 frames"},
		{"module of a site", format.SiteRecord,
			func(b []byte, off int64) { patchWord(b, off, off+fixed+format.SizeofStateFixed+4, 5000<<16) },
			model.ErrLost, "SITE record at %d: record is missing: a module"},
		{"exception", format.RaisedRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.RaisedNframes, 5000) },
			model.ErrCorrupt, "RAISED record at %d: impossible value: 5000 frames"},
		{"how it was raised", format.RaisedRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.RaisedHow, 9) },
			model.ErrUnknown, "way 9"},
		{"thread of an exception", format.RaisedRecord, func(b []byte, off int64) {
			b[off+format.RecThread+1] = 9
			patchWord(b, off, off+fixed+format.RaisedFlags, 0)
		}, model.ErrLost, "RAISED record at %d: record is missing: thread 23"},
		{"another thread", format.OtherRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.OtherNframes, 5000) },
			model.ErrCorrupt, "OTHER record at %d: impossible value: 5000 frames"},
		{"arguments", format.ArgumentsRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.ArgumentsBytes, 5000) },
			model.ErrCorrupt, "ARGUMENTS record at %d: impossible value: 5000 bytes"},
		{"other rank", format.RankRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.RankRank] = 9 }, model.ErrCorrupt, "rank 9 of 1"},
		{"status", format.RankRecord,
			func(b []byte, off int64) { b[liveOffset(b, off)+format.RankStatus] = 9 }, model.ErrCorrupt, "status 9"},
		{"slot", format.RankRecord,
			func(b []byte, off int64) { patchWord(b, off, off+fixed+format.RankSlot, 3) }, model.ErrCorrupt, "slot 3"},
		{"family", format.RankRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.RankFamily, 4) }, model.ErrUnknown,
			"MPI family 4"},
		{"channel", format.ChannelsRecord, func(b []byte, off int64) { b[liveOffset(b, off)+format.ChannelComm+1] = 9 }, model.ErrLost,
			"communicator"},
		{"record of another type", format.NoteRecord, func(b []byte, off int64) { patchWord(b, off, off, uint32(format.RankRecord)) },
			model.ErrCorrupt, "fixed part"},
		{"module", format.ModuleRecord, func(b []byte, off int64) { patchWord(b, off, off+fixed+format.ModuleBuildIDLen, 1<<31) },
			model.ErrCorrupt, "build-id"},
		{"used", format.RankRecord, func(b []byte, off int64) { b[off-2] = 9 }, model.ErrCorrupt, "bytes used of"},
	} {
		data, off := fileOf(t, c.typ)
		c.spoil(data, off)
		run := mustDecode(t, data)
		want := c.text
		if strings.Contains(want, "%d") {
			want = fmt.Sprintf(want, off)
		}
		found := slices.ContainsFunc(run.Problems, func(p model.Problem) bool {
			return errors.Is(p.Err, c.is) && strings.Contains(p.Err.Error(), want)
		})
		if !found || len(run.Ranks) != 1 {
			t.Errorf("%s: %d ranks, problems %v", c.name, len(run.Ranks), run.Problems)
		}
	}
}

func TestNeighboursRise(t *testing.T) {
	for _, c := range []struct {
		list []int32
		want []int
	}{
		{[]int32{0, 2, 4}, []int{0, 2, 4}},
		{[]int32{0, 5}, nil}, {[]int32{2, 2}, nil}, {[]int32{3, 1}, nil}, {[]int32{-1}, nil},
	} {
		var b part
		for _, rank := range c.list {
			b.appendZeros(4).i32(0, int(rank))
		}
		got, err := risingRanks(b, 5)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) || err != nil && !errors.Is(err, model.ErrCorrupt) {
			t.Errorf("%v of 5 ranks: %v, %v", c.list, got, err)
		}
	}
}

// headerWith returns a file with a changed word in its header, and the checksum
// right for it.
func headerWith(t testing.TB, at int, v uint32) []byte {
	data := mustEncode(t, testHeader, modeltest.RandomRanks(rand.New(rand.NewPCG(2, 0)), "node-a.lgd", 1))
	binary.LittleEndian.PutUint32(data[at:], v)
	binary.LittleEndian.PutUint32(
		data[format.FileCRC:],
		crc32.Checksum(data[format.FileVersion:format.FileCRC], castagnoli),
	)
	return data
}

func TestUnusableFiles(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		is   error
	}{
		"empty":      {nil, model.ErrTruncated},
		"other file": {[]byte(strings.Repeat("#include <mpi.h>\n", 999)), model.ErrMagic},
		"version":    {headerWith(t, format.FileVersion, 2), model.ErrVersion},
		"page":       {headerWith(t, format.FilePage, 512), model.ErrCorrupt},
	} {
		run, err := decodeFile(c.data)
		var place *model.FormatError
		if run != nil || !errors.Is(err, c.is) || !errors.As(err, &place) || place.File != "node-a.lgd" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The slot's chunk in the middle is gone: what is in the others is read.
func TestLostChunk(t *testing.T) {
	ranks := modeltest.RandomRanks(rand.New(rand.NewPCG(3, 0)), "node-a.lgd", 1)
	ranks[0].Notes = slices.Repeat([]string{strings.Repeat("x", 3000)}, 40)
	data := mustEncode(t, testHeader, ranks)
	header, chunks := splitChunks(t, data)
	if len(chunks) < 3 {
		t.Fatal("no chunk in the middle")
	}
	parts := append([][]byte{header}, slices.Delete(slices.Clone(chunks), 1, 2)...)
	run := mustDecode(t, slices.Concat(parts...))
	var texts []string
	for _, p := range run.Problems {
		texts = append(texts, p.Err.Error())
	}
	all := strings.Join(texts, "\n")
	if !strings.Contains(all, "rank 0: chunk: record is missing: chunk 1 of the slot") || len(run.Ranks[0].Notes) == 0 {
		t.Errorf("%d notes\n%s", len(run.Ranks[0].Notes), all)
	}
}

// A damaged size must not take the records behind it along.
func TestRecordsBehindDamage(t *testing.T) {
	data, off := fileOf(t, format.ThreadRecord)
	whole := mustDecode(t, data)
	data[off+format.RecSize+1] ^= 0xff
	run := mustDecode(t, data)
	lost := whole.Ranks[0].Threads[0]
	if got := run.Ranks[0].Threads[0]; !reflect.DeepEqual(got.Model, lost.Model) || got.TID != 0 {
		t.Errorf("the model of a thread without a THREAD record is not the same: %v", run.Problems)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	k := &model.Rank{Rank: 0, Size: 1, Family: "mpich", Phase: model.Running, Threads: []*model.Thread{{Op: model.Op{State: -1}}}}
	k.Notes = slices.Repeat([]string{"some note"}, 5000)
	data := mustEncode(t, testHeader, []*model.Rank{k})
	m := newImage("", data)
	var p problems
	l, _ := m.readLayout(&p)
	c := newCursor(m, l, 0, &p)
	for rec, ok := c.next(); ok; rec, ok = c.next() {
		if rec.typ == format.NoteRecord && rec.off/32%2 == 0 { // a sound one between two damaged ones
			data[rec.off+format.SizeofRec] ^= 1
		}
	}
	run := mustDecode(t, data)
	if n := len(run.Problems); n != maxProblems+1 ||
		!strings.Contains(run.Problems[maxProblems].Err.Error(), "more problems") {
		t.Errorf("%d problems, the last is %v", n, run.Problems[n-1].Err)
	}
}
