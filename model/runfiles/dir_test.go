package runfiles

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
	"laggard/model/nodefile"
)

var testHeader = nodefile.Header{RunID: 0xfeedf00d12345678, Host: modeltest.Host, Created: modeltest.Time(1)}

// runDir writes a run of three nodes with two ranks each.
func runDir(t testing.TB) (dir string, ranks []*model.Rank) {
	t.Helper()
	dir = t.TempDir()
	ranks = modeltest.RandomRanks(rand.New(rand.NewPCG(21, 0)), "", 6)
	for node := range 3 {
		h := testHeader
		h.Host = string(rune('a' + node))
		part := ranks[2*node : 2*node+2]
		for slot, k := range part {
			k.Host, k.File, k.Slot = h.Host, "node-"+h.Host+".lgd", slot
		}
		writeNode(t, dir, h, part)
	}
	return dir, ranks
}

func writeNode(t testing.TB, dir string, h nodefile.Header, ranks []*model.Rank) {
	t.Helper()
	musttest.Get(nodefile.WriteNode(dir, h, ranks))(t)
}

func mustOpen(t testing.TB, dir string) *model.Run {
	t.Helper()
	return musttest.Get(Open(dir))(t)
}

// problemText lists the problems of a run, one a line.
func problemText(list []model.Problem) string {
	var b strings.Builder
	for _, p := range list {
		fmt.Fprintln(&b, p.Err)
	}
	return b.String()
}

func TestOpen(t *testing.T) {
	dir, ranks := runDir(t)
	m := &model.Manifest{SchemaVersion: ManifestVersion, RunID: model.RunIDText(testHeader.RunID), Created: modeltest.Time(0),
		Version: "1", Command: []string{"mpirun", "./a"}, Ranks: 6, Job: "17"}
	musttest.Succeed(t, WriteManifest(dir, m))
	run := mustOpen(t, dir)
	want := &model.Run{Dir: dir, ID: testHeader.RunID, Manifest: m, Ranks: ranks, Size: 6, Seen: model.NewRankSet(0, 1, 2, 3, 4, 5)}
	checktest.EqualBy(t, modeltest.SharedStates, want, run)
	if run.MissingRanks().Len() > 0 {
		t.Errorf("missing %s", run.MissingRanks())
	}
}

// Each analysis rank loads a block; together they have what Open has.
func TestLoadBlocks(t *testing.T) {
	dir, _ := runDir(t)
	whole := mustOpen(t, dir)
	x := musttest.Get(Scan(dir))(t)
	for p := 1; p <= 7; p++ {
		var ranks []*model.Rank
		for i := range p {
			part := musttest.Get(x.LoadSlots(i*len(x.Slots)/p, (i+1)*len(x.Slots)/p))(t)
			if part.Size != 6 || part.MissingRanks().Len() > 0 {
				t.Fatalf("block %d of %d: size %d, missing %s", i, p, part.Size, part.MissingRanks())
			}
			ranks = append(ranks, part.Ranks...)
		}
		musttest.EqualBy(t, modeltest.SharedStates, whole.Ranks, ranks, p, "blocks")
	}
	for _, bad := range [][2]int{{-1, 2}, {3, 2}, {0, 7}} {
		if run, err := x.LoadSlots(bad[0], bad[1]); err == nil || run != nil {
			t.Errorf("Load(%d, %d) gives no error", bad[0], bad[1])
		}
	}
}

func TestMissingRanks(t *testing.T) {
	dir, _ := runDir(t)
	musttest.Succeed(t, os.Remove(filepath.Join(dir, "node-b.lgd")))
	run := mustOpen(t, dir)
	if got := run.MissingRanks().String(); got != "2-3" || len(run.Ranks) != 4 || len(run.Problems) > 0 {
		t.Errorf("missing %q, %d ranks, problems %v", got, len(run.Ranks), run.Problems)
	}
}

func TestMissingByManifest(t *testing.T) {
	dir := t.TempDir()
	musttest.Succeed(t, WriteManifest(dir, &model.Manifest{RunID: "1", Ranks: 4}))
	if run := mustOpen(t, dir); run.MissingRanks().String() != "0-3" {
		t.Errorf("missing %s", run.MissingRanks())
	}
}

