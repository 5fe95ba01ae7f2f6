package synth

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// writeAndRead makes a run and reads it again.
func writeAndRead(t *testing.T, template string, c Config) (*model.Run, Truth) {
	t.Helper()
	ranks := musttest.Get(LoadTemplate(template))(t)
	dir := t.TempDir()
	truth := musttest.Get(Write(dir, ranks, c, nil))(t)
	run := musttest.Get(runfiles.Open(dir))(t)
	return run, truth
}

// TestHistories: whatever a rank's place and its differences, its counts are
// those of a walk through the program that ends where it is, and all members of
// a communicator agree on it.
func TestHistories(t *testing.T) {
	for _, template := range TemplateNames() {
		for i, kind := range []Kind{Healthy, Compute, Deadlock, Message, Killed, Exited} {
			run, _ := writeAndRead(t, template, Config{Ranks: 180, PerNode: 32, Seed: uint64(i), Fault: Fault{Kind: kind},
				Vary: Vary{Counts: true, Branches: true, States: true, Distinct: i%2 == 0}})
			if len(run.Problems) > 0 || len(run.Ranks) != 180 {
				t.Fatalf("%s %s: %d ranks, %v", template, kind, len(run.Ranks), run.Problems)
			}
			for _, r := range run.Ranks {
				th := r.Threads[0]
				if !isBalanced(&th.Model, th.Op.State) {
					t.Fatalf("%s %s: rank %d: the counts are of no walk to state %d", template, kind, r.Rank,
						th.Op.State)
				}
			}
			checkMessages(t, run)
			checkComms(t, run)
		}
	}
}

// checkMessages: no rank has received more than it was sent, but for the one
// message that it waits for.
func checkMessages(t *testing.T, run *model.Run) {
	t.Helper()
	sent := map[[2]int]uint64{}
	for _, r := range run.Ranks {
		for _, c := range r.Channels {
			sent[[2]int{r.Rank, c.Peer}] += c.Sent
		}
	}
	for _, r := range run.Ranks {
		for _, c := range r.Channels {
			waits := uint64(0)
			for _, p := range r.Threads[0].Op.Pending {
				if p.Peer == c.Peer && p.Kind == model.Recv {
					waits = 1
				}
			}
			if sent[[2]int{c.Peer, r.Rank}]+waits != c.Received {
				t.Fatalf("rank %d has received %d of %d from rank %d, and waits for %d", r.Rank, c.Received,
					sent[[2]int{c.Peer, r.Rank}], c.Peer, waits)
			}
		}
	}
}

// checkComms: members agree on the members, and find themselves among them.
func checkComms(t *testing.T, run *model.Run) {
	t.Helper()
	members := map[uint64][]int{}
	for _, r := range run.Ranks {
		for _, c := range r.Comms {
			if c.Kind == model.Self {
				continue
			}
			if known := members[c.ID]; known != nil && !slices.Equal(known, c.Members) {
				t.Fatalf("rank %d: members of %x are %v, not %v", r.Rank, c.ID, c.Members, known)
			}
			members[c.ID] = c.Members
			if c.Rank >= len(c.Members) || c.Members[c.Rank] != r.Rank {
				t.Fatalf("rank %d is rank %d of %v", r.Rank, c.Rank, c.Members)
			}
		}
	}
}

// TestCollectives: on each communicator, members that began the same have the same
// hashes, only the rank at fault has others, and what a rank began is in one order.
func TestCollectives(t *testing.T) {
	for _, kind := range []Kind{Healthy, Compute, Killed, Skipped} {
		run, truth := writeAndRead(t, "lammps", Config{Ranks: 90, PerNode: 16, Seed: 3, Comms: 9, Fault: Fault{Kind: kind},
			Vary: Vary{Counts: true, Branches: true, States: true}})
		hashes, odd := map[[2]uint64]model.Mark{}, model.RankSet{}
		for _, r := range run.Ranks {
			orders := map[uint32]bool{}
			for _, c := range r.Comms {
				if c.Size < 2 {
					continue
				}
				if c.History == nil {
					t.Fatalf("%s: rank %d has no history on %x", kind, r.Rank, c.ID)
				}
				for i, b := range c.History.Latest {
					if b.Number != c.Coll-uint64(len(c.History.Latest)-1-i) || b.State < 0 || orders[b.Order] ||
						i > 0 && b.Order <= c.History.Latest[i-1].Order {
						t.Fatalf("%s: rank %d on %x: %+v, %d of %d", kind, r.Rank, c.ID, b, i, c.Coll)
					}
					orders[b.Order] = true
					key := [2]uint64{c.ID, b.Number}
					if known, is := hashes[key]; is && known != b.Mark {
						odd.Add(r.Rank)
					} else if !truth.Ranks.Contains(r.Rank) {
						hashes[key] = b.Mark
					}
				}
				checkMarks(t, c)
			}
		}
		if odd.Len() > 1 || kind != Skipped && odd.Len() > 0 {
			t.Errorf("%s: ranks %s began other collectives; at fault is %s", kind, odd, truth.Ranks)
		}
	}
}

// checkMarks: a history has the checkpoints that a recorder leaves.
func checkMarks(t *testing.T, c *model.Comm) {
	t.Helper()
	if c.Coll < step {
		return
	}
	last := c.Coll / step * step
	if m, ok := c.History.HashesAt(last); !ok || m.Calls == 0 || m.Sites == 0 {
		t.Fatalf("no checkpoint %d of %d on %x: %+v", last, c.Coll, c.ID, c.History.Marks)
	}
}

