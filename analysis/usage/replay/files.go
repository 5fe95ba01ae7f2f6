package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"laggard/analysis/usage/finding"
	"laggard/model/mpi"
)

// file is an open file.
type file struct {
	made  int
	mode  int64
	split int // the begin of a split collective that is under way, -1
}

// Modes of MPI_File_open, as Open MPI and the MPICH family have them.
const (
	modeCreate     = 1
	modeRead       = 2
	modeWrite      = 4
	modeReadWrite  = 8
	modeExclusive  = 64
	modeSequential = 256
)

// standardModes are those of the standard ABI.
var standardModes = []struct{ standard, mode int64 }{{2, modeCreate}, {16, modeRead}, {256, modeWrite},
	{32, modeReadWrite}, {8, modeExclusive}, {64, modeSequential}}

// modeOf is a mode of MPI_File_open with the numbers above.
func (r *replay) modeOf(amode int64) int64 {
	if r.t.Family != "abi" {
		return amode
	}
	var out int64
	for _, m := range standardModes {
		if amode&m.standard != 0 {
			out |= m.mode
		}
	}
	return out
}

func (r *replay) newFile(a args) *file {
	return &file{made: a.i, mode: r.modeOf(a.num(0, "amode")), split: -1}
}

// beginFile checks a call on a file against the state of the file.
func (r *replay) beginFile(a args) {
	name := a.c.Func.Name
	if name == "MPI_File_open" {
		r.checkMode(a)
		return
	}
	if !strings.HasPrefix(name, "MPI_File_") {
		return
	}
	f := r.files[a.handle("fh")]
	if f == nil {
		return
	}
	r.checkAccess(a, f)
	r.checkSplit(a, f)
	if name == "MPI_File_close" {
		r.checkClose(a, f)
	}
}

func (r *replay) fileFinding(a args, section, message, change string, others ...finding.Place) {
	f := r.report("file_access", message, append([]finding.Place{r.Place(a.i, "call")}, others...)...)
	f.Standard, f.Change = "MPI-3.1 "+section, change
}

// checkMode checks the mode to open with (MPI-3.1 §13.2.1).
func (r *replay) checkMode(a args) {
	amode, ok := a.int("amode")
	if !ok {
		return
	}
	mode, access := r.modeOf(amode), 0
	for _, bit := range []int64{modeRead, modeWrite, modeReadWrite} {
		if mode&bit != 0 {
			access++
		}
	}
	switch {
	case access != 1:
		r.fileFinding(a, "§13.2.1", fmt.Sprintf(
			"MPI_File_open with %d of the modes MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR", access),
			"give exactly one of them")
	case mode&modeRead != 0 && mode&(modeCreate|modeExclusive) != 0:
		r.fileFinding(a, "§13.2.1", "MPI_File_open with MPI_MODE_RDONLY and MPI_MODE_CREATE or MPI_MODE_EXCL",
			"open a file that is created for writing")
	case mode&modeReadWrite != 0 && mode&modeSequential != 0:
		r.fileFinding(a, "§13.2.1", "MPI_File_open with MPI_MODE_RDWR and MPI_MODE_SEQUENTIAL", "use one of the two")
	}
}

// checkAccess checks an access against the mode of the file.
func (r *replay) checkAccess(a args, f *file) {
	op := strings.TrimPrefix(strings.TrimPrefix(a.c.Func.Name, "MPI_File_"), "i")
	reads, writes := strings.HasPrefix(op, "read"), strings.HasPrefix(op, "write")
	opened := r.Place(f.made, "open")
	switch {
	case !reads && !writes:
	case reads && f.mode&modeWrite != 0:
		r.fileFinding(a, "§13.2.1", a.c.Func.Name+" of a file that was opened with MPI_MODE_WRONLY",
			"open it with MPI_MODE_RDWR", opened)
	case writes && f.mode&modeRead != 0:
		r.fileFinding(a, "§13.2.1", a.c.Func.Name+" to a file that was opened with MPI_MODE_RDONLY",
			"open it with MPI_MODE_RDWR or MPI_MODE_WRONLY", opened)
	case f.mode&modeSequential != 0 && !strings.Contains(op, "_shared") && !strings.Contains(op, "_ordered"):
		r.fileFinding(a, "§13.4.1", a.c.Func.Name+" of a file that was opened with MPI_MODE_SEQUENTIAL",
			"use the shared file pointer", opened)
	}
}

// checkSplit: at most one split collective is under way on a file, its end is of the
// same function, and no other collective comes between (MPI-3.1 §13.4.5).
func (r *replay) checkSplit(a args, f *file) {
	name := strings.TrimSuffix(a.c.Func.Name, "_c")
	begins, ends := strings.HasSuffix(name, "_begin"), strings.HasSuffix(name, "_end")
	switch class := a.c.Func.Class; {
	case ends && f.split < 0:
		r.fileFinding(a, "§13.4.5", name+" without its begin",
			"call "+strings.TrimSuffix(name, "_end")+"_begin before it")
	case ends:
		begin := strings.TrimSuffix(r.t.Calls[f.split].Func.Name, "_c")
		if strings.TrimSuffix(begin, "_begin") != strings.TrimSuffix(name, "_end") {
			r.fileFinding(a, "§13.4.5", name+" ends "+begin, "end it with the function that belongs to it",
				r.Place(f.split, "begin"))
		}
		f.split = -1
	case f.split >= 0 && (class == mpi.ClassFileColl || class == mpi.ClassFileIcoll):
		r.fileFinding(a, "§13.4.5", name+" while a split collective is under way on the file", "end it first",
			r.Place(f.split, "begin"))
	}
	if begins {
		f.split = a.i
	}
}

// checkClose: nothing is under way on a file that is closed (MPI-3.1 §13.2.2).
func (r *replay) checkClose(a args, f *file) {
	if f.split >= 0 {
		r.fileFinding(a, "§13.2.2", "MPI_File_close while a split collective is under way", "end it first",
			r.Place(f.split, "begin"))
	}
	fh := a.handle("fh")
	for _, handle := range slices.Sorted(maps.Keys(r.requests.alive)) {
		for _, q := range r.requests.alive[handle] {
			if q.under != nil && !q.unsure && q.call.has("fh") && q.call.handle("fh") == fh {
				r.fileFinding(a, "§13.2.2", "MPI_File_close while "+q.call.c.Func.Name+" is under way",
					"complete it with MPI_Wait first", r.Place(q.begun, "start"))
				return
			}
		}
	}
}
