package nodefile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
)

// TestCopyRecordsOfOneThatWrites: while a copy is made, the block that was being filled is packed at the end of the
// file, and the next one is filled in its place. The copy lacks none.
func TestCopyRecordsOfOneThatWrites(t *testing.T) {
	third := bytes.Repeat([]byte("the third "), 9000)
	path, _ := writtenFile(t, &model.Rank{Rank: 0, Size: 1, Phase: model.Running, Threads: []*model.Thread{{Op: model.Op{State: -1}}}})
	file := musttest.Get(os.ReadFile(path))(t)
	file = modeltest.AppendBlock(file, 0, 0, 0, third, true)
	before := len(file)
	write := func() {
		binary.LittleEndian.PutUint64(file[format.FileEnd:], uint64(len(file)))
		musttest.Succeed(t, os.WriteFile(path, file, 0o600)) // in place
	}
	file = modeltest.AppendBlock(file, 0, 0, 1, third, false)
	write()
	old := musttest.Get(openImage(path, "node-a.lgd"))(t)
	list, end, err := old.piecesToCopy(format.PageSize)
	musttest.Succeed(t, err)
	next := bytes.Repeat([]byte("the next- "), 9000) // in a chunk of the same size
	copy(file[before:], modeltest.AppendBlock(nil, 0, 0, 2, next, false))
	file = modeltest.AppendBlock(file, 0, 0, 1, third, true)
	write()
	to := filepath.Join(t.TempDir(), "node-a.lgd")
	out := musttest.Get(os.Create(to))(t)
	if err = old.copyPieces(out, list); err == nil {
		_, err = copyFrom(path, out, end)
	}
	musttest.Succeed(t, errors.Join(err, out.Close()))
	f := Open(to, "node-a.lgd", path)
	defer f.Close()
	streams := musttest.Get(f.StreamsOf(&model.Rank{File: "node-a.lgd"}, UsageStream))(t)
	musttest.Equal(t, 1, len(streams), "streams")
	var got []byte
	for data, err := range streams[0].Blocks() {
		checktest.ErrorIs(t, nil, err)
		got = append(got, data...)
	}
	if want := string(third) + string(third) + string(next); string(got) != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}
