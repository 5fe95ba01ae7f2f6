package nodefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
)

// liveFile maps a file of one rank for writing, as a recorder has it.
func liveFile(t *testing.T) (path string, data []byte, off func(format.Record) int64) {
	t.Helper()
	k := &model.Rank{Rank: 0, Size: 1, Family: "mpich", Phase: model.Running}
	k.Threads = []*model.Thread{{Op: model.Op{State: -1}}}
	k.Comms = []*model.Comm{{ID: 5, Parent: 6, Kind: model.World, Members: []int{0}, Size: 1, State: -1}}
	k.Channels = []model.Channel{{Comm: 0, Peer: 1, Tag: 1, Sent: 1, Received: 1}}
	path, data = writtenFile(t, k)
	m := newImage("", data)
	var p problems
	l := musttest.Get(m.readLayout(&p))(t)
	return path, data, func(typ format.Record) int64 {
		c := newCursor(m, l, 0, &p)
		for rec, ok := c.next(); ok; rec, ok = c.next() {
			if rec.typ == typ {
				return rec.live
			}
		}
		t.Fatalf("no %s", typ)
		return 0
	}
}

// writtenFile writes a file of one rank and maps it for writing, as a recorder has it.
func writtenFile(t *testing.T, k *model.Rank) (path string, data []byte) {
	t.Helper()
	dir := t.TempDir()
	name := musttest.Get(WriteNode(dir, testHeader, []*model.Rank{k}))(t)
	path = filepath.Join(dir, name)
	file := musttest.Get(os.OpenFile(path, os.O_RDWR, 0))(t)
	defer file.Close()
	info := musttest.Get(file.Stat())(t)
	data = musttest.Get(unix.Mmap(int(file.Fd()), 0, int(info.Size()), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED))(t)
	t.Cleanup(func() { unix.Munmap(data) })
	return path, data
}

// decodeAt decodes the file at path, as it is now.
func decodeAt(path string) *model.Run {
	f := Open(path, "node-a.lgd", "")
	defer f.Close()
	return decodeAll(f)
}

// storeWord stores a word as the recorder does.
func storeWord(data []byte, off int64, v uint64) {
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&data[off])), littleEndian(v))
}

// keepWriting calls write with 1, 2 and so on beside the test, until that ends.
func keepWriting(t *testing.T, write func(n uint64)) {
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := uint64(1); ; n++ {
			select {
			case <-stop:
				return
			default:
				write(n)
			}
		}
	})
	t.Cleanup(func() { close(stop); wg.Wait() })
}

// The reader never sees half of an update, however fast the writer is.
func TestUpdatesAreSeenWhole(t *testing.T) {
	path, data, off := liveFile(t)
	op, comm, channel := off(format.ThreadRecord), off(format.CommRecord), off(format.ChannelsRecord)
	keepWriting(t, func(n uint64) {
		storeWord(data, op, 2*n-1)
		storeWord(data, op+format.ThreadCalls, n)
		storeWord(data, op+format.ThreadProgress, n)
		storeWord(data, op+format.ThreadPolls, n)
		storeWord(data, op, 2*n)
		storeWord(data, comm+format.CommFreed, 1)
		storeWord(data, comm+format.CommID, n)
		storeWord(data, comm+format.CommParent, n+1)
		storeWord(data, comm+format.CommFreed, 0)
		seq := uint64(uint32(2*n - 1))
		storeWord(data, channel, 1<<32|seq)
		storeWord(data, channel+format.ChannelSent, n)
		storeWord(data, channel+format.ChannelReceived, n)
		storeWord(data, channel, 1<<32|uint64(uint32(2*n)))
	})
	whole := 0
	for range 300 {
		run := decodeAt(path)
		for _, p := range run.Problems {
			if !errors.Is(p.Err, model.ErrTorn) { // it may be halted within an update for long
				t.Fatal(p.Err)
			}
		}
		if len(run.Problems) > 0 {
			continue
		}
		whole++
		th := run.Ranks[0].Threads[0]
		if th.Calls != th.Progress || th.Calls != th.Polls {
			t.Fatalf("calls %d, progress %d, polls %d", th.Calls, th.Progress, th.Polls)
		}
		if c := run.Ranks[0].Comms[0]; !c.Freed && c.ID != 5 && c.ID+1 != c.Parent {
			t.Fatalf("communicator %d made from %d", c.ID, c.Parent)
		}
		for _, c := range run.Ranks[0].Channels {
			musttest.Equal(t, c.Sent, c.Received, "sent and received")
		}
	}
	if whole == 0 {
		t.Error("no read was undisturbed")
	}
}

