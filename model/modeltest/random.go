package modeltest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"

	"laggard/model"
	"laggard/model/format"
	"laggard/model/mpi"
)

// Host is the host of the ranks.
const Host = "a"

// Scale bounds how much the random ranks have of what.
// Everything that the generator makes can be written, and comes back as it was.
type Scale struct{ threads, states, pending, channels, group int }

// Ample fills several chunks a rank, Lean one.
var (
	Ample = Scale{threads: 3, states: 20, pending: format.MaxPending, channels: 70, group: 30}
	Lean  = Scale{threads: 2, states: 5, pending: 3, channels: 4, group: 5}
)

// Time is a moment some seconds into the test run.
func Time(s int) time.Time { return time.Unix(1_700_000_000+int64(s), 123456789).UTC() }

// RandomRanks makes the ranks of a job as file says they were read.
func RandomRanks(r *rand.Rand, file string, n int) []*model.Rank {
	return RandomRanksOf(r, Ample, file, n)
}

// RandomRanksOf is RandomRanks of another scale.
func RandomRanksOf(r *rand.Rand, sc Scale, file string, n int) []*model.Rank {
	world := make([]int, n)
	for i := range world {
		world[i] = i
	}
	out := make([]*model.Rank, n)
	for i := range out {
		out[i] = randomRank(r, sc, i, world)
		out[i].File, out[i].Slot, out[i].Host = file, i, Host
	}
	return out
}

func randomSignal(r *rand.Rand) model.Signal {
	return model.Signal{Number: r.IntN(format.MaxSignal + 1), Sender: model.Sender(r.IntN(6)), Code: r.IntN(200) - 60, PID: r.IntN(1 << 22),
		Time: Time(r.IntN(50))}
}

func randomRank(r *rand.Rand, sc Scale, rank int, world []int) *model.Rank {
	k := &model.Rank{
		Rank: rank, Size: len(world), PID: 1 + r.IntN(1<<22), PIDSpace: 0xF0000000 + uint64(rank), Processors: 1 + rank%256,
		World: 7, ParentWorld: uint64(rank), ParentRank: rank - 1, Spawns: uint32(rank), Starter: 9 + uint64(rank),
		Family: []mpi.Family{mpi.OpenMPI, mpi.MPICH, mpi.Standard}[r.IntN(3)], Exe: fmt.Sprintf("/opt/app-%d", r.IntN(3)),
		Start: Time(r.IntN(5)), Phase: model.Starting + model.Phase(r.IntN(4)), End: model.End(r.IntN(4)), EndDetail: r.IntN(40) - 1,
		Heartbeat: Time(60 + r.IntN(9)), LongestQuiet: time.Duration(r.Int64N(1e12)),
		ThreadLevel: r.IntN(4), Off: r.IntN(9) == 0, Evicted: r.Uint64N(3), LostRequests: r.Uint64N(3),
	}
	if r.IntN(2) == 0 {
		k.QuietSince, k.EndTime = Time(30), Time(50)
		k.Asked, k.Fatal = randomSignal(r), randomSignal(r)
		k.Ender, k.Orphaned, k.By = model.Ender(r.IntN(3)), r.IntN(2) == 0, []string{"", "timeout", "hydra_pmi_proxy"}[r.IntN(3)]
		k.Activity = model.Activity{Active: Time(40), How: model.How(r.IntN(5)), Read: r.Uint64N(1e12), Written: r.Uint64N(1e12)}
	}
	for range r.IntN(3) {
		k.Notes = append(k.Notes, fmt.Sprintf("table full at %d", r.IntN(1000)))
	}
	for i := range 1 + r.IntN(4) {
		k.Modules = append(k.Modules, randomModule(r, i))
	}
	for i := range 1 + r.IntN(sc.threads) {
		k.Threads = append(k.Threads, randomThread(r, sc, k, i*(1+i)))
	}
	randomComms(r, sc, k, world)
	for _, t := range k.Threads {
		randomOp(r, sc, k, t)
	}
	for range r.IntN(sc.channels) {
		k.Channels = append(k.Channels, model.Channel{
			Comm: r.IntN(len(k.Comms)), Peer: r.IntN(len(world)), Tag: r.IntN(5) - 1,
			Sent: r.Uint64N(1e6), Received: r.Uint64N(1e6),
		})
	}
	for range r.IntN(sc.channels) {
		k.Locks = append(k.Locks,
			model.Lock{Comm: r.IntN(len(k.Comms)), Target: r.IntN(len(world)+1) - 1, Type: model.Exclusive + model.LockType(r.IntN(2))})
	}
	for range r.IntN(sc.channels) {
		k.Taken = append(k.Taken, randomTaken(r, k, world))
	}
	randomMessages(rand.New(rand.NewPCG(uint64(k.PID), 2)), sc, k, world)
	for i := range r.IntN(sc.states) {
		k.Sites = append(k.Sites, &model.Site{Function: fmt.Sprintf("write%d", i), Stack: randomStack(r, k, 1+r.IntN(12)),
			Partial: r.IntN(2) == 0, Traffic: randomTraffic(r)})
	}
	randomOthers(rand.New(rand.NewPCG(uint64(k.PID), 5)), k)
	randomSeries(rand.New(rand.NewPCG(uint64(k.PID), 3)), k, world)
	k.Bad = randomBadArgument(rand.New(rand.NewPCG(uint64(k.PID), 4)))
	if r.IntN(2) == 0 {
		k.Arguments = []string{"-n", fmt.Sprint(r.IntN(99)), ""}
	}
	return k
}

