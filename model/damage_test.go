package model

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
)

// damaged is a small valid file and what a reader makes of it.
type damaged struct {
	data  []byte
	whole *Run
	used  []int64 // by rank: where its last record ends
	first []int64 // by rank: where its first chunk starts
	last  []int64 // by rank: where its last chunk ends
	spans [][2]int64
	of    []int // rank, of the spans: where the records of a chunk are
}

func damagedFile(t testing.TB, sc scale) *damaged {
	t.Helper()
	ranks := randomRanksOf(rand.New(rand.NewPCG(11, 0)), sc, "node-a.lgd", 3)
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
			start := c.off + chunkHeader
			d.spans = append(d.spans, [2]int64{start, start + int64(m.u64(c.off+chunkUsed))})
			d.of = append(d.of, int(slot))
		}
		end := chunks[len(chunks)-1]
		d.first = append(d.first, chunks[0].off)
		d.last = append(d.last, end.off+end.size)
		d.used = append(d.used, end.off+chunkHeader+int64(m.u64(end.off+chunkUsed)))
	}
	return d
}

// rank returns a rank of the run, nil if it is not there.
func rankOf(run *Run, rank int) *Rank {
	for _, k := range run.Ranks {
		if k.Rank == rank {
			return k
		}
	}
	return nil
}

func TestTruncationAtEveryByte(t *testing.T) { damagedFile(t, lean).checkCuts(t, 1) }