// TestBrief: a brief reading has the last of the calls that a whole one has.
func TestBrief(t *testing.T) {
	ranks := musttest.Get(LoadTemplate("lammps"))(t)
	dir := t.TempDir()
	c := Config{Ranks: 40, PerNode: 16, Comms: 9, Fault: Fault{Kind: Skipped}}
	musttest.Get(Write(dir, ranks, c, nil))(t)
	whole := musttest.Get(runfiles.Open(dir))(t)
	x := musttest.Get(runfiles.Scan(dir))(t)
	x.EachBatchBriefly(func(run *model.Run) {
		for _, r := range run.Ranks {
			for i, c := range r.Comms {
				full := whole.Ranks[r.Rank].Comms[i].History
				if full == nil {
					continue
				}
				if want := full.Latest[len(full.Latest)-1:]; !slices.Equal(c.History.Latest, want) {
					t.Fatalf("rank %d on %x: %+v, want %+v", r.Rank, c.ID, c.History.Latest, want)
				}
			}
		}
	})
}

// TestSame: equal configurations make equal files, another seed others.
func TestSame(t *testing.T) {
	ranks := musttest.Get(LoadTemplate("lammps"))(t)
	c := Config{Ranks: 100, PerNode: 9, Seed: 4, Fault: Fault{Kind: Compute},
		Vary: Vary{Counts: true, Branches: true, States: true}}
	files := func() []byte {
		dir := t.TempDir()
		musttest.Get(Write(dir, ranks, c, nil))(t)
		var all []byte
		for node := range 12 {
			data := musttest.Get(os.ReadFile(filepath.Join(dir, fmt.Sprintf("node-n%06d.lgd", node))))(t)
			all = append(all, data...)
		}
		return all
	}
	first := files()
	if !bytes.Equal(first, files()) {
		t.Error("a second run differs")
	}
	c.Seed++
	if bytes.Equal(first, files()) {
		t.Error("the seed changes nothing")
	}
}

// TestCutBack: a walk that is cut back to a state is a walk to that state, and
// never longer.
func TestCutBack(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for try := range 300 {
		w := &walk{at: 0}
		n := 2 + random.IntN(8)
		for range n {
			w.states = append(w.states, &model.State{})
		}
		w.visits = make([]uint64, n)
		w.visits[0] = 1
		for range random.IntN(60) {
			to := random.IntN(n)
			w.addEdge(w.at, to, 1)
			w.visits[to]++
			w.at = to
		}
		before := w.clone()
		to := random.IntN(n)
		_, ok := w.cutBack(to, random.IntN(2) == 0)
		m := &model.Model{States: w.states, Visits: w.visits, Edges: w.edges}
		if !isBalanced(m, w.at) {
			t.Fatalf("try %d: from %+v to %d: %+v", try, before, to, w)
		}
		if ok && w.at != to || !ok && !slices.Equal(before.visits, w.visits) {
			t.Fatalf("try %d: %v, at %d, want %d", try, ok, w.at, to)
		}
		if !ok && before.visits[to] > 0 && to != before.at {
			t.Fatalf("try %d: no way back to state %d of %+v", try, to, before)
		}
	}
}

func TestParse(t *testing.T) {
	for _, text := range []string{"compute", "none", "deadlock:ranks=1-3,7", "compute:ranks=1,5,after=MPI_Send",
		"killed:after=76"} {
		checktest.Equal(t, text, musttest.Get(ParseFault(text))(t).String())
	}
	for _, text := range []string{"", "slow", "compute:ranks=x", "compute:where=1"} {
		if f, err := ParseFault(text); !errors.Is(err, ErrFault) {
			t.Errorf("%q reads as %q, %v", text, f, err)
		}
	}
	d, err := ParseDamage("missing=1%,torn=0.5,foreign=2,manifest")
	if want := (Damage{0.01, 0.5, 2, true}); err != nil || d != want {
		t.Errorf("%+v, %v", d, err)
	}
	for _, text := range []string{"missing=2", "torn=-1", "torn=NaN", "foreign=x", "all"} {
		if d, err := ParseDamage(text); !errors.Is(err, ErrConfig) {
			t.Errorf("%q reads as %+v, %v", text, d, err)
		}
	}
	checktest.Fails(ParseVary("counts,all"))(t, ErrConfig)
}

// TestRefused: what makes no sense is refused, with the reason.
func TestRefused(t *testing.T) {
	ranks := musttest.Get(LoadTemplate("halo"))(t)
	ok := Config{Ranks: 10, PerNode: 4, Fault: Fault{Kind: Compute}}
	for name, c := range map[string]struct {
		change func(*Config)
		want   error
	}{
		"no ranks":      {func(c *Config) { c.Ranks = 0 }, ErrConfig},
		"too many":      {func(c *Config) { c.Ranks = 1 << 30 }, ErrConfig},
		"no node":       {func(c *Config) { c.PerNode = 0 }, ErrConfig},
		"no such rank":  {func(c *Config) { c.Fault.Ranks = model.NewRankSet(10) }, ErrFault},
		"all ranks":     {func(c *Config) { c.Fault.Ranks.AddRange(0, 9) }, ErrFault},
		"no such call":  {func(c *Config) { c.Fault.After = "MPI_Nothing" }, ErrFault},
		"no such state": {func(c *Config) { c.Fault.After = "100000" }, ErrFault},
		"too foreign":   {func(c *Config) { c.Damage.Foreign = 3 }, ErrConfig},
	} {
		changed := ok
		c.change(&changed)
		checktest.Fails(Write(t.TempDir(), ranks, changed, nil))(t, c.want, name)
	}
	checktest.Fails(Write(t.TempDir(), nil, ok, nil))(t, ErrTemplate, "without templates")
	checktest.Fails(LoadTemplate("nothing"))(t, ErrTemplate)
}