func randomBadArgument(r *rand.Rand) model.BadArgument {
	return model.BadArgument{
		How: model.BadHow(r.IntN(int(model.BadOverwritten) + 1)), Position: r.IntN(9), Element: r.IntN(5) - 1,
		Value: r.Int64N(99) - 50, Limit: r.Int64N(99) - 1,
	}
}

func randomTaken(r *rand.Rand, k *model.Rank, world []int) model.Taken {
	thread := r.IntN(len(k.Threads))
	return model.Taken{
		Comm: r.IntN(len(k.Comms)), Peer: r.IntN(len(world)), Tag: r.IntN(5), Number: 1 + r.Uint64N(1e6),
		Thread: thread, State: r.IntN(len(k.Threads[thread].Model.States)+1) - 1,
		AnySource: r.IntN(2) == 0, AnyTag: r.IntN(2) == 0,
	}
}

// randomMessages adds what is known of single messages, and of the errors of calls.
func randomMessages(r *rand.Rand, sc Scale, k *model.Rank, world []int) {
	for range r.IntN(sc.channels) {
		m := randomTaken(r, k, world)
		k.Origins = append(k.Origins, model.Origin{
			Comm: m.Comm, Peer: m.Peer, Tag: m.Tag, Number: m.Number, Thread: m.Thread, State: m.State})
	}
	for range r.IntN(sc.channels) {
		m := randomTaken(r, k, world)
		k.Persistent = append(k.Persistent, model.Persistent{Comm: m.Comm, Peer: m.Peer, Tag: m.Tag, Sends: m.AnySource,
			Partitioned: m.AnyTag, Thread: m.Thread, State: m.State, Made: r.Uint32(), Freed: r.Uint32(), Idle: r.Uint32(),
			Started: m.Number})
	}
	for range r.IntN(sc.channels) {
		k.Probed = append(k.Probed, randomTaken(r, k, world))
	}
	for range r.IntN(sc.channels) {
		m := randomTaken(r, k, world)
		k.Wildcards = append(k.Wildcards, model.Wildcard{
			Comm: m.Comm, Peer: model.Any, Tag: m.Tag, Count: m.Number, Thread: m.Thread, State: m.State})
	}
	for _, t := range k.Threads {
		randomBuffers(rand.New(rand.NewPCG(uint64(k.PID), 6)), k, t)
		for state := range t.Model.States {
			if r.IntN(4) == 0 {
				t.Failed = append(t.Failed, model.Failed{State: state, Class: r.IntN(99), Text: "MPI_ERR_TRUNCATE: message truncated",
					Count: r.Uint64(), Calls: r.Uint64()})
			}
		}
	}
}

// randomBuffers gives a thread buffers, as one that died.
func randomBuffers(r *rand.Rand, k *model.Rank, t *model.Thread) {
	for range r.IntN(3) {
		b := model.Buffer{State: r.IntN(len(t.Model.States)+1) - 1, Position: r.IntN(9), Element: r.IntN(3) - 1, Address: r.Uint64(),
			Low: r.Int64N(99) - 9, High: r.Int64N(999), Room: r.Int64N(999) - 1, Memory: model.Memory(r.IntN(int(model.MemoryGone) + 1)),
			Written: r.IntN(2) == 0, ReadOnly: r.IntN(2) == 0, Unsure: r.IntN(2) == 0, Frame: r.IntN(3) - 1, InFrame: -r.Int64N(99)}
		if r.IntN(2) == 0 {
			b.Variable = randomStack(r, k, 1)
		}
		t.Buffers = append(t.Buffers, b)
	}
}

