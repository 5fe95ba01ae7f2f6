package outlier

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// inParallel calls f with 0..n-1, on all cores.
func inParallel(n int, f func(i int)) {
	inParallelWith(n, func() struct{} { return struct{}{} }, func(i int, _ struct{}) { f(i) })
}

// inParallelWith calls f with 0..n-1 and something that no other call uses at
// the same time.
func inParallelWith[T any](n int, tool func() T, f func(i int, tool T)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			mine := tool()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i, mine)
			}
		})
	}
	wg.Wait()
}