// The same with slots of several chunks, at fewer places.
func TestTruncationOfLaterChunks(t *testing.T) { damagedFile(t, ample).checkCuts(t, 101) }

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
	run, err := Decode("node-a.lgd", d.data[:cut])
	if cut < fileEndings {
		if run != nil || !errors.Is(err, ErrTruncated) {
			return fmt.Errorf("no file header, but %v", err)
		}
		return nil
	}
	if err != nil {
		return err
	}
	if len(run.Problems) == 0 || !errors.Is(run.Problems[0].Err, ErrTruncated) {
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

// insideRecords tells whether a cut goes through the records of a chunk of the
// rank. Of a chunk that is not there at all only the file header knows.
func (d *damaged) insideRecords(rank int, cut int64) bool {
	for i, s := range d.spans {
		if d.of[i] == rank && s[0] <= cut && cut < s[1] {
			return true
		}
	}
	return false
}

func complains(run *Run, rank int) bool {
	return slices.ContainsFunc(run.Problems, func(p Problem) bool { return p.Rank == rank })
}

// One byte is changed at a time: the ranks it does not belong to are read as
// before, and if it is under a checksum, somebody says so.
func TestDamageStaysInItsSlot(t *testing.T) {
	d := damagedFile(t, lean)
	r := rand.New(rand.NewPCG(12, 0))
	for range 6000 {
		at := r.Int64N(int64(len(d.data)))
		bad := slices.Clone(d.data)
		bad[at] ^= byte(1 + r.IntN(255))
		run, err := Decode("node-a.lgd", bad)
		if err != nil {
			t.Fatalf("byte %d: %v", at, err)
		}
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
func (d *damaged) sameRank(run *Run, rank int) bool {
	got := rankOf(run, rank)
	if got == nil {
		return false
	}
	k := *got
	k.Host = testHeader.Host
	return reflect.DeepEqual(&k, rankOf(d.whole, rank))
}

func TestEveryFixedByteIsChecked(t *testing.T) {
	d := damagedFile(t, lean)
	m := newImage("", d.data)
	var p problems
	l, _ := m.readLayout(&p)
	checked := map[string][2]int64{"file header": {8, fileCRC}}
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
func fileOf(t testing.TB, typ recType) (data []byte, off int64) {
	t.Helper()
	for seed := uint64(1); seed <= 20; seed++ { // not every random rank has every type
		data = mustEncode(t, testHeader, randomRanks(rand.New(rand.NewPCG(17, seed)), "node-a.lgd", 1))
		m := newImage("", data)
		var p problems
		l, err := m.readLayout(&p)
		if err != nil {
			t.Fatal(err)
		}
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

// patch writes a 32-bit word and returns the file with the checksum of the
// record at off put right.
func patch(data []byte, off, at int64, v uint32) {
	le := binary.LittleEndian
	le.PutUint32(data[at:], v)
	n := int64(le.Uint32(data[off+recFixed:]))
	le.PutUint32(data[off+recCRC:], recordCRC(data[off:], data[off+recHeader:][:n]))
}

// live returns where the mutable part of the record at off starts.
func live(data []byte, off int64) int64 {
	return off + recHeader + int64(binary.LittleEndian.Uint32(data[off+recFixed:]))
}

func TestProblems(t *testing.T) {
	const fixed = recHeader
	for _, c := range []struct {
		name  string
		typ   recType
		spoil func(data []byte, off int64)
		is    error
		text  string // %d: the offset of the record
	}{
		{"checksum", recState, func(b []byte, off int64) { b[off+fixed+20] ^= 1 },
			ErrChecksum, "model: node-a.lgd: rank 0: STATE record at %d: checksum mismatch"},
		{"torn operation", recThreadRec, func(b []byte, off int64) { b[live(b, off)] |= 1 },
			ErrTorn, "model: node-a.lgd: rank 0: THREAD record at %d: update was cut short"},
		{"torn stack", recThreadRec, func(b []byte, off int64) { b[live(b, off)+opSize] |= 1 }, ErrTorn,
			"captured stack"},
		{"torn channel", recChannels, func(b []byte, off int64) { b[live(b, off)] |= 1 }, ErrTorn, "CHANNELS"},
		{"unknown type", recNote, func(b []byte, off int64) { patch(b, off, off, 77) }, ErrUnknown, "record type 77"},
		{"kind", recThreadRec, func(b []byte, off int64) { b[live(b, off)+opKind] = 99 }, ErrUnknown,
			"operation kind 99"},
		{"state", recThreadRec, func(b []byte, off int64) { b[live(b, off)+opState+1] = 9 }, ErrLost, "state "},
		{"listed", recThreadRec, func(b []byte, off int64) { b[live(b, off)+opNListed+1] = 9 }, ErrCorrupt, "listed"},
		{"frames", recThreadRec, func(b []byte, off int64) { b[live(b, off)+opSize+stackNFrames+1] = 9 }, ErrCorrupt,
			"captured stack of"},
		{"edge", recEdge, func(b []byte, off int64) { patch(b, off, off+fixed+edgeTo, 5000) }, ErrLost,
			"EDGE record at %d: record is missing: state 5000"},
		{"ranges", recComm, func(b []byte, off int64) { patch(b, off, off+fixed+commNRanges, 5000) }, ErrCorrupt,
			"ranges"},
		{"size", recComm, func(b []byte, off int64) { patch(b, off, off+fixed+commSize, 5000) }, ErrCorrupt,
			"size 5000"},
		{"rank", recComm, func(b []byte, off int64) { patch(b, off, off+fixed+commRank, 5000) }, ErrCorrupt,
			"rank 5000"},
		{"neighbours", recComm, func(b []byte, off int64) {
			patch(b, off, off+fixed+commFlags, flagWorld|flagTopology)
			patch(b, off, off+fixed+commNSources, maxNeighbours+1)
		}, ErrCorrupt, "COMM record at %d: impossible value: 4097 and 0 neighbours"},
		{"neighbours cut off", recComm, func(b []byte, off int64) {
			patch(b, off, off+fixed+commFlags, flagWorld|flagTopology)
			patch(b, off, off+fixed+commNSources, 1<<16|2)
		}, ErrCorrupt, "2 and 1 neighbours"},
		{"torn lock", recLocks, func(b []byte, off int64) { b[live(b, off)] |= 1 }, ErrTorn, "LOCKS"},
		{"lock", recLocks, func(b []byte, off int64) { b[live(b, off)+lockComm+1] = 9 }, ErrLost, "communicator"},
		{"lock of a type", recLocks, func(b []byte, off int64) { b[live(b, off)+lockType] = 9 }, ErrUnknown,
			"lock of type 9"},
		{"torn message", recTaken, func(b []byte, off int64) { b[live(b, off)] |= 1 }, ErrTorn, "TAKEN"},
		{"message", recTaken, func(b []byte, off int64) { b[live(b, off)+takeComm+1] = 9 }, ErrLost, "communicator"},
		{"thread of a receive", recTaken, func(b []byte, off int64) { b[live(b, off)+takeThread+1] = 9 }, ErrLost,
			"thread 23"},
		{"torn history", recHistory, func(b []byte, off int64) { b[live(b, off)] |= 1 }, ErrTorn, "HISTORY"},
		{"communicator of a history", recHistory,
			func(b []byte, off int64) { patch(b, off, off+fixed+historyComm, 5000) },
			ErrLost, "HISTORY record at %d: record is missing: communicator 5000"},
		{"thread of a collective",
			recHistory, func(b []byte, off int64) { b[live(b, off)+historyBegun+begunThread+1] = 9 },
			ErrLost, "HISTORY record at %d: record is missing: thread 23"},
		{"state of a collective",
			recHistory, func(b []byte, off int64) { b[live(b, off)+historyBegun+begunState+2] = 9 },
			ErrLost, "HISTORY record at %d: record is missing: state 5898"},
		{"operation", recHistory, func(b []byte, off int64) { b[live(b, off)+historyBegun+begunOp] = 99 }, ErrUnknown,
			"operation 99"},
		{"state that sends", recSent, func(b []byte, off int64) { patch(b, off, off+fixed+sentState, 5000) }, ErrLost,
			"SENT record at %d: record is missing: state 5000"},
		{"thread that sends", recSent, func(b []byte, off int64) {
			b[off+recThread+1] = 9
			patch(b, off, off+fixed+sentState, 0)
		}, ErrLost, "SENT record at %d: record is missing: thread 23"},
		{"site", recSite, func(b []byte, off int64) { patch(b, off, off+fixed+stateNFrames, maxFrames+1) }, ErrCorrupt,
			"65 frames"},
		{"module of a site", recSite, func(b []byte, off int64) { patch(b, off, off+fixed+stateFixed+4, 5000<<16) },
			ErrLost, "SITE record at %d: record is missing: a module"},
		{"exception", recRaised, func(b []byte, off int64) { patch(b, off, off+fixed+raisedNFrames, 5000) },
			ErrCorrupt, "RAISED record at %d: impossible value: 5000 frames"},
		{"how it was raised", recRaised, func(b []byte, off int64) { patch(b, off, off+fixed+raisedHow, 9) },
			ErrUnknown, "way 9"},
		{"thread of an exception", recRaised, func(b []byte, off int64) {
			b[off+recThread+1] = 9
			patch(b, off, off+fixed+raisedFlags, 0)
		}, ErrLost, "RAISED record at %d: record is missing: thread 23"},
		{"arguments", recArguments, func(b []byte, off int64) { patch(b, off, off+fixed+argumentsBytes, 5000) },
			ErrCorrupt, "ARGUMENTS record at %d: impossible value: 5000 bytes"},
		{"other rank", recRank, func(b []byte, off int64) { b[live(b, off)+rankRank] = 9 }, ErrCorrupt, "rank 9 of 1"},
		{"status", recRank, func(b []byte, off int64) { b[live(b, off)+rankStatus] = 9 }, ErrCorrupt, "status 9"},
		{"slot", recRank, func(b []byte, off int64) { patch(b, off, off+fixed+rankSlot, 3) }, ErrCorrupt, "slot 3"},
		{"family", recRank, func(b []byte, off int64) { patch(b, off, off+fixed+rankFamily, 4) }, ErrUnknown,
			"MPI family 4"},
		{"channel", recChannels, func(b []byte, off int64) { b[live(b, off)+channelComm+1] = 9 }, ErrLost,
			"communicator"},
		{"record of another type", recNote, func(b []byte, off int64) { patch(b, off, off, uint32(recRank)) },
			ErrCorrupt, "fixed part"},
		{"module", recModule, func(b []byte, off int64) { patch(b, off, off+fixed+moduleBuildIDLen, 1<<31) },
			ErrCorrupt, "build-id"},
		{"used", recRank, func(b []byte, off int64) { b[off-2] = 9 }, ErrCorrupt, "bytes used of"},
	} {
		data, off := fileOf(t, c.typ)
		c.spoil(data, off)
		run := mustDecode(t, data)
		want := c.text
		if strings.Contains(want, "%d") {
			want = fmt.Sprintf(want, off)
		}
		found := slices.ContainsFunc(run.Problems, func(p Problem) bool {
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
		var b fill
		for _, rank := range c.list {
			b.i32(int(rank))
		}
		got, err := risingRanks(b, 5)
		if !slices.Equal(got, c.want) || (err != nil) != (c.want == nil) || err != nil && !errors.Is(err, ErrCorrupt) {
			t.Errorf("%v of 5 ranks: %v, %v", c.list, got, err)
		}
	}
}

// headerWith returns a file with a changed word in its header, and the checksum
// right for it.
func headerWith(t testing.TB, at int, v uint32) []byte {
	data := mustEncode(t, testHeader, randomRanks(rand.New(rand.NewPCG(2, 0)), "node-a.lgd", 1))
	binary.LittleEndian.PutUint32(data[at:], v)
	binary.LittleEndian.PutUint32(data[fileCRC:], crc32.Checksum(data[fileVersion:fileCRC], castagnoli))
	return data
}

func TestUnusableFiles(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		is   error
	}{
		"empty":      {nil, ErrTruncated},
		"other file": {[]byte(strings.Repeat("#include <mpi.h>\n", 999)), ErrMagic},
		"version":    {headerWith(t, fileVersion, 2), ErrVersion},
		"page":       {headerWith(t, filePage, 512), ErrCorrupt},
	} {
		run, err := Decode("node-a.lgd", c.data)
		var place *FormatError
		if run != nil || !errors.Is(err, c.is) || !errors.As(err, &place) || place.File != "node-a.lgd" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The slot's chunk in the middle is gone: what is in the others is read.
func TestLostChunk(t *testing.T) {
	ranks := randomRanks(rand.New(rand.NewPCG(3, 0)), "node-a.lgd", 1)
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
	data, off := fileOf(t, recThreadRec)
	whole := mustDecode(t, data)
	data[off+recSize+1] ^= 0xff
	run := mustDecode(t, data)
	lost := whole.Ranks[0].Threads[0]
	if got := run.Ranks[0].Threads[0]; !reflect.DeepEqual(got.Model, lost.Model) || got.TID != 0 {
		t.Errorf("the model of a thread without a THREAD record is not the same: %v", run.Problems)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	k := &Rank{Rank: 0, Size: 1, Family: "mpich", Phase: Running, Threads: []*Thread{{Op: Op{State: -1}}}}
	k.Notes = slices.Repeat([]string{"some note"}, 5000)
	data := mustEncode(t, testHeader, []*Rank{k})
	m := newImage("", data)
	var p problems
	l, _ := m.readLayout(&p)
	c := newCursor(m, l, 0, &p)
	for rec, ok := c.next(); ok; rec, ok = c.next() {
		if rec.typ == recNote && rec.off/32%2 == 0 { // a sound one between two damaged ones
			data[rec.off+recHeader] ^= 1
		}
	}
	run := mustDecode(t, data)
	if n := len(run.Problems); n != maxProblems+1 ||
		!strings.Contains(run.Problems[maxProblems].Err.Error(), "more problems") {
		t.Errorf("%d problems, the last is %v", n, run.Problems[n-1].Err)
	}
}