func randomTraffic(r *rand.Rand) model.Traffic {
	return model.Traffic{Calls: r.Uint64N(1e6), Bytes: r.Uint64()}
}

func randomModule(r *rand.Rand, i int) *model.Module {
	m := &model.Module{Path: fmt.Sprintf("/lib/lib%d.so", i), Base: r.Uint64() >> 16 &^ 0xfff, Size: r.Uint64N(1e8)}
	if i%3 != 2 {
		m.BuildID = hex.EncodeToString([]byte(fmt.Sprintf("build-id-%d", i)))
	}
	return m
}

// randomOthers gives a rank threads that do not call MPI, exceptions of such, and sites that an interpreter calls from.
func randomOthers(r *rand.Rand, k *model.Rank) {
	for _, s := range k.Sites {
		s.Interpreter = r.IntN(2) == 0
	}
	for i := range r.IntN(3) {
		k.Others = append(k.Others, model.OtherThread{TID: k.PID + 9 + i, Time: Time(r.IntN(1000)), Stack: randomStack(r, k, 1+r.IntN(12)),
			Partial: r.IntN(2) == 0})
	}
	for i := range r.IntN(3) {
		k.Thrown = append(k.Thrown, model.Raised{How: model.RaisedThrown, Calls: uint64(10 * i), Order: uint32(i), Type: "St9exception",
			Text: "no such tile", Stack: randomStack(r, k, 1+r.IntN(12)), Cut: i == 1})
	}
}

func randomStack(r *rand.Rand, k *model.Rank, depth int) []model.Frame {
	var out []model.Frame
	for range depth {
		f := model.Frame{Offset: r.Uint64N(1 << format.OffsetBits)}
		if n := r.IntN(len(k.Modules) + 1); n > 0 {
			f.Module = k.Modules[n-1]
		}
		out = append(out, f)
	}
	return out
}

func randomThread(r *rand.Rand, sc Scale, k *model.Rank, index int) *model.Thread {
	t := &model.Thread{
		Index: index, TID: 1 + r.IntN(1<<22), Op: model.Op{State: -1},
		Calls: r.Uint64(), Progress: r.Uint64(), Polls: r.Uint64(), Light: r.Uint64(),
	}
	t.Ended = t.TID%9 == 0
	n := r.IntN(sc.states)
	for range n {
		s := &model.State{Call: fmt.Sprintf("MPI_Call%d", r.IntN(50)), Stack: randomStack(r, k, r.IntN(12)),
			Partial: r.IntN(2) == 0, Binding: mpi.Binding(r.IntN(3))}
		s.Stack = append(s.Stack, model.Frame{Offset: r.Uint64N(1 << format.OffsetBits)}) // no two alike
		s.ID = s.ContentID()
		t.Model.States = append(t.Model.States, s)
		t.Model.Visits = append(t.Model.Visits, r.Uint64())
		if r.IntN(2) == 0 {
			t.Sent = append(t.Sent,
				model.Sent{State: len(t.Model.States) - 1, Traffic: randomTraffic(r), Distance: r.Uint64()})
		}
	}
	if index%2 == 1 && n > 0 {
		t.Model.Samples = make([]model.Samples, n)
		for i := range n {
			t.Model.Samples[i] = model.Samples{Computing: i % 7, Waiting: 1 + i*index}
		}
	}
	for i := index % 3; i < n; i += 3 {
		t.Model.Unfreed = append(t.Model.Unfreed, model.Unfreed{State: i, Count: 1 + 300*i, Rounds: i * index})
	}
	for i := range n {
		t.Model.Edges = append(t.Model.Edges, model.Edge{From: i, To: r.IntN(n), Count: r.Uint64()})
	}
	if r.IntN(3) > 0 {
		t.Captured = &model.Capture{Time: Time(40), Why: model.CaptureQuiet + model.CaptureReason(r.IntN(5)), Signal: r.IntN(12),
			Stack: randomStack(r, k, r.IntN(format.MaxFrames+1)), Partial: r.IntN(2) == 0, Idle: r.IntN(2) == 0,
			InMPI: r.IntN(2) == 0,
			Calls: r.Uint64(), Same: r.IntN(99), Other: r.IntN(9) == 0,
			Awaited: model.Awaited(r.IntN(6)), AwaitedTID: r.IntN(999)}
	}
	if t.TID%5 == 0 {
		t.FileLock = &model.FileLock{
			Holder: index, Command: []string{"", "h5repack"}[index%2], File: fmt.Sprintf("/scratch/a %d.lock", t.TID),
		}
	}
	if r := rand.New(rand.NewPCG(t.Calls, 1)); r.IntN(3) == 0 {
		t.Raised = &model.Raised{How: model.RaisedSet + model.RaisedHow(r.IntN(7)), Calls: r.Uint64(), Order: r.Uint32(),
			Type: "lib.Error", Text: []string{"", "no such file: \"a\""}[r.IntN(2)],
			Stack: randomStack(r, k, r.IntN(9)), Cut: r.IntN(2) == 0, Habit: r.IntN(2) == 0}
	}
	return t
}

