package replay_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"laggard/analysis/usage/recorded"
	"laggard/analysis/usage/replay"
	"laggard/analysis/usage/usagetest"
	"laggard/internal/musttest"
)

// longTrace is that of a rank in n steps of a halo exchange: two sends, two receives,
// a wait and a reduction each.
func longTrace(b *testing.B, n int) *recorded.Trace {
	b.Helper()
	var text strings.Builder
	text.WriteString("0-2: MPI_Init()\n")
	for range n {
		text.WriteString(`1: MPI_Irecv(source=0, buf=0x1000, count=100) -> request=a @ h.c:1
1: MPI_Irecv(source=2, buf=0x2000, count=100) -> request=b @ h.c:2
1: MPI_Isend(dest=0, buf=0x3000, count=100) -> request=c @ h.c:3
1: MPI_Isend(dest=2, buf=0x4000, count=100) -> request=d @ h.c:4
1: MPI_Waitall(array_of_requests=[a,b,c,d]) -> array_of_statuses=[(0,0,400),(2,0,400),(-1,-1,0),(-1,-1,0)] @ h.c:5
1: MPI_Allreduce(sendbuf=0x5000, recvbuf=0x6000) @ h.c:6
`)
	}
	text.WriteString("0-2: MPI_Finalize()\n")
	return traceOf(b, text.String(), 1)
}

func traceOf(b *testing.B, text string, rank int) *recorded.Trace {
	b.Helper()
	traces := musttest.Get(usagetest.Parse(text))(b)
	return traces[rank]
}

// forgetful is a follower that keeps nothing.
type forgetful struct{}

func (*forgetful) BeginCall(int, *recorded.Call)                    {}
func (*forgetful) BeginOperation(*replay.Operation, *recorded.Call) {}
func (*forgetful) ChangeOperation(*replay.Operation)                {}

// BenchmarkReplay says what a call costs, and what the replay keeps of it.
func BenchmarkReplay(b *testing.B) {
	t := longTrace(b, 10_000)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := replay.Run(t, new(forgetful))
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(kept.Findings) > 0 {
		b.Fatal(fmt.Sprint(kept.Findings))
	}
	b.ReportAllocs()
	for b.Loop() {
		replay.Run(t, new(forgetful))
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(t.CallNumber), "ns/call")
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(t.CallNumber), "kept-B/call")
	runtime.KeepAlive(kept)
}

// BenchmarkEpoch says what a call costs in an epoch of n accesses that read one buffer.
func BenchmarkEpoch(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			puts := strings.Repeat("0: MPI_Put(origin_addr=0x5000, target_rank=1, win=w) @ h.c:1\n", n)
			t := traceOf(b, "0-1: MPI_Init()\n0: MPI_Win_create(base=0x1000, size=8, disp_unit=1) -> win=w\n"+
				"0: MPI_Win_fence(win=w)\n"+puts+"0: MPI_Win_fence(win=w)\n0-1: MPI_Finalize()\n", 0)
			for b.Loop() {
				replay.Run(t, new(forgetful))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/call")
		})
	}
}
