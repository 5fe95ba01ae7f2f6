package runfiles

import (
	"laggard/internal/parallel"
	"laggard/model"
	"laggard/model/nodefile"
)

// Report is what Validate finds in a run directory.
type Report struct {
	Dir        string
	RunID      uint64
	Manifest   *model.Manifest // nil if there is none
	Files      []FileReport
	Size       int           // of MPI_COMM_WORLD; 0 unknown
	Missing    model.RankSet // ranks that left nothing
	Foreign    model.RankSet // of these, those that have a slot in a file of another run
	Duplicates int           // see Index, as Others
	Others     []OtherJob
	Problems   []model.Problem
}

// FileReport sums up a node file. A file that cannot be used has only a name.
type FileReport struct {
	nodefile.Header
	Name  string
	Bytes int64
	Slots int
	// Processors is on how many of the node each of the processes could run, at most; 0 unknown.
	Processors int
	Ranks      model.RankSet
	Records    []nodefile.RecordCount // by type, in the order of the types; those that occur
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
		Duplicates: x.Duplicates, Others: x.Others, Problems: x.Problems}
	processors := map[string]int{}
	x.EachBatch(func(run *model.Run) {
		out.Problems = append(out.Problems, run.Problems...)
		for _, r := range run.Ranks {
			processors[r.File] = max(processors[r.File], r.Processors)
		}
	})
	ranks := map[string]*model.RankSet{}
	for _, s := range x.Slots {
		if ranks[s.File] == nil {
			ranks[s.File] = new(model.RankSet)
		}
		if s.IsWorldRank(x.bound) {
			ranks[s.File].Add(s.Rank)
		}
	}
	out.Files = make([]FileReport, len(l.Files))
	parallel.ForEach(len(l.Files), func(i int) {
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
	f := x.open(name)
	defer f.Close()
	if f.Err() != nil {
		return out
	}
	out.Header, _ = f.Header()
	out.Bytes, out.Slots = f.Bytes(), f.NumSlots()
	out.Records = f.CountRecords() // a fault was met by the load before, which reported it
	return out
}
