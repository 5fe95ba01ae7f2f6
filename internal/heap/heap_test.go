package heap

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// TestSpare: memory grows far while little is in use, and no further than usual when it is much.
func TestSpare(t *testing.T) {
	t.Setenv("GOGC", "")
	before := debug.SetGCPercent(usualPercent)
	defer debug.SetGCPercent(before)
	TuneGC()
	becomes := func(want int) {
		t.Helper()
		got := 0
		for range 200 {
			runtime.GC()
			if got = debug.SetGCPercent(usualPercent); got == want {
				debug.SetGCPercent(want)
				return
			}
			debug.SetGCPercent(got)
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("%d %%, want %d", got, want)
	}
	becomes(sparedPercent)
	much := make([]byte, 2*spared)
	becomes(usualPercent)
	runtime.KeepAlive(much)
	becomes(sparedPercent)
}

// TestAsked: who sets GOGC has it.
func TestAsked(t *testing.T) {
	t.Setenv("GOGC", "70")
	before := debug.SetGCPercent(70)
	defer debug.SetGCPercent(before)
	TuneGC()
	for range 5 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if got := debug.SetGCPercent(70); got != 70 {
		t.Errorf("%d %%", got)
	}
}
