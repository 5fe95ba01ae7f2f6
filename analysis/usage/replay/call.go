package replay

import (
	"laggard/analysis/usage/recorded"
	"laggard/model/mpi"
)

// Call is what is kept of a call to the end. It is small, since there is one for each call of the rank.
type Call struct {
	Site     int32  // index into Trace.Sites
	Thread   int32  // see recorded.Call
	function uint16 // index into mpi.Functions
	Muted    bool   // the program asked that nothing be said of it
	Returned bool
	Failed   bool // it returned an error
}

// Function is the function that was called.
func (c *Call) Function() *mpi.Function { return mpi.Functions()[c.function] }

// newCall is what is kept of a call.
func (r *reporter) newCall(c *recorded.Call) Call {
	return Call{Site: int32(c.Site), Thread: int32(c.Thread), function: shapes()[c.Func].number, Muted: r.isMuted(c),
		Returned: c.Return != 0, Failed: c.Code != 0}
}

// isMuted reports whether nothing is to be said of a call: it is the first or a later one of those between
// MPI_Pcontrol(0) and the next MPI_Pcontrol of another level. The paper plans that for single calls (Umpire §4.3).
func (r *reporter) isMuted(c *recorded.Call) bool {
	if c.Func.Name == "MPI_Pcontrol" {
		if level, ok := c.InputInt("level"); ok {
			r.mute = level == 0
		}
	}
	return r.mute
}
