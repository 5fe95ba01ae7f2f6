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
	"laggard/model/process"
	"laggard/model/values"
	"laggard/symbol"
)

// Options say what is looked at, and how.
type Options struct {
	Which
	Looks int           // how many
	Over  time.Duration // from the first to the last
	// Hold holds threads that are asleep, too, each for the moment of a look: then all
	// their registers are known.
	Hold    bool
	Symbols symbol.Config // the files that the ranks see are looked at besides
}

// Taken is what was seen.
type Taken struct {
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

// Take looks at the ranks of this node.
func Take(o Options) (*Taken, error) {
	found, problems, err := find(o.Which)
	if err != nil {
		return nil, err
	}
	out := &Taken{Job: found[0].job, Problems: problems, Began: time.Now()}
	processes := processesOf(found)
	out.Roots = process.RootsOf(processes)
	resolver := symbolsOf(o.Symbols, out.Roots)
	defer resolver.Close()
	var ranks []*watched
	rows := &unwind.Rows{}
	for _, f := range found {
		ranks = append(ranks, watch(f, rows, resolver))
		out.Size = max(out.Size, f.size)
	}
	before := stoppedOf(processes)
	looks(ranks, o)
	after := stoppedOf(processes) // a thread that was held may be on the way to run
	for i, w := range ranks {
		out.Problems = append(out.Problems, problemsOf(w, o.Looks)...)
		if before[i] && after[i] {
			out.Stopped = append(out.Stopped, w.rank)
		}
	}
	err = out.build(ranks, resolver)
	for _, w := range ranks {
		out.Holds.Number += w.process.Holds.Number
		out.Holds.Longest = max(out.Holds.Longest, w.process.Holds.Longest)
	}
	return out, err
}

// processesOf are those of this node that were found, as ranks of which nothing else is known.
func processesOf(found []*found) (ranks []*model.Rank) {
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

// stoppedOf tells which processes somebody has stopped.
func stoppedOf(processes []*model.Rank) []bool {
	out := make([]bool, len(processes))
	for i, p := range processes {
		out[i] = process.Of(p) == process.Stopped
	}
	return out
}

// build makes the record of the samples.
func (t *Taken) build(ranks []*watched, resolver *symbol.Resolver) error {
	var samples []*sample
	of := map[int]*watched{}
	for _, w := range ranks {
		samples = append(samples, slices.DeleteFunc(w.samples, (*sample).recorder)...)
		of[w.rank] = w
	}
	job, problems := backtrace.Build(texts(samples, of), backtrace.Options{Size: t.Size, Resolver: resolver})
	t.Problems = append(t.Problems, problems...)
	t.Size = job.Size
	if len(job.Ranks) == 0 {
		return fmt.Errorf("no stack of a rank could be read: %w", cmp.Or(firstOf(t.Problems), ErrNobody))
	}
	args := newArguments(resolver)
	for _, r := range job.Ranks {
		b := &builder{watched: of[r.Rank], rank: r, samples: samples, taken: t, arguments: args}
		b.build()
	}
	t.Ranks = job.Ranks
	return nil
}

func firstOf(errs []error) error {
	if len(errs) == 0 {
		return nil
	}
	return errs[0]
}

// Write writes the record of this node into a run directory, which those of other nodes
// may write theirs into; "" makes one named by date and process.
func (t *Taken) Write(dir, version string) (string, error) {
	asked := dir
	dir, err := rundir.Create(asked)
	if asked != "" && err != nil {
		dir, err = rundir.Share(asked)
	}
	if err != nil {
		return "", err
	}
	id, err := t.describe(dir, version)
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
	name, err := model.NewFolder().WriteNode(dir, model.Header{RunID: id, Host: host, Created: t.Began}, t.Ranks)
	if err != nil {
		return "", err
	}
	return dir, errors.Join(t.sightings().Write(dir+"/"+name), values.Write(dir, host, t.Values))
}

// describe writes the manifest, or takes the number of the run from that which is there.
func (t *Taken) describe(dir, version string) (id uint64, err error) {
	if id, err = rundir.NewID(); err != nil {
		return 0, err
	}
	command := append([]string{t.Ranks[0].Exe}, t.Ranks[0].Arguments...)
	manifest := model.Manifest{Version: version, Command: command, Ranks: t.Size, Imported: true}
	failed := rundir.Describe(dir, id, manifest)
	m, err := rundir.Manifest(dir)
	switch {
	case err != nil:
		return 0, cmp.Or(failed, err)
	case !m.Imported || m.Ranks != t.Size:
		return 0, fmt.Errorf("run directory %s %w", dir, rundir.ErrNotEmpty)
	}
	return m.ID()
}

// sightings are the processes that were found stopped.
func (t *Taken) sightings() *process.Sightings {
	out := &process.Sightings{}
	for slot, r := range t.Ranks {
		seen := process.Seen{Slot: slot, PID: r.PID}
		if slices.Contains(t.Stopped, r.Rank) {
			seen.Stopped = t.Began
		}
		out.Processes = append(out.Processes, seen)
	}
	return out
}
