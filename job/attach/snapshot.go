package attach

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"laggard/intake/backtrace"
	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/job/rundir"
	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/process"
	"laggard/model/values"
	"laggard/symbol"
)

// Options say what is looked at, and how.
type Options struct {
	Selection
	Looks int           // how many
	Over  time.Duration // from the first to the last
	// Hold holds threads that are asleep, too, each for the moment of a look: then all
	// their registers are known.
	Hold    bool
	Symbols symbol.Config // the files that the ranks see are looked at besides
}

// Snapshot is what was seen.
type Snapshot struct {
	Job      string // "" the launcher gave none
	Size     int    // of MPI_COMM_WORLD
	Ranks    []*model.Rank
	Stopped  []int // ranks whose process was stopped
	Moved    model.RankSet
	Holds    stopped.Holds // of all threads
	Values   []values.Rank // what variables held
	Roots    []string      // where their programs are, if they see other files than this process
	Began    time.Time
	Problems []error // what could not be read; the rest is there
}

// TakeSnapshot looks at the ranks of this node.
func TakeSnapshot(o Options) (*Snapshot, error) {
	found, problems, err := findRanks(o.Selection)
	if err != nil {
		return nil, err
	}
	out := &Snapshot{Job: found[0].job, Problems: problems, Began: time.Now()}
	processes := processesOf(found)
	out.Roots = process.ContainerRootsOf(processes)
	resolver := symbolsOf(o.Symbols, out.Roots)
	defer resolver.Close()
	var ranks []*sampledRank
	rows := &unwind.Rows{}
	for _, f := range found {
		ranks = append(ranks, newSampledRank(f, rows, resolver))
		out.Size = max(out.Size, f.size)
	}
	before := stoppedOf(processes)
	sampleRanks(ranks, o)
	after := stoppedOf(processes) // a thread that was held may be on the way to run
	for i, w := range ranks {
		out.Problems = append(out.Problems, problemsOf(w, o.Looks)...)
		if before[i] && after[i] {
			out.Stopped = append(out.Stopped, w.rank)
		}
	}
	err = out.buildRanks(ranks, resolver)
	for _, w := range ranks {
		out.Holds.Number += w.process.Holds.Number
		out.Holds.Longest = max(out.Holds.Longest, w.process.Holds.Longest)
	}
	return out, err
}

// processesOf are those of this node that were found, as ranks of which nothing else is known.
func processesOf(found []*rankProcess) (ranks []*model.Rank) {
	host, _ := os.Hostname()
	for _, f := range found {
		ranks = append(ranks, &model.Rank{Host: host, PID: f.process.PID, Exe: f.process.Program})
	}
	return ranks
}

// symbolsOf finds symbols also below the roots.
func symbolsOf(c symbol.Config, roots []string) *symbol.Resolver {
	c.Roots = slices.Concat(roots, c.Roots)
	return symbol.New(c)
}

// stoppedOf tells which processes are stopped by a user.
func stoppedOf(processes []*model.Rank) []bool {
	out := make([]bool, len(processes))
	for i, p := range processes {
		out[i] = process.StateOf(p) == process.Stopped
	}
	return out
}

// buildRanks makes the record of the samples.
func (t *Snapshot) buildRanks(ranks []*sampledRank, resolver *symbol.Resolver) error {
	var samples []*sample
	of := map[int]*sampledRank{}
	for _, w := range ranks {
		samples = append(samples, slices.DeleteFunc(w.samples, (*sample).isRecorderThread)...)
		of[w.rank] = w
	}
	job, problems := backtrace.BuildJob(stackTexts(samples, of), backtrace.Options{Size: t.Size, Resolver: resolver})
	t.Problems = append(t.Problems, problems...)
	t.Size = job.Size
	if len(job.Ranks) == 0 {
		return fmt.Errorf("no stack of a rank could be read: %w", cmp.Or(firstError(t.Problems), ErrNobody))
	}
	args := newArguments(resolver)
	for _, r := range job.Ranks {
		b := &builder{sampledRank: of[r.Rank], rank: r, samples: samples, taken: t, arguments: args}
		b.buildRank()
	}
	t.Ranks = job.Ranks
	return nil
}

func firstError(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

// Write writes the record of this node into a run directory, which those of other nodes
// may write theirs into; "" makes one named by date and process.
func (t *Snapshot) Write(dir, version string) (string, error) {
	asked := dir
	dir, err := rundir.Create(asked)
	if asked != "" && err != nil {
		dir, err = rundir.CreateShared(asked)
	}
	if err != nil {
		return "", err
	}
	id, err := t.writeManifest(dir, version)
	if err != nil {
		return "", err
	}
	host, err := os.Hostname()
	if err != nil {
		return "", err
	}
	for _, r := range t.Ranks {
		r.Host = host
	}
	name, err := nodefile.NewFolder().WriteNode(dir, nodefile.Header{RunID: id, Host: host, Created: t.Began}, t.Ranks)
	if err != nil {
		return "", err
	}
	return dir, errors.Join(t.sightings().Write(dir+"/"+name), values.Write(dir, host, t.Values))
}

// writeManifest writes the manifest, or takes the number of the run from that which is there.
func (t *Snapshot) writeManifest(dir, version string) (id uint64, err error) {
	if id, err = rundir.NewID(); err != nil {
		return 0, err
	}
	command := append([]string{t.Ranks[0].Exe}, t.Ranks[0].Arguments...)
	manifest := model.Manifest{Version: version, Command: command, Ranks: t.Size, Imported: true}
	failed := rundir.WriteManifest(dir, id, manifest)
	m, err := rundir.ReadManifest(dir)
	switch {
	case err != nil:
		return 0, cmp.Or(failed, err)
	case !m.Imported || m.Ranks != t.Size:
		return 0, fmt.Errorf("run directory %s %w", dir, rundir.ErrNotEmpty)
	}
	return m.ID()
}

// sightings are the processes that were found stopped.
func (t *Snapshot) sightings() *process.Observations {
	out := &process.Observations{}
	for slot, r := range t.Ranks {
		seen := process.Observation{Slot: slot, PID: r.PID}
		if slices.Contains(t.Stopped, r.Rank) {
			seen.Stopped = t.Began
		}
		out.Processes = append(out.Processes, seen)
	}
	return out
}
