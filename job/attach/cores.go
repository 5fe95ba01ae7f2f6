package attach

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"laggard/intake/stopped"
	"laggard/intake/unwind"
	"laggard/symbol"
)

// CoreFiles are the core files among some files, and those in directories. There are none if
// any of the files is something else.
func CoreFiles(paths []string) []string {
	var out []string
	for _, path := range paths {
		entries, err := os.ReadDir(path)
		if err != nil {
			if !stopped.IsCore(path) {
				return nil
			}
			out = append(out, path)
			continue
		}
		for _, e := range entries {
			if inside := filepath.Join(path, e.Name()); e.Type().IsRegular() && stopped.IsCore(inside) {
				out = append(out, inside)
			}
		}
	}
	return out
}

// readCores makes the record of the ranks that left core files, each with one look at
// the moment of which the file is. size is that of the job; 0: the launcher's variables say.
func readCores(paths []string, size int, resolver *symbol.Resolver) (*Snapshot, func(), error) {
	out := &Snapshot{Size: size, Began: time.Now()}
	rows := &unwind.Rows{}
	var open []*stopped.Core
	closeAll := func() {
		for _, c := range open {
			c.Close()
		}
	}
	var found []*rankProcess
	for _, path := range paths {
		c, err := stopped.OpenCore(path)
		if err != nil {
			out.Problems = append(out.Problems, err)
			continue
		}
		open = append(open, c)
		f := rankOf(&stopped.Process{Image: c.Image})
		out.Size = max(out.Size, f.size)
		found = append(found, f)
	}
	if len(found) == 0 {
		return nil, closeAll, cmp.Or(firstError(out.Problems), ErrNobody)
	}
	assignFreeRanks(found)
	out.Job = found[0].job
	var ranks []*sampledRank
	for _, f := range found {
		w := newSampledRank(f, rows, resolver)
		ranks = append(ranks, w)
		for i := range w.process.Threads {
			w.samples = append(w.samples, w.unwindSample(w.process.Threads[i], 0))
		}
	}
	err := out.buildRanks(ranks, resolver)
	return out, closeAll, err
}

// ImportCores reads core files and writes a run directory of them; damaged tells that
// something could not be read.
func ImportCores(
	paths []string, size int, resolver *symbol.Resolver, dir, version string, out, errw io.Writer,
) (damaged bool, err error) {
	t, closeAll, err := readCores(paths, size, resolver)
	defer closeAll()
	if err != nil {
		return false, fmt.Errorf("import: %w", err)
	}
	for _, p := range t.Problems {
		fmt.Fprintf(errw, "laggard: %v\n", p)
	}
	if dir, err = t.Write(dir, version); err != nil {
		return false, fmt.Errorf("import: %w", err)
	}
	fmt.Fprintf(out, "%d of %d ranks, from %d core files, in %s\nNext: laggard diagnose %s\n", len(t.Ranks), t.Size,
		len(paths), dir, dir)
	return len(t.Problems) > 0, nil
}
