package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Memory may grow to five times what is in use before it is collected, but to spared bytes at most; or to twice what is
// in use, as is usual, if that is more.
const (
	spared        = 192 << 20
	sparedPercent = 400
	usualPercent  = 100
)

// growthPercent is by how much memory may grow of which so many bytes are in use.
func growthPercent(live uint64) int {
	if live == 0 {
		return sparedPercent
	}
	return int(min(sparedPercent, max(usualPercent, 100*max(spared, live)/live-100)))
}

// TuneGC has memory collected less often while little is in use, which makes the
// diagnosis of many ranks faster by a seventh (docs/results/benchmarks.md). Whoever sets GOGC decides.
func TuneGC() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // after the latest collection
	var adapt func(struct{})
	adapt = func(struct{}) {
		if os.Getenv("GOGC") != "" {
			return
		}
		metrics.Read(live)
		debug.SetGCPercent(growthPercent(live[0].Value.Uint64()))
		runtime.AddCleanup(new([64]byte), adapt, struct{}{}) // at the next collection
	}
	adapt(struct{}{})
}
