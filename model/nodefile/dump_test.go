package nodefile

import (
	"bytes"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model/format"
	"laggard/model/modeltest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestDump(t *testing.T) {
	dir := t.TempDir()
	data := mustEncode(t, testHeader, modeltest.RandomRanksOf(rand.New(rand.NewPCG(42, 0)), modeltest.Lean, "node-a.lgd", 2))
	data[format.FirstChunkSize+format.PageSize+format.SizeofChunk+format.SizeofRec+format.RankExe] ^= 1 // the second RANK record
	path := filepath.Join(dir, "node-a.lgd")
	musttest.Succeed(t, os.WriteFile(path, data, 0o600))
	var out bytes.Buffer
	musttest.Get(Dump(&out, path))(t)
	golden := filepath.Join("testdata", "dump.golden")
	if *update {
		musttest.Succeed(t, os.WriteFile(golden, out.Bytes(), 0o644))
	}
	want := musttest.Get(os.ReadFile(golden))(t)
	checktest.Equal(t, string(want), out.String())
}

func TestDumpOfNoFile(t *testing.T) {
	if _, err := Dump(new(bytes.Buffer), filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("no error")
	}
}
