package runfiles

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
	"laggard/model/nodefile"
)

// writtenRun is a run directory of one slot with the blocks behind its records.
func writtenRun(t *testing.T, blocks func(file []byte) []byte) *Index {
	t.Helper()
	return writtenRunOf(t, 1, blocks)
}

// writtenRunOf is one of as many slots as there are ranks.
func writtenRunOf(t *testing.T, size int, blocks func(file []byte) []byte) *Index {
	t.Helper()
	dir := t.TempDir()
	var ranks []*model.Rank
	for rank := range size {
		ranks = append(ranks, &model.Rank{Rank: rank, Size: size, Phase: model.Running,
			Threads: []*model.Thread{{Op: model.Op{State: -1}}}})
	}
	name := musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 7, Host: "n"}, ranks))(t)
	path := filepath.Join(dir, name)
	file := musttest.Get(os.ReadFile(path))(t)
	file = blocks(file)
	binary.LittleEndian.PutUint64(file[format.FileEnd:], uint64(len(file)))
	musttest.Succeed(t, os.WriteFile(path, file, 0o600))
	x, err := Scan(dir)
	if err != nil || len(x.Problems) > 0 {
		t.Fatal(err, x.Problems)
	}
	return x
}

// read returns the bytes of all streams of the slot, and what was wrong.
func readAllStreams(x *Index) (out [][]byte, err error) {
	x.EachBatch(func(run *model.Run) {
		streams, wrong := x.StreamsOf(run.Ranks[0], nodefile.UsageStream)
		err = errors.Join(err, wrong)
		for _, s := range streams {
			var all []byte
			for data, wrong := range s.Blocks() {
				all = append(all, data...)
				err = errors.Join(err, wrong)
			}
			out = append(out, all)
		}
	})
	return out, err
}

func randomBytes(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]byte, n)
	for i := range out {
		out[i] = byte(r.IntN(4))
	}
	return out
}

func TestStreamsComeBackInOrder(t *testing.T) {
	a, b, c := randomBytes(1, 5000), randomBytes(2, 70000), randomBytes(3, 9)
	x := writtenRun(t, func(f []byte) []byte {
		f = modeltest.AppendBlock(f, 0, 1, 0, c, false)
		f = modeltest.AppendBlock(f, 0, 0, 1, b, true)
		f = modeltest.AppendBlock(f, 0, 0, 0, a, true)
		f = modeltest.AppendBlock(f, 0, 0, 1, b, false) // killed while it was packed
		return modeltest.AppendBlock(f, 0, 0, 2, c, false)
	})
	got := musttest.Get(readAllStreams(x))(t)
	musttest.Equal(t, 2, len(got))
	if !bytes.Equal(got[0], bytes.Join([][]byte{a, b, c}, nil)) || !bytes.Equal(got[1], c) {
		t.Error("other bytes came back")
	}
}

func TestDamagedBlocksAreToldAndTheRestRead(t *testing.T) {
	a, b := randomBytes(1, 5000), randomBytes(2, 7000)
	x := writtenRun(t, func(f []byte) []byte {
		f = modeltest.AppendBlock(f, 0, 0, 0, a, true)
		at := len(f) + format.SizeofStreamChunk
		f = modeltest.AppendBlock(f, 0, 0, 1, a, true)
		clear(f[at : at+4])
		return modeltest.AppendBlock(f, 0, 0, 3, b, true)
	})
	got, err := readAllStreams(x)
	checktest.ErrorIs(t, model.ErrChecksum, err, "the damage")
	checktest.ErrorIs(t, model.ErrLost, err, "the damage")
	if len(got) != 1 || !bytes.Equal(got[0], append(a, b...)) {
		t.Error("what is whole did not come back")
	}
	if run, err := x.LoadSlots(0, 1); err != nil || len(run.Problems) > 0 || len(run.Ranks) != 1 {
		t.Error("streams disturb the records:", run, err)
	}
}

func TestBlocksAreCounted(t *testing.T) {
	x := writtenRun(t, func(f []byte) []byte {
		f = modeltest.AppendBlock(f, 0, 0, 0, randomBytes(1, 5000), false)
		return modeltest.AppendBlock(f, 0, 1, 0, randomBytes(2, 7000), false)
	})
	file := x.open(x.Slots[0].File)
	defer file.Close()
	counts := file.CountRecords()
	if last := counts[len(counts)-1]; last != (nodefile.RecordCount{Type: "usage", Events: true, Count: 2, Bytes: 12000}) {
		t.Errorf("%+v", counts)
	}
}

