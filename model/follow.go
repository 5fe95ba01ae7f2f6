package model

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"laggard/model/format"
)

// Follower reads the series of the ranks of a run directory again and again while the job writes them. It remembers where they are, so
// a look at many ranks takes little time. It is for one goroutine.
type Follower struct {
	dir     string
	only    string // the one file that is followed; "": all
	index   *Index
	files   map[string]*followedFile
	ranks   []*FollowedRank
	scanned time.Time
	most    int // files that may be open
}

// FollowedRank is a rank of the job's MPI_COMM_WORLD.
type FollowedRank struct {
	SlotInfo
	PID      int
	End      End       // how the process ended, as far as it could say
	Quiet    time.Time // since when it makes no progress; zero while it does
	SampleHz int       // samples a second; 0: there are no samples
	// Fresh are the intervals since the last Refresh, at first all that there are, without overlap by rising time. Their Thread,
	// State, Anchor and Comm are numbers in the file, good for comparisons; see Load.
	Fresh []Interval

	at     int // in Index.Slots
	cursor *cursor
	rank   int64 // where the live part of the RANK record is; 0 not found yet
	series []seriesPlace
	next   int    // where the next entry of the shortest step is expected, counted through series
	seen   uint32 // begin of the last entry of the shortest step that was read
}

// seriesPlace is where a SERIES record of the shortest step is.
type seriesPlace struct {
	live, entries int64
}

// shortestStep is that of the series that a Follower reads on in, in seconds.
const shortestStep = 1

// rescanAfter is how long new files, and what ranks learn about themselves, may take to be noticed.
const rescanAfter = 5 * time.Second

// Follow begins to follow the ranks of a run directory, or of one of its node files alone if only names one: then nothing else is
// looked at. See Scan for the errors.
func Follow(dir, only string) (*Follower, error) {
	f := &Follower{dir: dir, only: only, files: map[string]*followedFile{}, most: mostFollowed()}
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
		file.img.close()
	}
	f.files, f.ranks = map[string]*followedFile{}, nil
}

// Size is that of MPI_COMM_WORLD; 0 unknown.
func (f *Follower) Size() int { return f.index.Size }

// Problems are what was missing or damaged when the directory was last listed.
func (f *Follower) Problems() []Problem { return f.index.Problems }

// Refresh reads what is new, and returns the ranks that have a slot by rising rank. They are the same ones each time.
func (f *Follower) Refresh(now time.Time) ([]*FollowedRank, error) {
	if now.Sub(f.scanned) >= rescanAfter {
		if err := f.rescan(now); err != nil {
			return nil, err
		}
	}
	groups := map[*followedFile][]*FollowedRank{}
	for _, r := range f.ranks {
		r.Fresh = nil
		if file := f.files[r.File]; file != nil {
			groups[file] = append(groups[file], r)
		}
	}
	list := make([]*followedFile, 0, len(groups))
	for file := range groups {
		list = append(list, file)
	}
	runParallel(len(list), func(i int) { list[i].refresh(groups[list[i]]) })
	return f.ranks, nil
}

