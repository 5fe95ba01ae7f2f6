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
Nothing is loaded into them. They are looked at several times, which tells who
stands still, who polls and who computes: their memory is read from outside, and
a thread that runs is held for the moment in which its registers are copied.

With -o and the run directory of a recording, the numbers in the variables of the
ranks on this node are added to it, to stand beside the lines of laggard slice.

Without --pid and --job: all ranks of this user, which must be of one job. Over
several nodes, run it once on each, with the same directory: what is on different
nodes is put together when it is diagnosed.

Exit status: 0 done, 1 failed, 2 usage, 4 done but something could not be read.`
	Examples = `  laggard attach -o hung && laggard diagnose hung
  laggard attach --pid 4711 --pid 4712
  srun --overlap --jobid=J --nodes=N --ntasks-per-node=1 --mpi=none laggard attach --job J -o $PWD/hung`
)

// Run takes the record and writes it; damaged tells that something could not be read. To the run directory of a
// recording it adds what a recorder does not see.
func Run(o Options, dir, version string, out, errw io.Writer) (damaged bool, err error) {
	if m, err := rundir.Manifest(dir); dir != "" && err == nil && !m.Imported {
		return false, beside(o, dir, out)
	}
	t, err := Take(o)
	if err != nil {
		return false, fmt.Errorf("attach: %w", err)
	}
	for _, p := range t.Problems {
		fmt.Fprintf(errw, "laggard: %v\n", p)
	}
	if dir, err = t.Write(dir, version); err != nil {
		return false, fmt.Errorf("attach: %w", err)
	}
	fmt.Fprintf(out, "%d of %d ranks, %d looks in %v, in %s\n", len(t.Ranks), t.Size, o.Looks,
		time.Since(t.Began).Round(time.Millisecond), dir)
	if h := t.Holds; h.Number > 0 {
		fmt.Fprintf(out, "threads were held %d times, for at most %.1f ms each\n", h.Number,
			float64(h.Longest)/float64(time.Millisecond))
	}
	if t.Moved.Len() > 0 {
		fmt.Fprintf(out, "%s went from call to call meanwhile: the job is running\n", t.Moved.Phrase())
	}
	root := ""
	if len(t.Roots) > 0 {
		root = "--root " + strings.Join(t.Roots, ",") + " "
	}
	fmt.Fprintf(out, "Next: laggard diagnose %s%s\n", root, dir)
	return len(t.Problems) > 0, nil
}

// beside adds to a recording what the variables of the ranks of this node hold.
func beside(o Options, dir string, out io.Writer) error {
	resolver := symbolsOf(o.Symbols, process.Roots(dir))
	defer resolver.Close()
	n, err := NoteValues(dir, resolver)
	switch {
	case err != nil:
		return fmt.Errorf("attach: %w", err)
	case n == 0:
		return fmt.Errorf("attach: %s: %w, or none may be read", dir, ErrNobody)
	}
	fmt.Fprintf(out, "The job was recorded; noted is what the variables of %d ranks on this node hold, in %s\n", n, dir)
	fmt.Fprintf(out, "Next: laggard slice %s\n", dir)
	return nil
}