// TestCopyRecords: a copy has the records and the block that was being filled, and
// finds the packed ones in the file that it was taken of, which may have grown.
func TestCopyRecords(t *testing.T) {
	first, second := bytes.Repeat([]byte("packed "), 20000), []byte("being filled")
	x := writtenRun(t, func(file []byte) []byte {
		return modeltest.AppendBlock(modeltest.AppendBlock(file, 0, 0, 0, first, true), 0, 0, 1, second, false)
	})
	from := filepath.Join(x.Dir, x.Slots[0].File)
	hang := filepath.Join(x.Dir, HangName)
	musttest.Succeed(t, os.Mkdir(hang, 0o700))
	musttest.Succeed(t, nodefile.CopyRecords(from, filepath.Join(hang, x.Slots[0].File)))
	musttest.Succeed(t, WriteManifest(hang, &model.Manifest{RunID: model.RunIDText(7)}))
	file := musttest.Get(os.ReadFile(from))(t)
	file = modeltest.AppendBlock(file, 0, 0, 2, []byte("later"), false)
	binary.LittleEndian.PutUint64(file[format.FileEnd:], uint64(len(file)))
	musttest.Succeed(t, os.WriteFile(from, file, 0o600))
	if x = musttest.Get(Scan(x.Dir))(t); len(x.Slots) != 1 || len(x.Problems) > 0 {
		t.Fatalf("%+v", x)
	}
	var got [][]byte
	x.EachBatch(func(run *model.Run) {
		streams := musttest.Get(x.StreamsOf(run.Ranks[0], nodefile.UsageStream))(t)
		musttest.Equal(t, 1, len(streams))
		for b, err := range streams[0].Blocks() {
			checktest.ErrorIs(t, nil, err)
			got = append(got, b)
		}
	})
	if len(got) != 2 || !bytes.Equal(got[0], first) || !bytes.Equal(got[1], second) {
		t.Errorf("%d blocks, want the packed one and the one that was being filled", len(got))
	}
}

// TestDamagedHang: the record of a hang is read, and the damage told, though its manifest cannot be: the present record is of a job that
// was ended since.
func TestDamagedHang(t *testing.T) {
	x := writtenRun(t, func(file []byte) []byte { return file })
	hang := filepath.Join(x.Dir, HangName)
	musttest.Succeed(t, os.Mkdir(hang, 0o700))
	musttest.Succeed(t, nodefile.CopyRecords(filepath.Join(x.Dir, x.Slots[0].File), filepath.Join(hang, x.Slots[0].File)))
	musttest.Succeed(t, os.WriteFile(filepath.Join(hang, ManifestName), []byte(`{"schema_version"`), 0o600))
	musttest.Equal(t, hang, RecordDir(x.Dir))
	x = musttest.Get(Scan(x.Dir))(t)
	if len(x.Slots) != 1 || len(x.Problems) != 1 || x.Problems[0].File != "hang/manifest.json" {
		t.Errorf("%d slots, %v", len(x.Slots), x.Problems)
	}
}

// TestLimit: of each slot the first blocks are given, up to a number of bytes.
func TestLimit(t *testing.T) {
	block := make([]byte, 1000)
	x := writtenRunOf(t, 3, func(file []byte) []byte {
		for slot, blocks := range []int{2, 30, 5} {
			for i := range blocks {
				file = modeltest.AppendBlock(file, uint32(slot), i%2, i/2, block, true)
			}
		}
		return file
	})
	for _, test := range []struct {
		limit int64
		want  [3]int // blocks of each slot
	}{
		{1 << 40, [3]int{2, 30, 5}},
		{30000, [3]int{2, 30, 5}},
		{12800, [3]int{2, 12, 5}},
		{2999, [3]int{2, 2, 2}},
		{0, [3]int{0, 0, 0}},
	} {
		x.LimitEvents(nodefile.UsageStream, test.limit)
		var got [3]int
		left := false
		x.EachBatch(func(run *model.Run) {
			for _, r := range run.Ranks {
				streams := musttest.Get(x.StreamsOf(r, nodefile.UsageStream))(t)
				for _, s := range streams {
					for range s.Blocks() {
						got[r.Slot]++
					}
					left = left || s.LeftOut
				}
			}
		})
		if got != test.want || left != (got != [3]int{2, 30, 5}) {
			t.Errorf("at most %d bytes: blocks %v, want %v; left out: %v", test.limit, got, test.want, left)
		}
	}
}