// Load reads all that a rank has recorded.
func (f *Follower) Load(r *FollowedRank) (*Rank, error) {
	run, err := f.index.LoadSlots(r.at, r.at+1)
	if err != nil {
		return nil, err
	}
	if len(run.Ranks) == 0 {
		return nil, fmt.Errorf("model: rank %d: %w", r.Rank, ErrLost)
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
		if !s.isWorldRank(f.index.bound) {
			continue
		}
		r := known[slotKey(&s)]
		if r == nil {
			r = &FollowedRank{}
		}
		r.SlotInfo, r.at = s, i
		f.ranks = append(f.ranks, r)
		if f.files[s.File] == nil && len(f.files) < f.most {
			if img, err := l.openFile(s.File); err == nil {
				f.files[s.File] = &followedFile{path: func() (*image, error) { return l.openFile(s.File) }, img: img}
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
		return nil, fmt.Errorf("model: %w: %w", ErrNoRun, err)
	}
	return &Listing{Dir: f.dir, Files: []ListedFile{{Name: f.only, Bytes: info.Size()}}}, nil
}

func slotKey(s *SlotInfo) string { return fmt.Sprintf("%s %d %d", s.File, s.Slot, s.Start.UnixNano()) }

// followedFile is a node file that stays open.
type followedFile struct {
	path   func() (*image, error)
	img    *image
	layout *layout
}

// refresh reads what is new of the ranks of the file. A file that cannot be read any more has nothing new.
func (f *followedFile) refresh(ranks []*FollowedRank) {
	size := f.img.size()
	if size == int64(len(f.img.data)) && f.img.file != nil { // it may have grown out of what is mapped
		if img, err := f.path(); err == nil {
			f.img.close()
			f.img, f.layout = img, nil
			for _, r := range ranks {
				if r.cursor != nil {
					r.cursor.img = img
				}
			}
		}
	}
	err := f.img.guardReads(func() {
		if f.layout == nil || f.layout.size != size {
			var said problems
			l, err := f.img.readLayout(&said)
			if err != nil {
				return
			}
			f.layout = l
		}
		for _, r := range ranks {
			r.refresh(f)
		}
	})
	if err != nil {
		f.layout = nil
	}
}

func (r *FollowedRank) refresh(f *followedFile) {
	fresh := r.findRecords(f)
	if r.rank != 0 {
		r.PID, r.End = r.pidAt(f.img), End(f.img.u32(r.rank+format.RankEnd))
		r.Quiet = timeOf(f.img.u64(r.rank + format.RankQuietSince))
	}
	if len(fresh) > 0 {
		r.Fresh = withoutOverlap(fresh)
		r.findNext(f.img)
		return
	}
	r.readOn(f.img)
}

func (r *FollowedRank) pidAt(img *image) int {
	return int(img.u32(r.rank - format.SizeofRankFixed + format.RankPID))
}

// findRecords looks for the records that are new, and returns the intervals of those with SERIES.
func (r *FollowedRank) findRecords(f *followedFile) (fresh []Interval) {
	chunks := f.layout.slots[uint32(r.Slot)]
	if len(chunks) == 0 {
		return nil
	}
	if r.cursor == nil {
		var said problems // the analyses say what is wrong
		r.cursor = newCursor(f.img, f.layout, uint32(r.Slot), &said)
	}
	r.cursor.chunks, r.cursor.size = chunks, f.layout.size
	for rec, ok := r.cursor.next(); ok; rec, ok = r.cursor.next() {
		switch rec.typ {
		case format.RankRecord:
			r.rank = rec.live
		case format.SeriesRecord:
			le32, _ := wordReaders(rec.fixed)
			step := le32(format.SeriesStep)
			r.SampleHz = int(le32(format.SeriesHz))
			if step == shortestStep {
				r.series = append(r.series, seriesPlace{rec.live, rec.nlive / format.SizeofInterval})
			}
			if r.seen == 0 && step > 0 && step <= longestStep {
				for b := f.img.appendIntervals(nil, rec); len(b) > 0; b = b[format.SizeofInterval:] {
					fresh = append(fresh, intervalAt(b, step))
				}
			}
		}
	}
	return fresh
}

// findNext finds the newest entry of the shortest step.
func (r *FollowedRank) findNext(img *image) {
	for i := range r.entries() {
		if begin := r.beginAt(img, i); begin > r.seen {
			r.seen, r.next = begin, i+1
		}
	}
}

func (r *FollowedRank) entries() (n int) {
	for _, s := range r.series {
		n += int(s.entries)
	}
	return n
}

// offsetOf is where the entry i of the shortest step is, counted through the records.
func (r *FollowedRank) offsetOf(i int) int64 {
	for _, s := range r.series {
		if int64(i) < s.entries {
			return s.live + int64(i)*format.SizeofInterval
		}
		i -= int(s.entries)
	}
	return -1
}

func (r *FollowedRank) beginAt(img *image, i int) uint32 {
	return img.u32(r.offsetOf(i) + format.IntervalBegin)
}

// readOn reads the entries of the shortest step behind the last one that was read. Behind the last one of all they go on at the first.
func (r *FollowedRank) readOn(img *image) {
	total := r.entries()
	for range total {
		at := r.next
		if at >= total {
			at = 0
		}
		off := r.offsetOf(at)
		begin := img.u32(off + format.IntervalBegin)
		if begin <= r.seen {
			return
		}
		b := img.appendWords(nil, off, format.SizeofInterval)
		if img.u32(off+format.IntervalBegin) != begin {
			return // it is being written anew, as this reader came too late
		}
		r.Fresh = append(r.Fresh, intervalAt(b, shortestStep))
		r.seen, r.next = begin, at+1
	}
}
