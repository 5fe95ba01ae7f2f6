package nodefile

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
)

var testHeader = Header{RunID: 0xfeedf00d12345678, Host: modeltest.Host, Created: modeltest.Time(1)}

func mustEncode(t testing.TB, h Header, ranks []*model.Rank) []byte {
	t.Helper()
	return musttest.Get(Encode(h, ranks))(t)
}

// decodeAll decodes all slots of a file.
func decodeAll(f *File) *model.Run {
	scan := f.Scan(0, math.MaxInt64)
	run := &model.Run{ID: scan.RunID, Problems: scan.Problems}
	NewDecoder(scan.Bytes).DecodeSlots(map[string]*File{f.img.name: f}, scan.Slots, func(i int, k *model.Rank, wrong *SlotProblems) {
		if scan.Slots[i].Rank >= 0 && !scan.Slots[i].Spawned {
			k.Rank = scan.Slots[i].Rank
			run.Ranks = append(run.Ranks, k)
		} else {
			run.Others = append(run.Others, k)
		}
		run.Problems = append(run.Problems, wrong.OfRank(k.Rank)...)
	})
	slices.SortStableFunc(run.Ranks, func(a, b *model.Rank) int { return a.Rank - b.Rank })
	return run
}

// decodeFile decodes a file that is in memory. The error means that it cannot be used.
func decodeFile(data []byte) (*model.Run, error) {
	f := FromBytes("node-a.lgd", data)
	if f.Err() != nil {
		wrong := f.probs.asProblems(-1)
		return nil, wrong[len(wrong)-1].Err
	}
	return decodeAll(f), nil
}

func mustDecode(t testing.TB, data []byte) *model.Run {
	t.Helper()
	return musttest.Get(decodeFile(data))(t)
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 0))
		ranks := modeltest.RandomRanks(r, "node-a.lgd", 1+r.IntN(5))
		run := mustDecode(t, mustEncode(t, testHeader, ranks))
		if len(run.Problems) > 0 {
			t.Fatalf("seed %d: %v", seed, run.Problems[0].Err)
		}
		musttest.EqualBy(t, modeltest.SharedStates, ranks, run.Ranks, "seed", seed)
		if run.ID != testHeader.RunID || len(run.Others) > 0 {
			t.Fatalf("seed %d: id %x, %d others", seed, run.ID, len(run.Others))
		}
	}
}

// splitChunks returns the header page and the chunks of a file.
func splitChunks(t testing.TB, data []byte) (header []byte, chunks [][]byte) {
	t.Helper()
	m := newImage("node-a.lgd", data)
	var p problems
	for _, c := range m.walkChunks(format.PageSize, m.size(), &p) {
		chunks = append(chunks, data[c.off:][:c.size])
	}
	return data[:format.PageSize], chunks
}

// Processes reserve chunks when they need them: the order in the file means
// nothing, nor do pages that a dead process has reserved.
func TestChunksInAnyOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	ranks := modeltest.RandomRanks(r, "node-a.lgd", 4)
	header, chunks := splitChunks(t, mustEncode(t, testHeader, ranks))
	if len(chunks) <= len(ranks) {
		t.Fatal("no slot has a second chunk")
	}
	for range 10 {
		r.Shuffle(len(chunks), func(i, j int) { chunks[i], chunks[j] = chunks[j], chunks[i] })
		reserved := make([]byte, 3*format.PageSize)
		reserved[format.ChunkSize+1] = 0x30 // a header without its magic
		parts := slices.Concat([][]byte{header}, chunks[:2], [][]byte{reserved}, chunks[2:], [][]byte{reserved})
		run := mustDecode(t, slices.Concat(parts...))
		if len(run.Problems) > 0 {
			t.Fatal(run.Problems[0].Err)
		}
		musttest.EqualBy(t, modeltest.SharedStates, ranks, run.Ranks)
	}
}

