package runfiles

import (
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/format"
	"laggard/model/modeltest"
	"laggard/model/nodefile"
)

func FuzzDecodeFile(f *testing.F) {
	r := rand.New(rand.NewPCG(31, 0))
	whole := musttest.Get(nodefile.Encode(testHeader, modeltest.RandomRanksOf(r, modeltest.Lean, "node-a.lgd", 1)))(f)
	folded := musttest.Get(nodefile.NewFolder().Encode(testHeader, modeltest.RandomTwins(r, modeltest.Lean, 3)))(f)
	f.Add(folded)
	f.Add(whole)
	f.Add(whole[:format.PageSize+5000])
	f.Add([]byte("LLGGARD1"))
	for range 20 {
		bad := slices.Clone(whole)
		for range 5 {
			bad[r.IntN(len(bad))] ^= byte(r.IntN(256))
		}
		f.Add(bad)
	}
	good := musttest.Get(nodefile.Encode(testHeader,
		[]*model.Rank{{Rank: 7, Size: 8, Family: "mpich", Phase: model.Running, Threads: []*model.Thread{{Op: model.Op{State: -1}}}}}))(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = modeltest.RepairChecksums(data)
		var run *model.Run
		var err error
		n := modeltest.AllocatedBytes(func() { run, err = Decode("node-b.lgd", data) })
		if n > modeltest.MemoryFactor*uint64(len(data))+modeltest.MemoryBase {
			t.Fatalf("%d bytes allocated for %d", n, len(data))
		}
		if err != nil {
			var place *model.FormatError
			if run != nil || !errors.As(err, &place) {
				t.Fatalf("a run with the error %v", err)
			}
		}
		checkRun(t, run)
		checkWithGoodFiles(t, data, good)
	})
}

// checkRun follows every index of a run: the analyses do so without a look.
func checkRun(t *testing.T, run *model.Run) {
	if run == nil {
		return
	}
	for _, k := range slices.Concat(run.Ranks, run.Others) {
		if len(k.Threads) == 0 {
			t.Fatal("a rank without a thread")
		}
		for _, th := range k.Threads {
			checkThread(t, k, th)
		}
		for _, c := range k.Comms {
			if c.State >= len(k.Threads[c.Thread].Model.States) {
				t.Fatal("state of a communicator")
			}
			if c.Members != nil && (len(c.Members) != c.Size || c.Rank >= c.Size) {
				t.Fatal("members of a communicator")
			}
		}
		for _, c := range k.Channels {
			_ = k.Comms[c.Comm]
		}
	}
}

func checkThread(t *testing.T, k *model.Rank, th *model.Thread) {
	m := &th.Model
	if len(m.Visits) != len(m.States) || th.Op.State >= len(m.States) {
		t.Fatal("visits or state")
	}
	for _, e := range m.Edges {
		_, _ = m.States[e.From], m.States[e.To]
	}
	for i, s := range th.Sent {
		if s.State >= len(m.States) || s.State < 0 || i > 0 && s.State <= th.Sent[i-1].State {
			t.Fatal("states that send")
		}
	}
	for _, p := range th.Op.Pending {
		if p.Comm >= len(k.Comms) || p.State >= len(m.States) || p.Kind > model.Abort {
			t.Fatal("pending operation")
		}
	}
}

// checkWithGoodFiles reads the file in one directory with a good one, which must be
// read as if it were alone.
func checkWithGoodFiles(t *testing.T, data, good []byte) {
	dir := t.TempDir()
	for name, content := range map[string][]byte{"node-a.lgd": good, "node-b.lgd": data, "node-c.lgd": good} {
		musttest.Succeed(t, os.WriteFile(filepath.Join(dir, name), content, 0o600))
	}
	musttest.Succeed(t, WriteManifest(dir, &model.Manifest{RunID: model.RunIDText(testHeader.RunID)}))
	run := mustOpen(t, dir)
	checkRun(t, run)
	found := slices.ContainsFunc(run.Ranks, func(k *model.Rank) bool { return k.Rank == 7 })
	if x, err := Scan(dir); err != nil || !found && x.Size >= 8 {
		t.Fatalf("the rank of the good files is lost: %v", run.Problems)
	}
	musttest.Get(Validate(dir))(t)
	nodefile.Dump(io.Discard, filepath.Join(dir, "node-b.lgd"))
}

func FuzzParseManifest(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"run_id":"00ff","ranks":3,"command":["a"]}`))
	f.Add([]byte(`{"schema_version":2}`))
	f.Add([]byte(`{`))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ParseManifest(text)
		if (m == nil) != (err != nil) {
			t.Fatal(m, err)
		}
		if err != nil {
			return
		}
		dir := t.TempDir()
		if err := WriteManifest(dir, m); err != nil {
			t.Skip(err) // a year that RFC 3339 has no room for
		}
		if back, err := ReadManifest(dir); err != nil || back.RunID != m.RunID || back.Ranks != m.Ranks {
			t.Fatal(back, err)
		}
	})
}

// FuzzCensus: of any census that another analysis rank may have sent, a verdict can be made, alone and with ours.
func FuzzCensus(f *testing.F) {
	f.Add([]byte(`{"runs":{"7":{"files":2,"bytes":90,"jobs":{"5":{"sizes":{"4":{"slots":3,"open":1}},"seen":"0-2","twice":"1"},
		"6":{"sizes":{"4":{"slots":1}},"seen":"3"}}}},"unsure":{}}`))
	f.Add([]byte(`{"runs":{"7":null,"8":{"jobs":{"0":{"sizes":{"-1":{"slots":3}},"seen":"0-2147483647"}}}},"unsure":{"files":-1}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var theirs Census
		if json.Unmarshal(data, &theirs) != nil {
			return
		}
		ours := Census{Runs: map[uint64]RunCensus{7: {Files: 1, Jobs: map[uint64]JobCensus{0: {Sizes: map[int]WorldCount{4: {Slots: 1}}}}}}}
		ours.DecideRun(nil)
		theirs.DecideRun(&model.Manifest{RunID: model.RunIDText(7), Ranks: 4})
		MergeCensuses(ours, theirs).DecideRun(nil)
	})
}
