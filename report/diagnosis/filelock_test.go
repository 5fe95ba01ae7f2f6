package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
)

func TestFileLockReason(t *testing.T) {
	const held = " for the lock of a file; who holds it was not recorded, perhaps a rank that waits for "
	for want, waits := range map[string][]string{
		"":                                      {"", "sleep"},
		"; rank 1 waits" + held + "rank 1":      {"sleep", "file lock"},
		"; ranks 0-1 wait" + held + "ranks 0-1": {"file lock", "file lock"},
	} {
		l := &LeastProgressed{Locations: []Location{{Ranks: "0", WaitsFor: waits[0]}, {Ranks: "1", WaitsFor: waits[1]}}}
		checktest.Equal(t, want, l.fileLockReason())
	}
}
