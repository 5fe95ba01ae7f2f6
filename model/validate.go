package model

import (
	"strings"
	"time"
)

// Report is what Validate finds in a run directory.
type Report struct {
	Dir      string
	RunID    uint64
	Manifest *Manifest // nil if there is none
	Files    []FileReport
	Size     int     // of MPI_COMM_WORLD; 0 unknown
	Missing  RankSet // ranks that left nothing
	Problems []Problem
}

// FileReport sums up a node file. A file that cannot be used has only a name.
type FileReport struct {
	Name    string
	Host    string
	RunID   uint64
	Created time.Time
	Bytes   int64
	Slots   int
	Ranks   RankSet
	Records []RecordCount // by type, in the order of the types; those that occur
}

// RecordCount says how often a type of record occurs.
type RecordCount struct {
	Type  string // as in the errors, such as "STATE"
	Count int
	Bytes int64 // of these records
}

// Validate reads everything in a run directory and reports what is there and
// what is wrong with it. See Scan for the errors.
func Validate(dir string) (*Report, error) {
	x, err := Scan(dir)
	if err != nil {
		return nil, err
	}
	run, err := x.whole()
	if err != nil {
		return nil, err
	}
	names, err := nodeFiles(dir)
	if err != nil {
		return nil, err
	}
	out := &Report{Dir: dir, RunID: x.ID, Manifest: x.Manifest, Size: x.Size, Missing: x.Missing(), Problems: run.Problems}
	out.Files = make([]FileReport, len(names))
	parallel(len(names), func(i int) { out.Files[i] = x.reportFile(names[i]) })
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
	for _, s := range x.Slots {
		if s.File == name && s.regular(x.Size) {
			out.Ranks.Add(s.Rank)
		}
	}
	// A fault was met by the load before, which reported it.
	f.img.guard(func() { out.Records = f.img.countRecords(l) })
	return out
}

func (m *image) countRecords(l *layout) []RecordCount {
	var counts [recTypes]RecordCount
	for slot := range l.slots {
		var said problems // by the load
		c := newCursor(m, l, slot, &said)
		for rec, ok := c.next(); ok; rec, ok = c.next() {
			counts[rec.typ].Count++
			counts[rec.typ].Bytes += recHeader + int64(len(rec.fixed)) + rec.nlive
		}
	}
	var out []RecordCount
	for typ := recRank; typ < recTypes; typ++ {
		if counts[typ].Count > 0 {
			counts[typ].Type, _, _ = strings.Cut(typ.String(), " ")
			out = append(out, counts[typ])
		}
	}
	return out
}