func randomState(r *rand.Rand, t *model.Thread) int { return r.IntN(len(t.Model.States)+1) - 1 }

func randomComms(r *rand.Rand, sc Scale, k *model.Rank, world []int) {
	thread := k.Threads[0]
	k.Comms = []*model.Comm{
		{ID: 1, Kind: model.World, Rank: k.Rank, Members: world, Size: len(world), State: -1},
		{ID: 2 + uint64(k.Rank), Kind: model.Self, Members: []int{k.Rank}, Size: 1, State: randomState(r, thread)},
		{ID: 99, Parent: 1, Rank: 0, Size: 40, State: randomState(r, thread), Freed: true},
	}
	members := r.Perm(300)[:1+r.IntN(sc.group)]
	members = append(members, 7, 9, 11, -1, -1, 400, 300, 200)
	remote := []int{-1, 5}
	k.Comms = append(k.Comms,
		&model.Comm{ID: 77, Parent: 99, Kind: model.Inter, Rank: r.IntN(len(members)), Members: members, Remote: remote,
			Size: len(members), RemoteSize: len(remote), Coll: r.Uint64(), State: -1, Thread: len(k.Threads) - 1,
			ToParent: k.Rank%2 == 0, Spawned: Time(k.Rank), Place: uint32(k.Rank)})
	k.Comms = append(k.Comms,
		&model.Comm{ID: 78, Parent: 1, Kind: model.Window, Rank: k.Rank, Members: world, Size: len(world), State: -1},
		&model.Comm{ID: 79, Parent: 1, Kind: model.File, Rank: k.Rank, Members: world, Size: len(world), State: -1},
		&model.Comm{ID: 81, Parent: 1, Forming: true, Rank: k.Rank, Members: world, Size: len(world), Coll: 1, State: -1},
		&model.Comm{ID: 82, Parent: 1, Rank: k.Rank, Members: world, Size: len(world), State: -1,
			Neighbours: &model.Neighbours{Sources: someOf(r, len(world)), Dests: someOf(r, len(world))}})
	for i, coll := range []uint64{7, 1<<33 + 5} {
		k.Comms = append(k.Comms,
			&model.Comm{ID: 83 + uint64(i), Parent: 1, Rank: k.Rank, Members: world, Size: len(world), State: -1,
				Coll: coll, History: randomHistory(rand.New(rand.NewPCG(coll, uint64(k.Rank))), k, coll)})
	}
}

// randomHistory is that of a communicator with coll collectives.
func randomHistory(r *rand.Rand, k *model.Rank, coll uint64) *model.History {
	h := new(model.History)
	hashes := func(n uint64) model.Mark { return model.Mark{Number: n, Calls: r.Uint64(), Sites: r.Uint64()} }
	for n := max(coll, format.Begun) - format.Begun + 1; n <= coll; n++ {
		thread := r.IntN(len(k.Threads))
		op := append([]string{"", model.OwnOp}, mpi.Operations[:]...)[r.IntN(2+len(mpi.Operations))]
		h.Latest = append(h.Latest,
			model.Begun{Mark: hashes(n), Order: r.Uint32(), Thread: thread, State: randomState(r, k.Threads[thread]),
				Root: []int{model.None, 0, 3}[r.IntN(3)], Op: op, Bytes: r.Int64N(1e9) - 1})
	}
	at := map[uint64]bool{}
	for level, step := 0, uint64(format.MarkStep); level < format.MarkLevels; level, step = level+1, step*4 {
		for k := coll / step; k > 0 && coll/step-k < 2; k-- {
			at[k*step] = true
		}
	}
	for _, n := range slices.Sorted(maps.Keys(at)) {
		h.Marks = append(h.Marks, hashes(n))
	}
	return h
}

