package outlier

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"laggard/analysis/movement/profile"
	"laggard/internal/musttest"
)

// cpuTime is the processor time that this process has used, which says more than
// the clock on a busy machine.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	musttest.Succeed(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// benchRows makes distributions of SPMD ranks that all differ a little.
func benchRows(n, groups int) []profile.Row {
	rng := rand.New(rand.NewPCG(21, 22))
	out := make([]profile.Row, n)
	for i := range out {
		for g := range groups {
			out[i] = append(out[i], profile.Cell{Group: int32(g), Count: uint64(1000 + 100*(g%7) + rng.IntN(60))})
		}
	}
	return out
}

// BenchmarkDistances measures all ranks with 200 groups against each other:
//
//	go test ./analysis/movement/outlier -run '^$' -bench Distances -benchtime 1x
func BenchmarkDistances(b *testing.B) {
	for _, n := range []int{1024, 4096, 16384} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rows := benchRows(n, 200)
			before := cpuTime(b)
			for b.Loop() {
				d := newDistribution(rows, 200)
				if s := d.distances(n/4, maxExact, maxLeaders); len(s.By) != n {
					b.Fatal("ranks are missing")
				}
			}
			b.ReportMetric((cpuTime(b)-before).Seconds()/float64(b.N), "cpu-s/op")
		})
	}
}
