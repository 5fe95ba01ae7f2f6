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
	before := debug.SetGCPercent(int(Usual))
	defer debug.SetGCPercent(before)
	TuneGC(Usual)
	becomes := func(want int) {
		t.Helper()
		got := 0
		for range 200 {
			runtime.GC()
			if got = debug.SetGCPercent(int(Usual)); got == want {
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
	becomes(int(Usual))
	runtime.KeepAlive(much)
	becomes(sparedPercent)
}

// TestGrowth: little is the same for both; of much, memory grows by as much as was asked.
func TestGrowth(t *testing.T) {
	for _, c := range []struct {
		live          uint64
		usual, little int
	}{
		{0, sparedPercent, sparedPercent},
		{spared / 5, sparedPercent, sparedPercent},
		{spared / 2, 100, 100},
		{spared * 4 / 5, 100, int(Little)},
		{4 * spared, 100, int(Little)},
	} {
		if usual, little := growthPercent(c.live, Usual), growthPercent(c.live, Little); usual != c.usual || little != c.little {
			t.Errorf("%d bytes in use: %d and %d %%, want %d and %d", c.live, usual, little, c.usual, c.little)
		}
	}
}

// TestAsked: who sets GOGC has it.
func TestAsked(t *testing.T) {
	t.Setenv("GOGC", "70")
	before := debug.SetGCPercent(70)
	defer debug.SetGCPercent(before)
	TuneGC(Usual)
	for range 5 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if got := debug.SetGCPercent(70); got != 70 {
		t.Errorf("%d %%", got)
	}
}