// someOf returns some of the numbers below n, rising.
func someOf(r *rand.Rand, n int) []int {
	var out []int
	for i := range n {
		if r.IntN(2) == 0 {
			out = append(out, i)
		}
	}
	return out
}

func randomOp(r *rand.Rand, sc Scale, k *model.Rank, t *model.Thread) {
	t.Op = model.Op{State: randomState(r, t), InMPI: r.IntN(2) == 0, Kind: model.Kind(r.IntN(int(model.Abort) + 1)), Unlisted: r.IntN(3)}
	for range r.IntN(sc.pending + 1) {
		t.Op.Pending = append(t.Op.Pending, model.Pending{
			Kind: model.Kind(r.IntN(int(model.Abort) + 1)), Comm: r.IntN(len(k.Comms)+1) - 1,
			Peer: []int{model.None, model.Any, model.ProcNull, 3}[r.IntN(4)], Tag: []int{model.None, model.Any, 0, 12345}[r.IntN(4)],
			Seq: r.Uint64(), State: randomState(r, t),
		})
	}
}

// randomSeries adds what was sampled: long steps, then shorter ones, with gaps.
func randomSeries(r *rand.Rand, k *model.Rank, world []int) {
	at := Time(0).Unix() / 600 * 600
	for _, step := range []int64{600, 10, 1} {
		for range r.IntN(5) {
			at += step * int64(1+r.IntN(2))
			k.Series = append(k.Series, randomInterval(r, k, world, time.Unix(at, 0).UTC(), time.Duration(step)*time.Second))
		}
		at += step
	}
	if len(k.Series) > 0 {
		k.SampleHz = 10
	}
}

func randomInterval(r *rand.Rand, k *model.Rank, world []int, begin time.Time, step time.Duration) model.Interval {
	thread := r.IntN(len(k.Threads))
	states := len(k.Threads[thread].Model.States)
	part := func() float64 { return float64(r.IntN(1001)) / 1000 }
	ms := func() time.Duration { return time.Duration(r.IntN(1e6)) * time.Millisecond }
	return model.Interval{
		Begin: begin, Step: step, Samples: r.IntN(6000), Computing: r.IntN(3000), Waiting: r.IntN(3000), IO: r.IntN(9),
		CPU: ms(), Starved: ms(), Faults: r.IntN(9), Calls: r.IntN(1e6), Thread: thread, State: r.IntN(states+1) - 1, AtState: r.IntN(99),
		Comm: r.IntN(len(k.Comms)+1) - 1, Peer: r.IntN(len(world)), ForPeer: r.IntN(99), Anchor: r.IntN(states+1) - 1, Turns: r.IntN(99),
		MHz: r.IntN(5000), Pressure: model.Pressure{CPU: part(), IO: part(), Memory: part()},
	}
}

// SharedStates compares states as the ranks of a load share them: not by the address
// at which one of the processes had the module.
var SharedStates = cmp.Transformer("shared", func(s *model.State) any {
	type frame struct {
		ID, Path string
		Offset   uint64
	}
	var stack []frame
	for _, f := range s.Stack {
		if f.Module == nil {
			stack = append(stack, frame{Offset: f.Offset})
		} else {
			stack = append(stack, frame{f.Module.BuildID, f.Module.Path, f.Offset})
		}
	}
	return struct {
		ID      model.StateID
		Call    string
		Stack   []frame
		Partial bool
		Binding mpi.Binding
	}{s.ID, s.Call, stack, s.Partial, s.Binding}
})

// AppendBlock appends a chunk with a block, as the recorder leaves it.
func AppendBlock(file []byte, slot uint32, number, block int, data []byte, pack bool) []byte {
	stored, packed := data, 0
	if pack {
		w, _ := zstd.NewWriter(nil)
		stored, packed = w.EncodeAll(data, nil), len(data)
	}
	chunk := make([]byte, (format.SizeofStreamChunk+len(stored)+format.PageSize-1)/format.PageSize*format.PageSize)
	le := binary.LittleEndian
	le.PutUint32(chunk, format.MagicStream)
	le.PutUint32(chunk[format.ChunkSize:], uint32(len(chunk)))
	le.PutUint32(chunk[format.ChunkSlot:], slot)
	le.PutUint16(chunk[format.StreamChunkKind:], uint16(format.StreamUsage))
	le.PutUint32(chunk[format.StreamChunkNumber:], uint32(number))
	le.PutUint32(chunk[format.StreamChunkPacked:], uint32(packed))
	le.PutUint32(chunk[format.StreamChunkCRC:], crc32.Checksum(chunk[:format.StreamChunkCRC], crc32.MakeTable(crc32.Castagnoli)))
	le.PutUint64(chunk[format.StreamChunkBlock:], uint64(block))
	le.PutUint64(chunk[format.StreamChunkUsed:], uint64(len(stored)))
	copy(chunk[format.SizeofStreamChunk:], stored)
	return append(file, chunk...)
}