func TestRanksShareStates(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 0))
	ranks := modeltest.RandomRanks(r, "node-a.lgd", 2)
	ranks[1].Modules, ranks[1].Threads = nil, ranks[0].Threads
	for _, m := range ranks[0].Modules {
		other := *m
		other.Base += 4096
		ranks[1].Modules = append(ranks[1].Modules, &other)
	}
	ranks[1].Comms, ranks[1].Channels, ranks[1].Locks, ranks[1].Taken = ranks[0].Comms[:1], nil, nil, nil
	ranks[1].Origins, ranks[1].Persistent, ranks[1].Probed, ranks[1].Wildcards, ranks[1].Series = nil, nil, nil, nil, nil
	ranks[1].Comms = []*model.Comm{{ID: 1, Kind: model.World, Rank: 1, Members: []int{0, 1}, Size: 2, State: -1}}
	for _, th := range ranks[1].Threads {
		th.Op.Pending = nil
	}
	run := mustDecode(t, mustEncode(t, testHeader, ranks))
	a, b := run.Ranks[0], run.Ranks[1]
	if len(a.Threads[0].Model.States) == 0 {
		t.Fatal("nothing to share")
	}
	if !slices.Equal(a.Threads[0].Model.States, b.Threads[0].Model.States) {
		t.Error("equal states are not one")
	}
	if &a.Comms[0].Members[0] != &b.Comms[0].Members[0] {
		t.Error("equal groups are not one")
	}
	if a.Modules[0].Base+4096 != b.Modules[0].Base {
		t.Error("modules of different address are one")
	}
}

// A library that comes back at another address has new modules for old states.
func TestEqualStatesOfAThreadAreJoined(t *testing.T) {
	old, back := &model.Module{BuildID: "ab", Path: "/p", Base: 4096}, &model.Module{BuildID: "ab", Path: "/p", Base: 8192}
	state := func(m *model.Module) *model.State {
		return &model.State{Call: "MPI_Send", Stack: []model.Frame{{Module: m, Offset: 16}}}
	}
	k := &model.Rank{Rank: 0, Size: 1, Family: "mpich", Phase: model.Running, Modules: []*model.Module{old, back}}
	k.Threads = []*model.Thread{{
		Model: model.Model{
			States: []*model.State{state(old), {Call: "MPI_Recv"}, state(back)},
			Visits: []uint64{5, 1, 7},
			Edges:  []model.Edge{{From: 0, To: 1, Count: 2}, {From: 1, To: 2, Count: 3}, {From: 2, To: 1, Count: 4}},
		},
		Op: model.Op{State: 2},
	}}
	got := mustDecode(t, mustEncode(t, testHeader, []*model.Rank{k})).Ranks[0].Threads[0]
	want := model.Model{States: got.Model.States, Visits: []uint64{12, 1},
		Edges: []model.Edge{{From: 0, To: 1, Count: 6}, {From: 1, To: 0, Count: 3}}}
	if diff := cmp.Diff(want, got.Model); diff != "" || got.Op.State != 0 {
		t.Errorf("current state %d\n%s", got.Op.State, diff)
	}
}

func TestEncodeRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*model.Rank){
		"family":   func(k *model.Rank) { k.Family = "x" },
		"program":  func(k *model.Rank) { k.Exe = string(make([]byte, format.SizeofRankExe+1)) },
		"build-id": func(k *model.Rank) { k.Modules[0].BuildID = "xyz" },
		"stack": func(k *model.Rank) {
			k.Threads[0].Captured = &model.Capture{Stack: make([]model.Frame, format.MaxFrames+1)}
		},
		"offset":       func(k *model.Rank) { k.Threads[0].Captured = &model.Capture{Stack: []model.Frame{{Offset: 1 << 48}}} },
		"pending":      func(k *model.Rank) { k.Threads[0].Op.Pending = make([]model.Pending, format.MaxPending+1) },
		"pending comm": func(k *model.Rank) { k.Threads[0].Op.Pending = []model.Pending{{Comm: 99}} },
		"state":        func(k *model.Rank) { k.Threads[0].Op.State = 1000 },
		"edge":         func(k *model.Rank) { k.Threads[0].Model.Edges = []model.Edge{{From: 1000}} },
		"visits":       func(k *model.Rank) { k.Threads[0].Model.Visits = make([]uint64, 1000) },
		"channel":      func(k *model.Rank) { k.Channels = []model.Channel{{Comm: 99}} },
		"comm thread":  func(k *model.Rank) { k.Comms[0].Thread = 9 },
		"thread order": func(k *model.Rank) { k.Threads = append(k.Threads, k.Threads[0]) },
		"comm's state": func(k *model.Rank) { k.Comms[0].State = 1000 },
		"function name": func(k *model.Rank) {
			k.Threads[0].Model = model.Model{States: []*model.State{{Call: string(make([]byte, 1<<16))}}, Visits: []uint64{1}}
		},
	} {
		ranks := modeltest.RandomRanks(rand.New(rand.NewPCG(7, 7)), "node-a.lgd", 1)
		spoil(ranks[0])
		if data, err := Encode(testHeader, ranks); err == nil || data != nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := Encode(Header{Host: string(make([]byte, 64))}, nil); err == nil {
		t.Error("long host name: no error")
	}
}

