package runfiles

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"laggard/model"
	"laggard/model/nodefile"
)

// NodeFiles is the pattern of the names of node files in a run directory.
const NodeFiles = "node-*.lgd"

// subLevels is how deep below the run directory node files may be: those of big
// jobs are spread over sub-directories.
const subLevels = 2

// Index tells what is in a run directory, or in a Part of it. Slots come in
// order of rank, one for each rank, see BestClaims; behind them those that become
// Run.Others, in order of file and slot.
type Index struct {
	Dir        string
	ID         uint64
	Manifest   *model.Manifest          // nil if there is none
	Slots      []nodefile.SlotInfo      // of the part
	Size       int                      // of MPI_COMM_WORLD, as most ranks or else the manifest say; 0 unknown
	Seen       model.RankSet            // ranks that have a slot, in this part or another
	Duplicates int                      // processes that have the rank of one that started later, see BestClaims; in all parts
	Strangers  int                      // processes of the job that know worlds of other sizes, but for spawned ones; in all parts
	Others     []OtherJob               // the other MPI jobs of the recording; in all parts
	Stood      time.Time                // see Listing
	Worlds     []SpawnedWorld           // of spawned processes, in all parts; see JoinWorlds
	Foreign    model.RankSet            // ranks that have one only in files of other runs
	Problems   []model.Problem          // of the files of the part
	bytes      int64                    // of all node files
	bound      int                      // what all ranks of the job are below
	joined     map[uint64]*SpawnedWorld // by name; nil before JoinWorlds
	open       func(name string) *nodefile.File
	files      openFiles                     // those that a load has open
	limits     map[nodefile.StreamKind]int64 // see LimitEvents: for one slot
}

// Scan looks through a run directory without decoding it: file headers, chunk
// headers, and of each slot the records up to that of MPI_COMM_WORLD. What is
// damaged is in Problems; an error means that dir is no run directory (it wraps
// ErrNoRun) or cannot be read.
func Scan(dir string) (*Index, error) {
	l, err := List(dir)
	if err != nil {
		return nil, err
	}
	return l.ScanPart(0, 1).wholeIndex(), nil
}

// nodeFiles lists the node files of a directory sub of a run directory, and of its
// sub-directories, by name relative to the run directory. A file below that vanishes meanwhile is none.
func nodeFiles(dir, sub string) ([]string, error) {
	names, err := nodeFilesBelow(dir, sub, subLevels)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("model: %w: %w", model.ErrNoRun, err)
	case err != nil:
		return nil, fmt.Errorf("model: %w", err)
	}
	return names, nil
}

// nodeFilesBelow lists the node files in the directory sub of a run directory,
// and in the sub-directories to a number of levels.
func nodeFilesBelow(dir, sub string, levels int) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, sub))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := filepath.Join(sub, e.Name())
		if ok, _ := filepath.Match(NodeFiles, e.Name()); ok {
			names = append(names, name)
		} else if levels > 0 && e.IsDir() && IsSubDirectory(e.Name()) {
			more, err := nodeFilesBelow(dir, name, levels-1)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
			names = append(names, more...)
		}
	}
	return names, nil
}

// IsSubDirectory tells a sub-directory of node files by its name, two
// hexadecimal digits.
func IsSubDirectory(name string) bool {
	_, err := hex.DecodeString(name)
	return err == nil && len(name) == 2
}

// mostCommon returns the value that is counted most often, the smallest of
// several; 0 if there is none.
func mostCommon[T cmp.Ordered](counts map[T]int) T {
	var best T
	for v, n := range counts {
		if most := counts[best]; n > most || n == most && v < best {
			best = v
		}
	}
	return best
}

// latestSlots sorts the slots as Index has them and leaves out those of a rank that
// have the weaker claim, as where it was started again.
func latestSlots(slots []nodefile.SlotInfo, v Verdict) []nodefile.SlotInfo {
	ranks := make([]nodefile.SlotInfo, 0, len(slots))
	var others []nodefile.SlotInfo
	for _, s := range slots {
		if s.IsWorldRank(v.rankBound()) {
			ranks = append(ranks, s)
		} else {
			others = append(others, s)
		}
	}
	slices.SortStableFunc(ranks, func(a, b nodefile.SlotInfo) int {
		return cmp.Or(a.Rank-b.Rank, claimOf(b, v.Size).compare(claimOf(a, v.Size)))
	})
	ranks = slices.CompactFunc(ranks, func(a, b nodefile.SlotInfo) bool { return a.Rank == b.Rank })
	return append(ranks, others...)
}

// MissingRanks returns the ranks of MPI_COMM_WORLD that left nothing in the
// directory.
func (x *Index) MissingRanks() model.RankSet { return x.Seen.MissingBelow(x.Size) }