// RepairChecksums puts checksums right, so that the fuzzer gets behind them.
func RepairChecksums(data []byte) []byte {
	data = slices.Clone(data)
	table := crc32.MakeTable(crc32.Castagnoli)
	for off := int64(format.PageSize); off+format.SizeofChunk < int64(len(data)); off += format.PageSize {
		if binary.LittleEndian.Uint32(data[off:]) != format.MagicChunk {
			continue
		}
		binary.LittleEndian.PutUint32(data[off+format.ChunkCRC:], crc32.Checksum(data[off:][:format.ChunkCRC], table))
		for at := off + format.SizeofChunk; at+format.SizeofRec <= int64(len(data)); {
			le := binary.LittleEndian
			size, fixed := int64(le.Uint32(data[at+format.RecSize:])), int64(le.Uint32(data[at+format.RecFixed:]))
			if size == 0 || format.SizeofRec+fixed > size || at+size > int64(len(data)) {
				break
			}
			sum := crc32.Checksum(data[at:][:format.RecCRC], table)
			le.PutUint32(data[at+format.RecCRC:], crc32.Update(sum, table, data[at+format.SizeofRec:][:fixed]))
			at += (size + 7) &^ 7
		}
	}
	return data
}

// MemoryFactor bounds what is allocated in reading a file, in bytes for a byte
// of it; MemoryBase is what an empty one takes.
const (
	MemoryFactor = 40
	MemoryBase   = 1 << 20
)

// AllocatedBytes returns the bytes f allocates.
func AllocatedBytes(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// RandomTwins makes ranks of which each is like one of the first few, with
// counts of its own.
func RandomTwins(r *rand.Rand, sc Scale, n int) []*model.Rank {
	out := RandomRanksOf(r, sc, "node-a.lgd", n)
	for i := 2; i < n; i++ {
		like := out[r.IntN(2)]
		k := out[i]
		k.Modules, k.Threads, k.Sites, k.Others, k.Thrown = like.Modules, nil, nil, like.Others, like.Thrown
		for _, s := range like.Sites {
			other := *s
			other.Traffic = randomTraffic(r)
			k.Sites = append(k.Sites, &other)
		}
		for _, t := range like.Threads {
			k.Threads = append(k.Threads, twinThread(r, t))
		}
		for i := range k.Taken {
			k.Taken[i].Thread, k.Taken[i].State = 0, -1
		}
		for i := range k.Probed {
			k.Probed[i].Thread, k.Probed[i].State = 0, -1
		}
		for i := range k.Wildcards {
			k.Wildcards[i].Thread, k.Wildcards[i].State = 0, -1
		}
		for i := range k.Persistent {
			k.Persistent[i].Thread, k.Persistent[i].State = 0, -1
		}
		for i := range k.Origins {
			k.Origins[i].Thread, k.Origins[i].State = 0, -1
		}
		for i := range k.Series {
			k.Series[i].Thread, k.Series[i].State, k.Series[i].Anchor = 0, -1, -1
		}
		for _, c := range k.Comms {
			c.Thread, c.State = 0, -1
			if c.History != nil {
				for i := range c.History.Latest {
					c.History.Latest[i].Thread, c.History.Latest[i].State = 0, -1
				}
			}
		}
	}
	return out
}

func twinThread(r *rand.Rand, like *model.Thread) *model.Thread {
	t := *like
	t.Model.Visits = slices.Clone(like.Model.Visits)
	for i := range t.Model.Visits {
		t.Model.Visits[i] = r.Uint64() >> r.IntN(64)
	}
	t.Model.Edges = append([]model.Edge(nil), like.Model.Edges...)
	for i := range t.Model.Edges {
		t.Model.Edges[i].Count = r.Uint64() >> r.IntN(64)
	}
	t.Op.Pending = nil
	t.Model.Samples, like.Model.Samples = nil, nil
	t.Model.Unfreed, like.Model.Unfreed = nil, nil
	return &t
}