// A recorder need not write the members of a window: they are its parent's.
func TestWindowHasTheMembersOfItsParent(t *testing.T) {
	k := &model.Rank{Rank: 1, Size: 3, Family: "mpich", Phase: model.Running, Threads: []*model.Thread{{Op: model.Op{State: -1}}}}
	w := &slotWriter{file: make([]byte, format.PageSize)}
	w.writeRankRecord(k)
	w.writeThread(k, k.Threads[0])
	w.writeComm(k, 0, &model.Comm{ID: 9, Kind: model.World, Rank: 1, Members: []int{0, 1, 2}, State: -1})
	w.writeComm(k, 1, &model.Comm{ID: 10, Parent: 9, Kind: model.Window, Rank: 1, Members: []int{}, State: -1})
	putHeader(w.file, testHeader, 1)
	run := mustDecode(t, w.file)
	win := run.Ranks[0].Comms[1]
	if win.Members != nil {
		t.Error("a window of another size has the members")
	}
	m := newImage("", w.file)
	var p problems
	l := musttest.Get(m.readLayout(&p))(t)
	c := newCursor(m, l, 0, &p)
	for rec, ok := c.next(); ok; rec, ok = c.next() {
		if rec.typ == format.CommRecord && rec.fixed[format.CommIndex] == 1 {
			patchWord(w.file, rec.off, rec.off+format.SizeofRec+format.CommSize, 3)
		}
	}
	run = mustDecode(t, w.file)
	win = run.Ranks[0].Comms[1]
	if !slices.Equal(win.Members, []int{0, 1, 2}) || win.Rank != 1 || len(run.Problems) > 0 {
		t.Errorf("members %v, rank %d, problems %v", win.Members, win.Rank, run.Problems)
	}
}

// TestOlderRank: the record of an older recorder, which ends before the pid namespace or how the
// process ended, is read.
func TestOlderRank(t *testing.T) {
	for _, c := range []struct {
		live             int
		present, missing string
	}{{format.RankPIDSpace, "longest_quiet_ns", "pid_space"}, {format.RankAsked, "pid_space", "asked_signal"},
		{format.RankActive, "orphaned", "active_how"}, {format.RankProcessors, "active_how", "processors"},
		{format.RankBad, "spawns", "bad_limit"}} {
		testOlderRank(t, c.live, c.present, c.missing)
	}
}

func testOlderRank(t *testing.T, live int, present, missing string) {
	r := modeltest.RandomRanks(rand.New(rand.NewPCG(1, 2)), "node-x.lgd", 1)[0]
	r.Asked, r.Ender, r.How = model.Signal{Number: 15}, model.EnderLibrary, model.AtFile
	w := &slotWriter{file: make([]byte, format.PageSize)}
	w.writeRankRecord(r)
	at := format.PageSize + format.SizeofChunk
	binary.LittleEndian.PutUint32(w.file[at+format.RecSize:], format.SizeofRec+format.SizeofRankFixed+uint32(live))
	fixed := w.file[at+format.SizeofRec:][:format.SizeofRankFixed]
	binary.LittleEndian.PutUint32(w.file[at+format.RecCRC:], recordCRC(w.file[at:], fixed))
	w.used -= format.SizeofRankLive - live
	w.writeThread(r, r.Threads[0])
	w.closeChunk()
	putHeader(w.file, testHeader, 1)
	run := mustDecode(t, w.file)
	all := append(run.Ranks, run.Others...)
	if len(all) != 1 || all[0].PID != r.PID || (all[0].PIDSpace != 0) != (live > format.RankPIDSpace) ||
		(all[0].Ended != (model.Ended{})) != (live > format.RankAsked) ||
		all[0].Activity != (model.Activity{}) && live <= format.RankActive ||
		(all[0].Processors != 0) != (live > format.RankProcessors) || all[0].Bad != (model.BadArgument{}) {
		t.Errorf("%+v, problems %v", all, run.Problems)
	}
	path := filepath.Join(t.TempDir(), "node-x.lgd")
	musttest.Succeed(t, os.WriteFile(path, w.file, 0o600))
	var text bytes.Buffer
	if _, err := Dump(&text, path); err != nil || strings.Contains(text.String(), missing) || !strings.Contains(text.String(), present) {
		t.Errorf("%v\n%s", err, text.String())
	}
}
