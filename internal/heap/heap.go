// Package heap says how much memory may be in use before it is collected.
package heap

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// Memory may grow to five times what is in use before it is collected, while that is at most
// spared bytes; else to twice, as is usual.
const (
	spared        = 256 << 20
	sparedPercent = 400
	usualPercent  = 100
)

// Spare has memory collected less often while little is in use, which makes the
// diagnosis of many ranks faster by a seventh (docs/benchmarks.md). Whoever sets GOGC decides.
func Spare() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}} // after the latest collection
	var adapt func(struct{})
	adapt = func(struct{}) {
		if os.Getenv("GOGC") != "" {
			return
		}
		percent := sparedPercent
		if metrics.Read(live); live[0].Value.Uint64() > spared {
			percent = usualPercent
		}
		debug.SetGCPercent(percent)
		runtime.AddCleanup(new([64]byte), adapt, struct{}{}) // at the next collection
	}
	adapt(struct{}{})
}
