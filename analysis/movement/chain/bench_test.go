package chain_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"laggard/analysis/movement/chain"
	"laggard/analysis/movement/chain/chaintest"
	"laggard/internal/musttest"
)

// pipelineEvents is the events of a rank that copies, sends, receives and copies
// again, with buffers in use and buffers allocated for each message.
func pipelineEvents(n int) (*chain.Parser, []chain.Event) {
	p := chain.NewParser(0)
	var sites []int32
	for i := range 12 {
		sites = append(sites, p.Site(fmt.Sprintf("site %d", i)))
	}
	out, in := p.Channel(chain.Channel{Stream: true, ID: 1}), p.Channel(chain.Channel{Stream: true, ID: 1, From: 1})
	const user, pool, ring = 1 << 20, 1 << 30, 1 << 31
	events := []chain.Event{{Kind: chain.Alloc, Dst: user, Len: 1 << 24, Site: sites[0]},
		{Kind: chain.Alloc, Dst: ring, Len: 1 << 24, Site: sites[1]}}
	for i := 0; len(events) < n; i++ {
		u, b, r := user+uint64(i%2000)*4096, pool+uint64(i*7%3000)*4096, ring+uint64(i%1000)*8192
		off := uint64(i) * 1024
		events = append(events,
			chain.Event{Kind: chain.Alloc, Dst: b, Len: 2048, Site: sites[2+i%3]},
			chain.Event{Kind: chain.Copy, Src: u, Dst: b, Len: 1024, Site: sites[5]},
			chain.Event{Kind: chain.Copy, Src: b, Dst: r, Len: 1024, Site: sites[6]},
			chain.Event{Kind: chain.Send, Src: r, Len: 1024, Site: sites[7], Channel: out, Offset: off},
			chain.Event{Kind: chain.Recv, Dst: r + 4096, Len: 1024, Site: sites[8], Channel: in, Offset: off},
			chain.Event{Kind: chain.Copy, Src: r + 4096, Dst: u + 2048, Len: 1024, Site: sites[9]},
			chain.Event{Kind: chain.Free, Dst: b})
	}
	for i := range events {
		events[i].Time = int64(i) * 100
	}
	return p, events[:n]
}

// cpuTime is the processor time that this process has used, which says more than
// the clock on a busy machine.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	musttest.Succeed(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkChains forms the chains of one rank's events:
//
//	go test ./analysis/movement/chain -run '^$' -bench Chains -cpu 1
func BenchmarkChains(b *testing.B) {
	const n = 500000
	var spent time.Duration
	for b.Loop() {
		b.StopTimer()
		p, events := pipelineEvents(n)
		b.StartTimer()
		before := cpuTime(b)
		for i := range events {
			musttest.Succeed(b, p.Add(&events[i]))
		}
		table := musttest.Get(p.Finish())(b)
		if tr := chain.Resolve(table); len(tr.Groups) == 0 {
			b.Fatal("no chains")
		}
		spent += cpuTime(b) - before
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(n)*float64(b.N)/spent.Seconds(), "events/cpu-s")
}

// BenchmarkTable encodes, decodes and merges the table of one rank:
//
//	go test ./analysis/movement/chain -run '^$' -bench Table -benchtime 5x
func BenchmarkTable(b *testing.B) {
	p, events := pipelineEvents(200000)
	for i := range events {
		musttest.Succeed(b, p.Add(&events[i]))
	}
	table := musttest.Get(p.Finish())(b)
	bytes := chaintest.MustEncode(b, table)
	b.Run("Encode", func(b *testing.B) {
		for b.Loop() {
			chaintest.MustEncode(b, table)
		}
		b.ReportMetric(float64(len(bytes))/200000, "bytes/event")
	})
	b.Run("Decode", func(b *testing.B) {
		for b.Loop() {
			chaintest.RoundTrip(b, table)
		}
	})
}
