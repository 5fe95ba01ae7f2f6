package synth

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"laggard/model"
	"laggard/model/nodefile"
	"laggard/model/runfiles"
)

// nodesPerDir is how many node files a directory holds; more go into
// sub-directories of two hexadecimal digits.
const nodesPerDir = 256

// Write makes the run directory dir, which must exist and be empty, from
// recorded ranks. progress, if it is not nil, is told now and then how many
// ranks are written. Errors wrap ErrTemplate, ErrFault or ErrConfig, or are
// those of the file system.
func Write(dir string, templates []*model.Rank, c Config, progress func(ranks int)) (Truth, error) {
	j, err := newJob(templates, c)
	if err != nil {
		return Truth{}, err
	}
	nodes := (j.Ranks + j.PerNode - 1) / j.PerNode
	damage, err := j.planDamage(nodes)
	if err != nil {
		return Truth{}, err
	}
	if err := j.writeManifest(dir); err != nil {
		return Truth{}, err
	}
	if err := j.writeNodes(dir, nodes, damage, progress); err != nil {
		return Truth{}, err
	}
	t := Truth{Ranks: j.truth, Damage: damage.damagedRanks(j)}
	if j.Fault.Kind != Healthy {
		t.Place = j.calls[0]
		t.Comm, t.Sequence = j.skippedCall()
	}
	return t, nil
}

func (j *job) runID() uint64 { return mix(j.Seed, j.Ranks) }

func (j *job) writeManifest(dir string) error {
	m := &model.Manifest{
		RunID: model.RunIDText(j.runID()), Created: j.Created.Add(-1e9 * 3601), Version: j.Version,
		Command: j.Command, Ranks: j.Ranks,
	}
	if j.Damage.Manifest {
		m.RunID, m.Ranks = model.RunIDText(j.runID()+1), 2*j.Ranks
	}
	return runfiles.WriteManifest(dir, m)
}

func (j *job) writeNodes(dir string, nodes int, damage *damage, progress func(int)) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	var mu sync.Mutex // of done, and around progress
	done := 0
	workers := min(nodes, runtime.GOMAXPROCS(0))
	errs := make([]error, workers)
	for i := range workers {
		wg.Go(func() {
			w := &writer{job: j, folder: nodefile.NewFolder(), damage: damage, dir: dir, nodes: nodes}
			for errs[i] == nil {
				node := int(next.Add(1)) - 1
				if node >= nodes {
					return
				}
				errs[i] = w.writeNode(node)
				mu.Lock()
				if done++; progress != nil && done%nodesPerDir == 0 {
					progress(min(done*j.PerNode, j.Ranks))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// writer writes nodes, one after the other.
type writer struct {
	*job
	folder *nodefile.Folder
	damage *damage
	dir    string
	nodes  int
}

func (w *writer) writeNode(node int) error {
	var ranks []*model.Rank
	for r := node * w.PerNode; r < min((node+1)*w.PerNode, w.Ranks); r++ {
		if w.Fault.Kind != Missing || !w.Fault.Ranks.Contains(r) {
			ranks = append(ranks, w.newRank(r))
		}
	}
	h := nodefile.Header{RunID: w.runID(), Host: w.hostName(node), Created: w.Created.Add(-1e9 * 3600)}
	if w.damage.foreign[node] {
		h.RunID += 2
	}
	dir := filepath.Join(w.dir, subDirectory(node, w.nodes))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("synth: %w", err)
	}
	name, err := w.folder.WriteNode(dir, h, ranks)
	if err != nil {
		return err
	}
	return w.damage.damageFile(filepath.Join(dir, name), ranks)
}

// subDirectory returns where the file of a node goes.
func subDirectory(node, nodes int) string {
	switch n := node / nodesPerDir; {
	case nodes <= nodesPerDir:
		return ""
	case nodes <= nodesPerDir*nodesPerDir:
		return fmt.Sprintf("%02x", n)
	default:
		return fmt.Sprintf("%02x/%02x", n/nodesPerDir, n%nodesPerDir)
	}
}
