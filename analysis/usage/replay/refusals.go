package replay

import (
	"fmt"
	"slices"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// refusals follows which error handlers the program sets, and reports the calls of which it was told that MPI refused
// them: they did nothing.
type refusals struct {
	*reporter
	set  map[int]int64            // by communicator, window or file: the handler that the program set
	last map[model.CommKind]int64 // by kind of those: the one that it set last, which new ones mostly have
}

func newRefusals(r *reporter) *refusals {
	return &refusals{reporter: r, set: map[int]int64{}, last: map[model.CommKind]int64{}}
}

// endCall follows the return of a call that sets an error handler, or makes a communicator of groups with one.
func (s *refusals) endCall(a args) {
	handler, ok := a.int("errhandler")
	if !ok || !a.succeeded() {
		return
	}
	on := a.commIndex()
	if a.c.Func.Class == mpi.ClassNewcommGroups {
		on = a.commOfGroups()
	} else if a.firstParam(commNames) == "" {
		return
	}
	s.set[on], s.last[erringKind(a)] = handler, handler
}

// erringKind returns model.File or model.Window if an error of a call is one of a file or a window, else model.World.
func erringKind(a args) model.CommKind {
	switch {
	case a.has("fh") || a.has("file") || a.c.Func.Class == mpi.ClassNewfile:
		return model.File
	case a.has("win") && a.c.Func.Class != mpi.ClassNewwin:
		return model.Window
	}
	return model.World
}

// wasReturned reports whether MPI refused a call and returned the error to a program that had asked for that. Of what
// moves data, errors that come up under way are not meant.
func (s *refusals) wasReturned(a args) bool {
	if a.c.Return == 0 || a.c.Code == 0 || s.t.Family.ErrorClass(a.c.Code) == "MPI_ERR_IN_STATUS" {
		return false
	}
	if _, asked := s.handlerOf(a); !asked {
		return false
	}
	class := a.c.Func.Class
	underWay := movesData(a.c.Func) || class.CompletesRequests() || class == mpi.ClassProbe || class == mpi.ClassMprobe
	return !underWay || !slices.Contains(errorsUnderWay, s.t.Family.ErrorClass(a.c.Code))
}

// errorsUnderWay are the classes of errors that MPI may find after an operation has begun, by their names in
// constants.tbl.
var errorsUnderWay = []string{"MPI_ERR_TRUNCATE", "MPI_ERR_UNKNOWN", "MPI_ERR_OTHER", "MPI_ERR_INTERN"}

// handlerOf returns the error handler of the program that a call has, asked is false if the program set none.
func (s *refusals) handlerOf(a args) (handler int64, asked bool) {
	handler, asked = s.set[a.commIndex()]
	if !asked || a.commIndex() < 0 {
		handler, asked = s.last[erringKind(a)]
	}
	name, _ := s.t.Predefined("MPI_Errhandler", handler)
	return handler, asked && handler != recorded.Null && name != "MPI_ERRORS_ARE_FATAL" && name != "MPI_ERRORS_ABORT"
}

// report reports a call that was refused, with what was found to be wrong with it.
func (s *refusals) report(a args) {
	why := s.takeLast()
	message := fmt.Sprintf("MPI returned error %d from %s", a.c.Code, a.c.Func.Name)
	if why != nil {
		message = "MPI refused the call: " + why.Message
	}
	handler, _ := s.handlerOf(a)
	f := s.reporter.report("refused", message, s.Place(a.i, "call"))
	if why != nil {
		f.Standard, f.Change = why.Standard, why.Change
	}
	name, _ := s.t.Predefined("MPI_Errhandler", handler)
	f.Returned = name == "MPI_ERRORS_RETURN"
	s.wrong[a.i] = true
}