func TestMissingOfARunMadeByHand(t *testing.T) {
	run := &model.Run{Ranks: []*model.Rank{{Rank: 1, Size: 4}, {Rank: 3, Size: 4}}}
	if got := run.MissingRanks().String(); got != "0,2" {
		t.Error(got)
	}
}

// A size that so few ranks cannot be of is not believed, and takes no memory.
func TestIncredibleSize(t *testing.T) {
	dir := t.TempDir()
	writeNode(t, dir, testHeader, []*model.Rank{{
		Rank: 0, Size: 1 << 30, Phase: model.Running, Threads: []*model.Thread{{Op: model.Op{State: -1}}},
	}})
	run := mustOpen(t, dir)
	if got := problemText(run.Problems); run.Size != 0 || !strings.Contains(got, "1073741824 ranks, of which 1 left a record") {
		t.Errorf("size %d\n%s", run.Size, got)
	}
}

func TestFileOfAnotherRun(t *testing.T) {
	dir, _ := runDir(t)
	h := testHeader
	h.Host, h.RunID = "d", 0xbad
	writeNode(t, dir, h, modeltest.RandomRanks(rand.New(rand.NewPCG(1, 1)), "", 2))
	run := mustOpen(t, dir)
	const want = "model: node-d.lgd: file header at 0: belongs to another run: 0000000000000bad, not feedf00d12345678\n"
	if got := problemText(run.Problems); got != want || !errors.Is(run.Problems[0].Err, model.ErrRunID) ||
		len(run.Ranks) != 6 {
		t.Errorf("%d ranks, problems %s", len(run.Ranks), got)
	}
}

// A rank that was started again left two slots: the later one counts.
func TestLatestSlotCounts(t *testing.T) {
	dir, ranks := runDir(t)
	again := *ranks[3]
	again.Start, again.PID = modeltest.Time(100), 4242
	h := testHeader
	h.Host = "0" // sorts before the others
	writeNode(t, dir, h, []*model.Rank{&again})
	run := mustOpen(t, dir)
	if len(run.Ranks) != 6 || run.Ranks[3].PID != 4242 || len(run.Others) > 0 {
		t.Errorf("%d ranks, rank 3 is process %d", len(run.Ranks), run.Ranks[3].PID)
	}
}

func TestOthers(t *testing.T) {
	spawned := &model.Rank{Rank: 0, Size: 1, Family: "mpich", Phase: model.Running, Spawned: true, EndDetail: -1}
	early := &model.Rank{Rank: -1, Size: -1, Family: "mpich", Phase: model.Starting, PID: 9}
	dir, _ := runDir(t)
	h := testHeader
	h.Host = "z"
	writeNode(t, dir, h, []*model.Rank{spawned, early})
	run := mustOpen(t, dir)
	if len(run.Ranks) != 6 || run.Ranks[0].Spawned || len(run.Others) != 2 || !run.Others[0].Spawned ||
		run.Others[1].PID != 9 {
		t.Errorf("%d ranks, others %v", len(run.Ranks), run.Others)
	}
}

