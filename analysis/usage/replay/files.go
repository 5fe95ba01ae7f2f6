package replay

import (
	"fmt"

	"laggard/analysis/usage/finding"
	"laggard/model/mpi"
)

// file is an open file.
type file struct {
	made  int
	mode  int64
	split int // the begin of a split collective that is under way, -1
}

// files follows the open files of the rank.
type files struct {
	*reporter
	requests *requests
	open     map[int]*file // by handle
}

func newFiles(r *reporter, requests *requests) *files {
	return &files{reporter: r, requests: requests, open: map[int]*file{}}
}

// beginCall checks a call on a file against the state of the file.
func (s *files) beginCall(a args) {
	name := a.c.Func.Name
	if name == "MPI_File_open" {
		s.checkMode(a)
		return
	}
	f := s.open[a.handle("fh")]
	if f == nil {
		return
	}
	s.checkAccess(a, f)
	s.checkSplit(a, f)
	if name == "MPI_File_close" {
		s.checkClose(a, f)
	}
}

// endCall follows the return of a call that opens or closes a file.
func (s *files) endCall(a args) {
	switch {
	case !a.succeeded():
	case a.c.Func.Class == mpi.ClassNewfile:
		for _, handle := range returnedObjects(a) {
			s.open[int(handle)] = &file{made: a.i, mode: a.intOr(0, "amode"), split: -1}
		}
	case a.c.Func.Class == mpi.ClassFileFree:
		delete(s.open, a.handle("fh"))
	}
}

// reportMisuse reports a wrong call on a file.
func (s *files) reportMisuse(a args, section, message, change string, others ...finding.Place) {
	f := s.report("file_access", message, append([]finding.Place{s.Place(a.i, "call")}, others...)...)
	f.Standard, f.Change = "MPI-3.1 "+section, change
}

// checkMode checks the mode to open with (MPI-3.1 §13.2.1).
func (s *files) checkMode(a args) {
	amode, ok := a.int("amode")
	if !ok {
		return
	}
	mode, access := amode, 0
	for _, bit := range []int64{mpi.ModeRdonly, mpi.ModeWronly, mpi.ModeRdwr} {
		if mode&bit != 0 {
			access++
		}
	}
	switch {
	case access != 1:
		s.reportMisuse(a, "§13.2.1", fmt.Sprintf(
			"MPI_File_open with %d of the modes MPI_MODE_RDONLY, MPI_MODE_WRONLY and MPI_MODE_RDWR", access),
			"give exactly one of them")
	case mode&mpi.ModeRdonly != 0 && mode&(mpi.ModeCreate|mpi.ModeExcl) != 0:
		s.reportMisuse(a, "§13.2.1", "MPI_File_open with MPI_MODE_RDONLY and MPI_MODE_CREATE or MPI_MODE_EXCL",
			"open a file that is created for writing")
	case mode&mpi.ModeRdwr != 0 && mode&mpi.ModeSequential != 0:
		s.reportMisuse(a, "§13.2.1", "MPI_File_open with MPI_MODE_RDWR and MPI_MODE_SEQUENTIAL", "use one of the two")
	}
}

// checkAccess checks an access against the mode of the file.
func (s *files) checkAccess(a args, f *file) {
	reads, writes := a.c.Func.HasTrait(mpi.Reads), a.c.Func.HasTrait(mpi.Writes)
	opened := s.Place(f.made, "open")
	switch {
	case !reads && !writes:
	case reads && f.mode&mpi.ModeWronly != 0:
		s.reportMisuse(a, "§13.2.1", a.c.Func.Name+" of a file that was opened with MPI_MODE_WRONLY",
			"open it with MPI_MODE_RDWR", opened)
	case writes && f.mode&mpi.ModeRdonly != 0:
		s.reportMisuse(a, "§13.2.1", a.c.Func.Name+" to a file that was opened with MPI_MODE_RDONLY",
			"open it with MPI_MODE_RDWR or MPI_MODE_WRONLY", opened)
	case f.mode&mpi.ModeSequential != 0 && !a.c.Func.HasTrait(mpi.SharedPointer):
		s.reportMisuse(a, "§13.4.1", a.c.Func.Name+" of a file that was opened with MPI_MODE_SEQUENTIAL",
			"use the shared file pointer", opened)
	}
}

// checkSplit: at most one split collective is under way on a file, its end is of the
// same function, and no other collective comes between (MPI-3.1 §13.4.5).
func (s *files) checkSplit(a args, f *file) {
	call, name := a.c.Func, a.c.Func.Narrow.Name
	switch {
	case call.HasTrait(mpi.Ends) && f.split < 0:
		s.reportMisuse(a, "§13.4.5", name+" without its begin", "call "+call.Operation.Name+"_begin before it")
	case call.HasTrait(mpi.Ends):
		if begin := s.calls[f.split].Function(); begin.Operation != call.Operation {
			s.reportMisuse(a, "§13.4.5", name+" ends "+begin.Narrow.Name, "end it with the matching function",
				s.Place(f.split, "begin"))
		}
		f.split = -1
	case f.split >= 0 && call.InClass(mpi.ClassFileColl, mpi.ClassFileIcoll):
		s.reportMisuse(a, "§13.4.5", name+" while a split collective is under way on the file", "end it first",
			s.Place(f.split, "begin"))
	}
	if call.HasTrait(mpi.Begins) {
		f.split = a.i
	}
}

// checkClose: nothing is under way on a file that is closed (MPI-3.1 §13.2.2).
func (s *files) checkClose(a args, f *file) {
	if f.split >= 0 {
		s.reportMisuse(a, "§13.2.2", "MPI_File_close while a split collective is under way", "end it first",
			s.Place(f.split, "begin"))
	}
	if q := s.requests.activeOnFile(a.handle("fh")); q != nil {
		s.reportMisuse(a, "§13.2.2", "MPI_File_close while "+q.call.c.Func.Name+" is under way",
			"complete it with MPI_Wait first", s.Place(q.begun, "start"))
	}
}