// A file that someone empties while it is mapped is damaged, not fatal.
func TestFileShrinksUnderTheReader(t *testing.T) {
	path, _, _ := liveFile(t)
	img := musttest.Get(openImage(path, "node-a.lgd"))(t)
	defer img.close()
	var p problems
	l := musttest.Get(img.readLayout(&p))(t)
	musttest.Succeed(t, os.Truncate(path, format.PageSize))
	r := NewDecoder(0).newReader()
	r.readSlot(img, l, 0)
	if len(r.probs.list) == 0 || !errors.Is(r.probs.list[0], model.ErrTruncated) || len(r.rank.Threads) != 1 {
		t.Errorf("%d threads, problems %v", len(r.rank.Threads), r.probs.list)
	}
}

// A slot that gets a new chunk while it is read is read with it.
func TestFileGrowsUnderTheReader(t *testing.T) {
	path, data, _ := liveFile(t)
	img := musttest.Get(openImage(path, "node-a.lgd"))(t)
	defer img.close()
	var p problems
	l := musttest.Get(img.readLayout(&p))(t)
	w := &slotWriter{file: data, seq: 1}
	state := append(make([]byte, 4), 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	w.writeRecord(format.StateRecord, 0, append(state, "MPI_Send"...), []byte{3, 0, 0, 0, 0, 0, 0, 0})
	musttest.Succeed(t, os.WriteFile(path, w.file, 0o600))
	r := NewDecoder(0).newReader()
	r.readSlot(img, l, 0)
	m := r.rank.Threads[0].Model
	if len(m.States) != 1 || m.States[0].Call != "MPI_Send" || m.Visits[0] != 3 || len(r.probs.list) > 0 {
		t.Errorf("%d states, problems %v", len(m.States), r.probs.list)
	}
}

// A live process reserves a chunk before it lengthens the file.
func TestReservedBehindTheEnd(t *testing.T) {
	path, data, _ := liveFile(t)
	binary.LittleEndian.PutUint64(data[format.FileEnd:], uint64(len(data))+format.NextChunkSize)
	run := decodeAt(path)
	if got := fmt.Sprint(run.Problems); !strings.Contains(got, "file is cut short") || len(run.Ranks) != 1 {
		t.Error(got)
	}
}

func TestManyTornBlocksDoNotHoldUp(t *testing.T) {
	path, data, off := liveFile(t)
	op, channel := off(format.ThreadRecord), off(format.ChannelsRecord)
	data[op], data[op+format.ThreadStack], data[channel] = 1, 1, 1
	run := decodeAt(path)
	if len(run.Problems) != 3 {
		t.Error(fmt.Sprint(run.Problems))
	}
}

// TestInTurn: of threads that are inside MPI in turn, the reader never takes two to be inside together, and it takes one that stays
// there for such.
func TestInTurn(t *testing.T) {
	const noState = format.NoIndex << 32 // the other half of the word
	k := &model.Rank{Rank: 0, Size: 1, Family: "mpich", Phase: model.Running}
	for i := range 3 {
		k.Threads = append(k.Threads, &model.Thread{Index: i, Op: model.Op{State: -1, InMPI: i == 2}})
	}
	path, data := writtenFile(t, k)
	var ops []int64
	var p problems
	m := newImage("", data)
	c := newCursor(m, musttest.Get(m.readLayout(&p))(t), 0, &p)
	for rec, ok := c.next(); ok; rec, ok = c.next() {
		if rec.typ == format.ThreadRecord {
			ops = append(ops, rec.live)
		}
	}
	keepWriting(t, func(n uint64) {
		op := ops[n%2]
		storeWord(data, op, 2*n-1)
		storeWord(data, op+format.ThreadInMPI, 1|noState)
		storeWord(data, op+format.ThreadCalls, n)
		storeWord(data, op, 2*n)
		for range 300 {
			runtime.Gosched()
		}
		storeWord(data, op+format.ThreadInMPI, noState)
	})
	seen := 0
	for range 2000 {
		threads := decodeAt(path).Ranks[0].Threads
		stayed := func(i int) bool { return threads[i].Op.InMPI && !threads[i].Op.Passing }
		if stayed(0) && stayed(1) {
			t.Fatal("two threads together")
		}
		if threads[0].Op.InMPI && threads[1].Op.InMPI {
			seen++
		}
		if !stayed(2) {
			t.Fatal("a thread that does not move is passing")
		}
	}
	if seen == 0 {
		t.Skip("the threads were never read so that both seemed to be inside")
	}
}
