package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Memory may grow to five times what is in use before it is collected, but to spared bytes at most; or by [Usual] or
// [Little] of what is in use, if that is more.
const (
	spared        = 64 << 20
	sparedPercent = 400
)

// Growth is by how many percent memory may grow where much is in use.
type Growth int

const (
	Usual  Growth = 100
	Little Growth = 35 // for analyses that keep much of what they read (docs/results/usage.md)
)

// growthPercent is by how much memory may grow of which so many bytes are in use.
func growthPercent(live uint64, g Growth) int {
	if live == 0 {
		return sparedPercent
	}
	return int(min(sparedPercent, max(uint64(g), 100*max(spared, live)/live-100)))
}

// TuneGC has memory collected less often while little is in use, which makes the
// diagnosis of many ranks faster (docs/development/decisions.md). Whoever sets GOGC decides.
func TuneGC(g Growth) {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // after the latest collection
	var adapt func(struct{})
	adapt = func(struct{}) {
		if os.Getenv("GOGC") != "" {
			return
		}
		metrics.Read(live)
		debug.SetGCPercent(growthPercent(live[0].Value.Uint64(), g))
		runtime.AddCleanup(new([64]byte), adapt, struct{}{}) // at the next collection
	}
	adapt(struct{}{})
}
