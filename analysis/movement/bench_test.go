package movement

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"
)

// pipeline is the events of a rank that copies, sends, receives and copies
// again, with buffers in use and buffers allocated for each message.
func pipeline(n int) (*Parser, []Event) {
	p := NewParser(0)
	var sites []int32
	for i := range 12 {
		sites = append(sites, p.Site(fmt.Sprintf("site %d", i)))
	}
	out, in := p.Channel(Channel{Stream: true, ID: 1}), p.Channel(Channel{Stream: true, ID: 1, From: 1})
	const user, pool, ring = 1 << 20, 1 << 30, 1 << 31
	events := []Event{{Kind: Alloc, Dst: user, Len: 1 << 24, Site: sites[0]}, {Kind: Alloc, Dst: ring, Len: 1 << 24, Site: sites[1]}}
	for i := 0; len(events) < n; i++ {
		u, b, r := user+uint64(i%2000)*4096, pool+uint64(i*7%3000)*4096, ring+uint64(i%1000)*8192
		off := uint64(i) * 1024
		events = append(events,
			Event{Kind: Alloc, Dst: b, Len: 2048, Site: sites[2+i%3]},
			Event{Kind: Copy, Src: u, Dst: b, Len: 1024, Site: sites[5]},
			Event{Kind: Copy, Src: b, Dst: r, Len: 1024, Site: sites[6]},
			Event{Kind: Send, Src: r, Len: 1024, Site: sites[7], Channel: out, Offset: off},
			Event{Kind: Recv, Dst: r + 4096, Len: 1024, Site: sites[8], Channel: in, Offset: off},
			Event{Kind: Copy, Src: r + 4096, Dst: u + 2048, Len: 1024, Site: sites[9]},
			Event{Kind: Free, Dst: b})
	}
	for i := range events {
		events[i].Time = int64(i) * 100
	}
	return p, events[:n]
}

// cpu is the processor time that this process has used, which says more than
// the clock on a busy machine.
func cpu(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkChains forms the chains of one rank's events:
//
//	go test ./analysis/movement -run '^$' -bench Chains -cpu 1
func BenchmarkChains(b *testing.B) {
	const n = 500000
	var spent time.Duration
	for b.Loop() {
		b.StopTimer()
		p, events := pipeline(n)
		b.StartTimer()
		before := cpu(b)
		for i := range events {
			if err := p.Add(&events[i]); err != nil {
				b.Fatal(err)
			}
		}
		table, err := p.Finish()
		if err != nil {
			b.Fatal(err)
		}
		if tr := Resolve(table); len(tr.Groups) == 0 {
			b.Fatal("no chains")
		}
		spent += cpu(b) - before
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(n)*float64(b.N)/spent.Seconds(), "events/cpu-s")
}

// benchRows makes distributions of SPMD ranks that all differ a little.
func benchRows(n, groups int) []row {
	rng := rand.New(rand.NewPCG(21, 22))
	out := make([]row, n)
	for i := range out {
		for g := range groups {
			out[i] = append(out[i], cell{int32(g), uint64(1000 + 100*(g%7) + rng.IntN(60))})
		}
	}
	return out
}

// BenchmarkDistances measures all ranks with 200 groups against each other:
//
//	go test ./analysis/movement -run '^$' -bench Distances -benchtime 1x
func BenchmarkDistances(b *testing.B) {
	for _, n := range []int{1024, 4096, 16384} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rows := benchRows(n, 200)
			before := cpu(b)
			for b.Loop() {
				d := newDistribution(rows, 200)
				if s := d.distances(n/4, maxExact, maxLeaders); len(s.By) != n {
					b.Fatal("ranks are missing")
				}
			}
			b.ReportMetric((cpu(b)-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}

// BenchmarkTable encodes, decodes and merges the table of one rank:
//
//	go test ./analysis/movement -run '^$' -bench Table -benchtime 5x
func BenchmarkTable(b *testing.B) {
	p, events := pipeline(200000)
	for i := range events {
		if err := p.Add(&events[i]); err != nil {
			b.Fatal(err)
		}
	}
	table, err := p.Finish()
	if err != nil {
		b.Fatal(err)
	}
	bytes := encoded(b, table)
	b.Run("Encode", func(b *testing.B) {
		for b.Loop() {
			encoded(b, table)
		}
		b.ReportMetric(float64(len(bytes))/200000, "bytes/event")
	})
	b.Run("Decode", func(b *testing.B) {
		for b.Loop() {
			travelled(b, table)
		}
	})
}
