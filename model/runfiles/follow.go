package runfiles

import (
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"laggard/internal/parallel"

	"golang.org/x/sys/unix"

	"laggard/model"
	"laggard/model/nodefile"
)

// Follower reads the series of the ranks of a run directory again and again while the job writes them. It remembers where they are, so
// a look at many ranks takes little time. It is for one goroutine.
type Follower struct {
	dir     string
	only    string // the one file that is followed; "": all
	index   *Index
	files   map[string]*nodefile.FollowedFile
	ranks   []*FollowedRank
	scanned time.Time
	most    int // files that may be open
}

// FollowedRank is a rank of the job's MPI_COMM_WORLD.
type FollowedRank struct {
	nodefile.SlotInfo
	nodefile.FollowedSlot
	at int // in Index.Slots
}

// rescanAfter is how long new files, and what ranks learn about themselves, may take to be noticed.
const rescanAfter = 5 * time.Second

// Follow begins to follow the ranks of a run directory, or of one of its node files alone if only names one: then nothing else is
// looked at. See Scan for the errors.
func Follow(dir, only string) (*Follower, error) {
	f := &Follower{dir: dir, only: only, files: map[string]*nodefile.FollowedFile{}, most: mostFollowed()}
	if err := f.rescan(time.Now()); err != nil {
		return nil, err
	}
	return f, nil
}

// mostFollowed is how many files may stay open: half of those that this process may have. Ranks in others have no samples.
func mostFollowed() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return leastFollowed
	}
	return int(min(limit.Cur/2, math.MaxInt32))
}

// leastFollowed is for where the limit is not known.
const leastFollowed = 256

// Close ends the use of the files.
func (f *Follower) Close() {
	for _, file := range f.files {
		file.Close()
	}
	f.files, f.ranks = map[string]*nodefile.FollowedFile{}, nil
}

// Size is that of MPI_COMM_WORLD; 0 unknown.
func (f *Follower) Size() int { return f.index.Size }

// Problems are what was missing or damaged when the directory was last listed.
func (f *Follower) Problems() []model.Problem { return f.index.Problems }

// Refresh reads what is new, and returns the ranks that have a slot by rising rank. They are the same ones each time.
func (f *Follower) Refresh(now time.Time) ([]*FollowedRank, error) {
	if now.Sub(f.scanned) >= rescanAfter {
		if err := f.rescan(now); err != nil {
			return nil, err
		}
	}
	groups := map[*nodefile.FollowedFile][]*nodefile.FollowedSlot{}
	for _, r := range f.ranks {
		r.Fresh = nil
		if file := f.files[r.File]; file != nil {
			groups[file] = append(groups[file], &r.FollowedSlot)
		}
	}
	list := slices.Collect(maps.Keys(groups))
	parallel.ForEach(len(list), func(i int) { list[i].Refresh(groups[list[i]]) })
	return f.ranks, nil
}

// Load reads all that a rank has recorded.
func (f *Follower) Load(r *FollowedRank) (*model.Rank, error) {
	run, err := f.index.LoadSlots(r.at, r.at+1)
	if err != nil {
		return nil, err
	}
	if len(run.Ranks) == 0 {
		return nil, fmt.Errorf("model: rank %d: %w", r.Rank, model.ErrLost)
	}
	return run.Ranks[0], nil
}

// rescan finds the slots of the ranks; what was read of them before stays.
func (f *Follower) rescan(now time.Time) error {
	l, err := f.list()
	if err != nil {
		return err
	}
	f.scanned = now
	f.index = l.ScanPart(0, 1).wholeIndex()
	known := map[string]*FollowedRank{}
	for _, r := range f.ranks {
		known[slotKey(&r.SlotInfo)] = r
	}
	f.ranks = f.ranks[:0:0]
	for i, s := range f.index.Slots {
		if !s.IsWorldRank(f.index.bound) {
			continue
		}
		r := known[slotKey(&s)]
		if r == nil {
			r = &FollowedRank{FollowedSlot: nodefile.FollowSlot(s.Slot)}
		}
		r.SlotInfo, r.at = s, i
		f.ranks = append(f.ranks, r)
		if f.files[s.File] == nil && len(f.files) < f.most {
			if file := l.openFile(s.File); file.Err() == nil {
				f.files[s.File] = nodefile.FollowFile(file, func() *nodefile.File { return l.openFile(s.File) })
			}
		}
	}
	return nil
}

// list lists the files that are followed.
func (f *Follower) list() (*Listing, error) {
	if f.only == "" {
		return ListPresent(f.dir)
	}
	info, err := os.Stat(filepath.Join(f.dir, f.only))
	if err != nil {
		return nil, fmt.Errorf("model: %w: %w", model.ErrNoRun, err)
	}
	return &Listing{Dir: f.dir, Files: []ListedFile{{Name: f.only, Bytes: info.Size()}}}, nil
}

func slotKey(s *nodefile.SlotInfo) string {
	return fmt.Sprintf("%s %d %d", s.File, s.Slot, s.Start.UnixNano())
}