func TestNoRunDirectory(t *testing.T) {
	empty := t.TempDir()
	for _, dir := range []string{empty, filepath.Join(empty, "none")} {
		if run, err := Open(dir); run != nil || !errors.Is(err, model.ErrNoRun) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
		if r, err := Validate(dir); r != nil || !errors.Is(err, model.ErrNoRun) {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

// What lies in the directory under the name of a node file and is none.
func TestStrangeFiles(t *testing.T) {
	dir, _ := runDir(t)
	make := func(name, text string) {
		musttest.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	make("node-empty.lgd", "")
	make("node-text.lgd", strings.Repeat("text ", 99))
	make("manifest.json", "{")
	musttest.Succeed(t, os.Mkdir(filepath.Join(dir, "node-dir.lgd"), 0o700))
	musttest.Succeed(t, syscall.Mkfifo(filepath.Join(dir, "node-pipe.lgd"), 0o600))
	run := mustOpen(t, dir)
	checktest.Equal(t, 6, len(run.Ranks), "ranks")
	want := map[string]error{"manifest.json": model.ErrManifest, "node-empty.lgd": model.ErrTruncated, "node-text.lgd": model.ErrMagic,
		"node-dir.lgd": model.ErrMagic, "node-pipe.lgd": model.ErrMagic}
	for _, p := range run.Problems {
		if !errors.Is(p.Err, want[p.File]) {
			t.Errorf("%s: %v", p.File, p.Err)
		}
		delete(want, p.File)
	}
	if len(want) > 0 {
		t.Errorf("no problem of %v", want)
	}
}

func TestNothingIsOverwritten(t *testing.T) {
	dir, ranks := runDir(t)
	h := testHeader
	checktest.Fails(nodefile.WriteNode(dir, h, ranks))(t, os.ErrExist)
	checktest.ErrorIs(t, nil, WriteManifest(dir, &model.Manifest{RunID: "1"}))
	checktest.ErrorIs(t, os.ErrExist, WriteManifest(dir, &model.Manifest{RunID: "1"}))
	h.Host = "../x"
	checktest.Fails(nodefile.WriteNode(dir, h, ranks))(t, model.ErrEncode)
}

func TestParseManifest(t *testing.T) {
	for text, want := range map[string]error{
		`{"schema_version":1,"run_id":"00ff","ranks":3,"later":1}`: nil,
		`{"schema_version":2,"run_id":"00ff"}`:                     model.ErrVersion,
		`{"run_id":"00ff"}`:                                        model.ErrVersion,
		`{"schema_version":1,"run_id":"xyz"}`:                      model.ErrManifest,
		`{"schema_version":1,"run_id":"1","ranks":-1}`:             model.ErrManifest,
		`[]`: model.ErrManifest,
		``:   model.ErrManifest,
	} {
		if m, err := ParseManifest([]byte(text)); !errors.Is(err, want) || (m == nil) != (err != nil) {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
}

func TestValidate(t *testing.T) {
	dir, _ := runDir(t)
	path := filepath.Join(dir, "node-b.lgd")
	data := musttest.Get(os.ReadFile(path))(t)
	data[format.PageSize+format.SizeofChunk+format.SizeofRec+format.RankExe] ^= 1
	musttest.Succeed(t, os.WriteFile(path, data, 0o600))
	r := musttest.Get(Validate(dir))(t)
	if len(r.Files) != 3 || r.RunID != testHeader.RunID || r.Size != 6 || r.Missing.Len() > 0 {
		t.Errorf("%+v", r)
	}
	b := r.Files[1]
	i := slices.IndexFunc(b.Records, func(c nodefile.RecordCount) bool { return c.Type == "RANK" })
	if b.Name != "node-b.lgd" || b.Host != "b" || b.Slots != 2 || b.Ranks.String() != "2-3" ||
		b.Bytes != int64(len(data)) || b.Processors != 4 ||
		i < 0 || b.Records[i] != (nodefile.RecordCount{Type: "RANK", Count: 1, Bytes: 536}) {
		t.Errorf("%+v", b)
	}
	want := "model: node-b.lgd: rank 2: RANK record at 4128: checksum mismatch\n" +
		"model: node-b.lgd: rank 2: RANK record: record is missing: of slot 0\n"
	checktest.Equal(t, want, problemText(r.Problems), "problems")
}

// TestHoles: a file that says that it is a terabyte long is read as fast as what is in it.
func TestHoles(t *testing.T) {
	dir, ranks := runDir(t)
	path := filepath.Join(dir, "node-a.lgd")
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Skip(err) // the file system has no such files
	}
	data := musttest.Get(os.OpenFile(path, os.O_WRONLY, 0))(t)
	defer data.Close()
	musttest.Get(data.WriteAt([]byte("far behind"), 1<<39))(t)
	begin := time.Now()
	run := mustOpen(t, dir)
	checktest.Equal(t, len(ranks), len(run.Ranks), "ranks")
	if text := problemText(run.Problems); !strings.Contains(text, "belong to no chunk") {
		t.Errorf("nothing is said of what lies behind: %s", text)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestManifestInPlace: what lies in the place of a manifest is a problem of its own, and
// holds up nobody.
func TestManifestInPlace(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"sparse": func(path string) error {
			return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, 16<<30))
		},
	} {
		dir, ranks := runDir(t)
		musttest.Succeed(t, put(filepath.Join(dir, ManifestName)))
		run := mustOpen(t, dir)
		if text := problemText(run.Problems); len(run.Ranks) != len(ranks) || !strings.Contains(text, ManifestName) {
			t.Errorf("%s: %d ranks, %s", name, len(run.Ranks), text)
		}
	}
}
