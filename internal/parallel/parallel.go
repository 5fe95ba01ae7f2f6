package parallel

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// ForEach calls f(0) to f(n-1), as many at a time as there are processors, and returns when all have returned.
func ForEach(n int, f func(i int)) {
	ForEachWith(n, func() struct{} { return struct{}{} }, func(i int, _ struct{}) { f(i) })
}

// ForEachWith is ForEach with a tool for each call, which no other call uses at the same time: one that newTool
// made on each processor.
func ForEachWith[T any](n int, newTool func() T, f func(i int, tool T)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			tool := newTool()
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				f(i, tool)
			}
		})
	}
	wg.Wait()
}
