package attach

import (
	"fmt"
	"io"
	"strings"
	"time"

	"laggard/job/rundir"
	"laggard/model/process"
)

// Help and Examples are those of the command.
const (
	Help = `Make a run directory of the MPI ranks on this node that run without the recorder.
Nothing is loaded into them. They are sampled several times, which shows which ranks
are blocked, which poll and which compute: their memory is read from outside, and a
running thread is stopped only while its registers are copied.

With -o and the run directory of a recording, the numeric values of variables of the
ranks on this node are added to it; laggard slice shows them beside its lines.

Without --pid and --job: all ranks of this user, which must belong to one job. On
several nodes, run it once on each, with the same directory: the data of all nodes
is merged by laggard diagnose.

Exit status: 0 done, 1 failed, 2 usage, 4 done but something could not be read.`
	Examples = `  laggard attach -o hung && laggard diagnose hung
  laggard attach --pid 4711 --pid 4712
  srun --overlap --jobid=J --nodes=N --ntasks-per-node=1 --mpi=none laggard attach --job J -o $PWD/hung`
)

// Run takes the record and writes it; damaged tells that something could not be read. To the run directory of a
// recording it adds what a recorder does not see.
func Run(o Options, dir, version string, out, errw io.Writer) (damaged bool, err error) {
	if m, err := rundir.ReadManifest(dir); dir != "" && err == nil && !m.Imported {
		return false, addValues(o, dir, out)
	}
	t, err := TakeSnapshot(o)
	if err != nil {
		return false, fmt.Errorf("attach: %w", err)
	}
	for _, p := range t.Problems {
		fmt.Fprintf(errw, "laggard: %v\n", p)
	}
	if dir, err = t.Write(dir, version); err != nil {
		return false, fmt.Errorf("attach: %w", err)
	}
	fmt.Fprintf(out, "%d of %d ranks, %d samples in %v, in %s\n", len(t.Ranks), t.Size, o.Looks,
		time.Since(t.Began).Round(time.Millisecond), dir)
	if h := t.Holds; h.Number > 0 {
		fmt.Fprintf(out, "threads were stopped %d times, for at most %.1f ms each\n", h.Number,
			float64(h.Longest)/float64(time.Millisecond))
	}
	if t.Moved.Len() > 0 {
		fmt.Fprintf(out, "%s made progress during sampling: the job is running\n", t.Moved.Phrase())
	}
	root := ""
	if len(t.Roots) > 0 {
		root = "--root " + strings.Join(t.Roots, ",") + " "
	}
	fmt.Fprintf(out, "Next: laggard diagnose %s%s\n", root, dir)
	return len(t.Problems) > 0, nil
}

// addValues adds to a recording what the variables of the ranks of this node hold.
func addValues(o Options, dir string, out io.Writer) error {
	resolver := symbolsOf(o.Symbols, process.ContainerRoots(dir))
	defer resolver.Close()
	n, err := NoteValues(dir, resolver)
	switch {
	case err != nil:
		return fmt.Errorf("attach: %w", err)
	case n == 0:
		return fmt.Errorf("attach: %s: %w, or none may be read", dir, ErrNobody)
	}
	fmt.Fprintf(out, "The job was recorded; added variable values of %d ranks on this node, in %s\n", n, dir)
	fmt.Fprintf(out, "Next: laggard slice %s\n", dir)
	return nil
}
