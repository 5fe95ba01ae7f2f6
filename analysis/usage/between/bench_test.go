package between_test

import (
	"runtime"
	"testing"

	"laggard/analysis/usage/between"
	"laggard/analysis/usage/recorded"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/mpi"
)

// haloTrace is that of one rank of a ring that exchanges borders and adds up: five operations and six calls a step.
func haloTrace(rank, ranks, steps int) *recorded.Trace {
	members := make([]int, ranks)
	for i := range members {
		members[i] = i
	}
	values := func(f *mpi.Function, of map[string]recorded.Value) []recorded.Value {
		out := make([]recorded.Value, len(f.Params))
		for i, p := range f.Params {
			out[i] = of[p.Name]
		}
		return out
	}
	var round []*recorded.Call
	call := func(name string, in, out map[string]recorded.Value) {
		f := mpi.FindFunction(name)
		round = append(round, &recorded.Call{Func: f, Site: len(round), In: values(f, in), Out: values(f, out)})
	}
	left, right := int64((rank+ranks-1)%ranks), int64((rank+1)%ranks)
	one := func(role string, peer, tag, address int64) map[string]recorded.Value {
		return map[string]recorded.Value{"buf": {address}, "count": {100}, "datatype": {0}, role: {peer}, "tag": {tag}, "comm": {0}}
	}
	for k, peer := range []int64{left, right} {
		call("MPI_Irecv", one("source", peer, int64(1-k), int64(0x10000+0x1000*k)), map[string]recorded.Value{"request": {int64(k)}})
	}
	for k, peer := range []int64{left, right} {
		call("MPI_Isend", one("dest", peer, int64(k), int64(0x20000+0x1000*k)), map[string]recorded.Value{"request": {int64(2 + k)}})
	}
	call("MPI_Waitall", map[string]recorded.Value{"array_of_requests": {0, 1, 2, 3}},
		map[string]recorded.Value{"array_of_statuses": {left, 1, 800, 0, right, 0, 800, 0, -1, -1, 0, 0, -1, -1, 0, 0}})
	call("MPI_Allreduce", map[string]recorded.Value{"sendbuf": {0x30000}, "recvbuf": {0x31000}, "count": {1}, "datatype": {0},
		"comm": {0}}, nil)
	return &recorded.Trace{
		Rank: rank, Size: ranks, Phase: model.Finalized, End: model.Exited, Complete: true,
		Comms: []*model.Comm{{ID: 1, Kind: model.World, Rank: rank, Members: members, Size: ranks}},
		Types: []*recorded.Datatype{{Name: "MPI_DOUBLE", Size: 8, Extent: 8, TrueExtent: 8}},
		Sites: make([]recorded.Site, len(round)), CallNumber: steps * len(round),
		Calls: func(yield func(*recorded.Call) bool) {
			for n := range uint64(steps * len(round)) {
				c := *round[n%uint64(len(round))]
				if c.Begin, c.Return = 2*n+1, 2*n+2; !yield(&c) {
					return
				}
			}
		},
	}
}

const benchRanks, benchSteps = 64, 1000

func benchDigests() []*between.Digest {
	var out []*between.Digest
	for r := range benchRanks {
		out = append(out, digestOf(haloTrace(r, benchRanks, benchSteps)))
	}
	return out
}

// BenchmarkJudge: operations a second of all the checks, and bytes of memory that
// they need beside the evidence.
//
//	go test -run x -bench . ./analysis/usage/between
func BenchmarkJudge(b *testing.B) {
	e := between.NewEvidence(benchDigests()...)
	b.ReportAllocs()
	for b.Loop() {
		if len(judge(e).InOrder()) > 0 {
			b.Fatal("something was found")
		}
	}
	operations := float64(benchRanks * benchSteps * 5)
	b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds(), "operations/s")
}

// BenchmarkDigest: the way from the calls of a rank to encoded evidence.
func BenchmarkDigest(b *testing.B) {
	trace := haloTrace(3, benchRanks, benchSteps*10)
	var bytes int
	for b.Loop() {
		data := musttest.Get(between.Encode(between.NewEvidence(digestOf(trace))))(b)
		bytes = len(data)
	}
	operations := float64(benchSteps * 10 * 5)
	b.ReportMetric(operations*float64(b.N)/b.Elapsed().Seconds(), "operations/s")
	b.ReportMetric(float64(bytes)/operations, "bytes/operation")
}

// BenchmarkMemory: bytes that evidence holds for an operation.
func BenchmarkMemory(b *testing.B) {
	var before, after runtime.MemStats
	for b.Loop() {
		runtime.GC()
		runtime.ReadMemStats(&before)
		e := between.NewEvidence(benchDigests()...)
		runtime.GC()
		runtime.ReadMemStats(&after)
		runtime.KeepAlive(e)
	}
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(benchRanks*benchSteps*5), "bytes/operation")
}
