package recorded

import (
	"encoding/binary"
	"path"
	"strings"

	"laggard/model"
)

// Source says where the volumes of a table were seen.
type Source string

// The sources. At the MPI call, volumes are the bytes of the send buffers, which
// are free of noise but do not show what the library does with them; at the socket
// they are what the library sends, with its own call stacks.
const (
	AtMPI    Source = "mpi"
	AtSocket Source = "socket"
)

// Sources lists them in the order in which their verdicts count: where the
// program itself sends something else, the library follows.
var Sources = []Source{AtMPI, AtSocket}

// callModule is the module of the frame that stands for the MPI call in a stack.
const callModule = "MPI"

// DistanceFeature names how far, on the average, the peers of a call site are
// away in the communicator: a wrong neighbour gets as many bytes as the right
// one would.
const DistanceFeature = "distance"

// managerModules talk to the launcher: what they send is not a message of the
// program.
var managerModules = []string{"libpmix*", "libpmi.so*", "libpmi2*", "mca_pmix_*", "libprrte*", "libopen-rte*",
	"mca_oob_*", "mca_ess_*"}

var (
	isTransport = mustModules(TransportModules)
	isLibrary   = mustModules(append(TransportModules, LibraryModules...))
	isManager   = mustModules(managerModules)
)

func mustModules(patterns []string) func(Frame) bool {
	in, err := InModules(patterns...)
	if err != nil {
		panic(err) // the patterns are above
	}
	return in
}

// InLibrary tells frames of MPI and what is below it from those of the program.
func InLibrary(f Frame) bool { return f.Module == callModule || isLibrary(f) }

// Observe adds to a table what a rank sent, as seen at a source. It reports
// whether there was anything to see: the rank, its size and bytes sent.
func Observe(t *Table, r *model.Rank, source Source, run string, controls map[string]float64) bool {
	if r.Rank < 0 || r.Size <= r.Rank {
		return false
	}
	o := observer{table: t,
		row: Observation{Run: run, Rank: r.Rank, Ranks: r.Size, Controls: controls, Volume: map[int]float64{}}}
	if source == AtMPI {
		o.observeCalls(r)
	} else {
		o.observeSockets(r)
	}
	t.Rows = append(t.Rows, o.row)
	return true
}

type observer struct {
	table *Table
	row   Observation
}

func (o *observer) add(s Site, amount float64) {
	if amount > 0 {
		o.row.Volume[o.table.Site(s)] += amount
	}
}

// observeCalls takes over the bytes of the send buffers. Threads of a rank that send
// from the same call site are one.
func (o *observer) observeCalls(r *model.Rank) {
	type mean struct {
		site      Site
		away, sum float64
	}
	distances := map[string]*mean{}
	var order []string
	for _, t := range r.Threads {
		for _, s := range t.Sent {
			frames := callStack(t.Model.States[s.State])
			o.add(Site{Frames: frames}, float64(s.Bytes))
			site := Site{Frames: frames, Feature: DistanceFeature}
			key := site.Key()
			if distances[key] == nil {
				distances[key] = &mean{site: site}
				order = append(order, key)
			}
			distances[key].away += float64(s.Distance)
			distances[key].sum += float64(s.Calls)
		}
	}
	for _, key := range order {
		if d := distances[key]; d.sum > 0 {
			o.add(d.site, d.away/d.sum)
		}
	}
}

// callStack is the stack of a state, with the MPI call itself innermost.
func callStack(s *model.State) []Frame {
	return append([]Frame{{Module: callModule, Function: s.Call}}, withoutRecorder(Frames(s.Stack))...)
}

func inRecorder(f Frame) bool { return strings.HasPrefix(path.Base(f.Module), "liblaggard") }

func withoutRecorder(frames []Frame) []Frame {
	out := frames[:0]
	for _, f := range frames {
		if !inRecorder(f) {
			out = append(out, f)
		}
	}
	return out
}

// observeSockets takes over what was sent below MPI, without what was said to the
// launcher and what starting and ending take.
func (o *observer) observeSockets(r *model.Rank) {
	calls := callsByStack(r)
	for _, s := range r.Sites {
		frames, call := belowCall(s.Stack, calls)
		if isInitOrFinalize(call) || isLauncherTraffic(frames) {
			continue
		}
		o.add(Site{Frames: trimTransport(frames, isTransport)}, float64(s.Bytes))
	}
}

func callsByStack(r *model.Rank) map[string]string {
	calls := map[string]string{}
	for _, t := range r.Threads {
		for _, s := range t.Model.States {
			calls[stackKey(s.Stack)] = s.Call
		}
	}
	return calls
}

func stackKey(stack []model.Frame) string {
	var b []byte
	for _, f := range stack {
		if f.Module != nil {
			b = append(append(b, f.Module.Path...), 0)
		}
		b = binary.LittleEndian.AppendUint64(b, f.Offset)
	}
	return string(b)
}

// belowCall puts the MPI call in the place of the recorder's own frame, which
// is where the program called MPI. Other threads have none.
func belowCall(stack []model.Frame, calls map[string]string) (frames []Frame, call string) {
	all := Frames(stack)
	at := len(all) - 1
	for at >= 0 && !inRecorder(all[at]) {
		at--
	}
	if at < 0 {
		return all, ""
	}
	if call = calls[stackKey(stack[at+1:])]; call == "" {
		call = "MPI call"
	}
	frames = withoutRecorder(append([]Frame{}, all[:at]...))
	frames = append(frames, Frame{Module: callModule, Function: call})
	return append(frames, all[at+1:]...), call
}

func isInitOrFinalize(call string) bool {
	switch call {
	case "MPI_Init", "MPI_Init_thread", "MPI_Finalize", "MPI_Session_init", "MPI_Session_finalize":
		return true
	}
	return false
}

// isLauncherTraffic: the innermost frame above the transport is the launcher's.
func isLauncherTraffic(frames []Frame) bool {
	for _, f := range frames {
		if isManager(f) {
			return true
		}
		if !isTransport(f) {
			return false
		}
	}
	return false
}
