package replay

import (
	"math"
	"sync"

	"laggard/analysis/usage/recorded"
	"laggard/model"
	"laggard/model/mpi"
)

// args are the parameters of one call, by the names of the standard.
type args struct {
	t     *recorded.Trace
	i     int // number of the call, from 0
	c     *recorded.Call
	shape *shape
}

// shape is what the prototype of a function tells.
type shape struct {
	number uint16         // index into mpi.Functions
	at     map[string]int // place of a parameter
	// objectParams are the parameters in which it returns new objects.
	objectParams []objectParam
}

var shapes = sync.OnceValue(func() map[*mpi.Function]*shape {
	out := map[*mpi.Function]*shape{}
	for n, f := range mpi.Functions() {
		s := &shape{number: uint16(n), at: map[string]int{}, objectParams: objectParams(f)}
		for i, p := range f.Params {
			s.at[p.Name] = i
		}
		out[f] = s
	}
	return out
})

// modeOf returns the mode of a send.
func modeOf(f *mpi.Function) SendMode {
	switch {
	case f.HasTrait(mpi.Buffered):
		return Buffered
	case f.HasTrait(mpi.Synchronous):
		return Synchronous
	case f.HasTrait(mpi.Ready):
		return Ready
	}
	return Standard
}

func argsOf(t *recorded.Trace, i int, c *recorded.Call) args { return args{t, i, c, shapes()[c.Func]} }

func paramValue(values []recorded.Value, s *shape, name string) recorded.Value {
	if i, ok := s.at[name]; ok && i < len(values) {
		return values[i]
	}
	return nil
}

// in returns the values of a parameter before the call, out those after it.
func (a args) in(name string) recorded.Value  { return paramValue(a.c.In, a.shape, name) }
func (a args) out(name string) recorded.Value { return paramValue(a.c.Out, a.shape, name) }

// has reports whether the function has the parameter.
func (a args) has(name string) bool { _, ok := a.shape.at[name]; return ok }

// int returns the first parameter of the names that the function has and that was
// recorded.
func (a args) int(names ...string) (int64, bool) {
	for _, n := range names {
		if v := a.in(n); len(v) > 0 {
			return v[0], true
		}
	}
	return 0, false
}

// intOr is int with a value for what was not recorded.
func (a args) intOr(or int64, names ...string) int64 {
	if v, ok := a.int(names...); ok {
		return v
	}
	return or
}

// rankOrTag is an argument that is a rank or a tag, model.None if it was not recorded.
func (a args) rankOrTag(names ...string) int32 { return ClampInt32(a.intOr(model.None, names...)) }

// ClampInt32 narrows a number that is an int to MPI: only a damaged file has one that does not fit.
func ClampInt32(v int64) int32 { return int32(max(math.MinInt32, min(math.MaxInt32, v))) }

func (a args) result(name string) (int64, bool) {
	if v := a.out(name); len(v) > 0 {
		return v[0], true
	}
	return 0, false
}

// handle returns a parameter that names an object; Invalid if not recorded.
func (a args) handle(names ...string) int { return int(a.intOr(recorded.Invalid, names...)) }

// commNames are the parameters that name the communicator, window or file that an
// operation is on.
var commNames = []string{"comm", "comm_old", "intercomm", "local_comm", "win", "fh", "file"}

// commIndex returns the communicator, window or file of the call, as an index into
// Trace.Comms; negative: none.
func (a args) commIndex() int { return a.handle(commNames...) }

// comm returns it as such, nil if there is none.
func (a args) comm() *model.Comm { return a.t.Comm(a.commIndex()) }

// peerCount returns how many ranks a peer can name on a communicator; ok is false if
// that is not known.
func peerCount(c *model.Comm) (n int64, ok bool) {
	switch {
	case c == nil:
		return 0, false
	case c.Kind == model.Inter:
		n = int64(max(c.RemoteSize, len(c.Remote)))
	default:
		n = int64(max(c.Size, len(c.Members)))
	}
	return n, n > 0
}

// succeeded reports whether the call returned without an error.
func (a args) succeeded() bool { return a.c.Return != 0 && a.c.Code == 0 }
