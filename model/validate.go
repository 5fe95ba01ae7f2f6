package model

import (
	"slices"
	"time"

	"laggard/model/format"
)

// Report is what Validate finds in a run directory.
type Report struct {
	Dir        string
	RunID      uint64
	Manifest   *Manifest // nil if there is none
	Files      []FileReport
	Size       int     // of MPI_COMM_WORLD; 0 unknown
	Missing    RankSet // ranks that left nothing
	Foreign    RankSet // of these, those that have a slot in a file of another run
	Duplicates int     // see Index
	Problems   []Problem
}

// FileReport sums up a node file. A file that cannot be used has only a name.
type FileReport struct {
	Name    string
	Host    string
	RunID   uint64
	Created time.Time
	Bytes   int64
	Slots   int
	// Processors is on how many of the node each of the processes could run, at most; 0 unknown.
	Processors int
	Ranks      RankSet
	Records    []RecordCount // by type, in the order of the types; those that occur
}

// RecordCount says how often a type of record occurs.
type RecordCount struct {
	Type   string // as in the errors, such as "STATE"; of blocks of events "usage", "movement"
	Events bool   // they are such blocks
	Count  int
	Bytes  int64
}

// Validate reads everything in a run directory and reports what is there and
// what is wrong with it. It keeps no more than that in memory. See Scan for the
// errors.
func Validate(dir string) (*Report, error) {
	l, err := List(dir)
	if err != nil {
		return nil, err
	}
	x := l.ScanPart(0, 1).wholeIndex()
	out := &Report{Dir: dir, RunID: x.ID, Manifest: x.Manifest, Size: x.Size, Missing: x.MissingRanks(), Foreign: x.Foreign,
		Duplicates: x.Duplicates, Problems: x.Problems}
	processors := map[string]int{}
	x.EachBatch(func(run *Run) {
		out.Problems = append(out.Problems, run.Problems...)
		for _, r := range run.Ranks {
			processors[r.File] = max(processors[r.File], r.Processors)
		}
	})
	ranks := map[string]*RankSet{}
	for _, s := range x.Slots {
		if ranks[s.File] == nil {
			ranks[s.File] = new(RankSet)
		}
		if s.isWorldRank(x.bound) {
			ranks[s.File].Add(s.Rank)
		}
	}
	out.Files = make([]FileReport, len(l.Files))
	runParallel(len(l.Files), func(i int) {
		out.Files[i] = x.reportFile(l.Files[i].Name)
		out.Files[i].Processors = processors[l.Files[i].Name]
		if set := ranks[l.Files[i].Name]; set != nil {
			out.Files[i].Ranks = *set
		}
	})
	return out, nil
}

func (x *Index) reportFile(name string) FileReport {
	out := FileReport{Name: name}
	f := x.openFile(name)
	defer f.close()
	if f.err != nil {
		return out
	}
	l := f.layout
	out.Host, out.RunID, out.Created = l.header.Host, l.header.RunID, l.header.Created
	out.Bytes, out.Slots = l.size, len(l.slots)
	// A fault was met by the load before, which reported it.
	f.img.guardReads(func() { out.Records = f.img.countRecords(l) })
	return out
}

func (m *image) countRecords(l *layout) []RecordCount {
	var counts [format.Records]RecordCount
	for slot := range l.slots {
		var said problems // by the load
		c := newCursor(m, l, slot, &said)
		for rec, ok := c.next(); ok; rec, ok = c.next() {
			counts[rec.typ].Count++
			counts[rec.typ].Bytes += format.SizeofRec + int64(len(rec.fixed)) + rec.nlive
		}
	}
	var out []RecordCount
	for typ := format.RankRecord; typ < format.Records; typ++ {
		if counts[typ].Count > 0 {
			counts[typ].Type = typ.Name()
			out = append(out, counts[typ])
		}
	}
	return append(out, m.countBlocks(l)...)
}

// countBlocks counts the blocks of the streams, as they are in the file.
func (m *image) countBlocks(l *layout) []RecordCount {
	counts := []RecordCount{UsageStream: {Type: "usage", Events: true},
		MovementStream: {Type: "movement", Events: true}}
	for _, offsets := range l.streams {
		for _, off := range offsets {
			if kind := int(StreamKind(m.u32(off + format.StreamChunkKind))); kind < len(counts) {
				counts[kind].Count++
				counts[kind].Bytes += int64(m.u64(off + format.StreamChunkUsed))
			}
		}
	}
	return slices.DeleteFunc(counts, func(c RecordCount) bool { return c.Count == 0 })
}
