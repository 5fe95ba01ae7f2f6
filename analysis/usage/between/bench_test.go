package between_test

import (
	"runtime"
	"testing"

	"laggard/analysis/usage/between"
	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/model"
	"laggard/model/mpi"
)

// haloReplay is the replay of one rank of a ring that exchanges borders and adds up: five
// operations and six calls a step.
func haloReplay(rank, ranks, steps int) *replay.Replayed {
	members := make([]int, ranks)
	for i := range members {
		members[i] = i
	}
	t := &recorded.Trace{
		Rank: rank, Size: ranks, Phase: model.Finalized, End: model.Exited, Complete: true,
		Comms: []*model.Comm{{ID: 1, Kind: model.World, Rank: rank, Members: members, Size: ranks}},
		Types: []*recorded.Datatype{{Name: "MPI_DOUBLE", Size: 8, Extent: 8, TrueExtent: 8}},
		Sites: make([]recorded.Site, 6),
	}
	irecv, isend := mpi.FindFunction("MPI_Irecv"), mpi.FindFunction("MPI_Isend")
	wait, add := mpi.FindFunction("MPI_Waitall"), mpi.FindFunction("MPI_Allreduce")
	r := &replay.Replayed{Trace: t}
	call := func(f *mpi.Function, site int) int32 {
		n := uint64(len(t.Calls))
		t.Calls = append(t.Calls, recorded.Call{Func: f, Site: site, Begin: 2*n + 1, Return: 2*n + 2})
		return int32(len(t.Calls) - 1)
	}
	for s := range steps {
		first := len(r.Operations)
		for side, peer := range []int32{int32((rank + ranks - 1) % ranks), int32((rank + 1) % ranks)} {
			at := call(irecv, side)
			r.Operations = append(r.Operations, replay.Operation{Kind: replay.Recv, Call: at, Made: at, Peer: peer,
				Tag: int32(1 - side), Count: 100, Source: peer, FromTag: int32(1 - side), Bytes: 800})
		}
		for side, peer := range []int32{int32((rank + ranks - 1) % ranks), int32((rank + 1) % ranks)} {
			at := call(isend, 2+side)
			r.Operations = append(r.Operations,
				replay.Operation{Kind: replay.Send, Call: at, Made: at, Peer: peer, Tag: int32(side), Count: 100, Bytes: -1})
		}
		done := call(wait, 4)
		for k := range r.Operations[first:] {
			r.Operations[first+k].Done = done
		}
		at := call(add, 5)
		r.Operations = append(r.Operations, replay.Operation{Kind: replay.Collective, Call: at, Made: at, Done: at,
			Peer: model.None, Blocking: true, Number: uint64(s + 1), Bytes: -1})
	}
	return r
}

const benchRanks, benchSteps = 64, 1000

func benchDigests() []*between.Digest {
	var out []*between.Digest
	for r := range benchRanks {
		out = append(out, between.NewDigest(haloReplay(r, benchRanks, benchSteps)))
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

// BenchmarkDigest: the way from the replay of the ranks to encoded evidence.
func BenchmarkDigest(b *testing.B) {
	replayed := haloReplay(3, benchRanks, benchSteps*10)
	var bytes int
	for b.Loop() {
		data, err := between.Encode(between.NewEvidence(between.NewDigest(replayed)))
		if err != nil {
			b.Fatal(err)
		}
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
