package nodefile

import (
	"time"

	"laggard/model"
	"laggard/model/format"
)

// FollowedSlot is what a slot says again and again while its process runs.
type FollowedSlot struct {
	PID      int
	End      model.End // how the process ended, as far as it could say
	Quiet    time.Time // since when it makes no progress; zero while it does
	SampleHz int       // samples a second; 0: there are no samples
	// Fresh are the intervals since the last Refresh, at first all that there are, without overlap by rising time. Their Thread,
	// State, Anchor and Comm are numbers in the file, good for comparisons.
	Fresh []model.Interval

	slot   uint32
	cursor *cursor
	rank   int64 // where the live part of the RANK record is; 0 not found yet
	series []seriesPlace
	next   int    // where the next entry of the shortest step is expected, counted through series
	seen   uint32 // begin of the last entry of the shortest step that was read
}

// FollowSlot begins to follow a slot, by its number in the file.
func FollowSlot(slot int) FollowedSlot { return FollowedSlot{slot: uint32(slot)} }

// seriesPlace is where a SERIES record of the shortest step is.
type seriesPlace struct {
	live, entries int64
}

// shortestStep is that of the series that a Follower reads on in, in seconds.
const shortestStep = 1

// FollowedFile is a node file that stays open.
type FollowedFile struct {
	file   *File
	reopen func() *File
}

// FollowFile follows an open file. When it grows out of what is mapped of it, it is opened again.
func FollowFile(file *File, reopen func() *File) *FollowedFile {
	return &FollowedFile{file, reopen}
}

// Close ends the use of the file.
func (f *FollowedFile) Close() { f.file.Close() }

// Refresh reads what is new of slots of the file. A file that cannot be read any more has nothing new.
func (f *FollowedFile) Refresh(slots []*FollowedSlot) {
	size := f.file.img.size()
	if size == int64(len(f.file.img.data)) && f.file.img.file != nil {
		f.openAgain(slots)
	}
	err := f.file.img.guardReads(func() {
		if f.file.layout == nil || f.file.layout.size != size {
			var said problems
			l, err := f.file.img.readLayout(&said)
			if err != nil {
				return
			}
			f.file.layout = l
		}
		for _, r := range slots {
			r.refresh(f.file)
		}
	})
	if err != nil {
		f.file.layout = nil
	}
}

// openAgain maps what has grown out of the file's map.
func (f *FollowedFile) openAgain(slots []*FollowedSlot) {
	file := f.reopen()
	if file.img == nil {
		return
	}
	f.file.Close()
	f.file = file
	for _, r := range slots {
		if r.cursor != nil {
			r.cursor.img = file.img
		}
	}
}

func (r *FollowedSlot) refresh(f *File) {
	fresh := r.findRecords(f)
	if r.rank != 0 {
		r.PID, r.End = r.pidAt(f.img), model.End(f.img.u32(r.rank+format.RankEnd))
		r.Quiet = timeOf(f.img.u64(r.rank + format.RankQuietSince))
	}
	if len(fresh) > 0 {
		r.Fresh = withoutOverlap(fresh)
		r.findNext(f.img)
		return
	}
	r.readOn(f.img)
}

func (r *FollowedSlot) pidAt(img *image) int {
	return int(img.u32(r.rank - format.SizeofRankFixed + format.RankPID))
}

// findRecords looks for the records that are new, and returns the intervals of those with SERIES.
func (r *FollowedSlot) findRecords(f *File) (fresh []model.Interval) {
	chunks := f.layout.slots[r.slot]
	if len(chunks) == 0 {
		return nil
	}
	if r.cursor == nil {
		var said problems // the analyses say what is wrong
		c := newCursor(f.img, f.layout, r.slot, &said)
		r.cursor = &c
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
func (r *FollowedSlot) findNext(img *image) {
	for i := range r.entries() {
		if begin := r.beginAt(img, i); begin > r.seen {
			r.seen, r.next = begin, i+1
		}
	}
}

func (r *FollowedSlot) entries() (n int) {
	for _, s := range r.series {
		n += int(s.entries)
	}
	return n
}

// offsetOf is where the entry i of the shortest step is, counted through the records.
func (r *FollowedSlot) offsetOf(i int) int64 {
	for _, s := range r.series {
		if int64(i) < s.entries {
			return s.live + int64(i)*format.SizeofInterval
		}
		i -= int(s.entries)
	}
	return -1
}

func (r *FollowedSlot) beginAt(img *image, i int) uint32 {
	return img.u32(r.offsetOf(i) + format.IntervalBegin)
}

// readOn reads the entries of the shortest step behind the last one that was read. Behind the last one of all they go on at the first.
func (r *FollowedSlot) readOn(img *image) {
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
