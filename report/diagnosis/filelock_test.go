package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
)

func TestFileLockReason(t *testing.T) {
	const held = "; who holds it was not recorded, perhaps a rank that waits for "
	rank := func(n int) *int { return &n }
	for want, c := range map[string]struct {
		locks []FileLock
		waits []string // for what ranks 0 and 1 wait, which are named
		known bool
	}{
		"": {nil, []string{"", "sleep"}, true},
		"; rank 1 waits for the lock of a file" + held + "rank 1":      {nil, []string{"sleep", "file lock"}, false},
		"; ranks 0-1 wait for the lock of a file" + held + "ranks 0-1": {nil, []string{"file lock", "file lock"}, false},
		"; rank 1 waits for the lock of /a/b.lock" + held + "rank 1": {
			[]FileLock{{Ranks: "1", File: "/a/b.lock"}}, []string{"", "file lock"}, false},
		"; rank 1 waits for the lock of /a/b.lock, which rank 0 holds": {
			[]FileLock{{Ranks: "1", File: "/a/b.lock", Holder: rank(0), PID: 7, Command: "app"}}, []string{"", "file lock"}, true},
		"; ranks 2-3 wait for the lock of /a/b.lock, which rank 0 holds": {
			[]FileLock{{Ranks: "2-3", File: "/a/b.lock", Holder: rank(0), PID: 7}, {Ranks: "4", Holder: rank(3)}}, []string{"", ""}, true},
		"; rank 1 waits for the lock of /a/b.lock, which it holds itself": {
			[]FileLock{{Ranks: "1", File: "/a/b.lock", Holder: rank(1), PID: 7}}, []string{"", "file lock"}, true},
		"; rank 1 waits for the lock of /a/b.lock, which process 7 (h5repack) holds, no rank of the job": {
			[]FileLock{{Ranks: "1", File: "/a/b.lock", PID: 7, Command: "h5repack"}}, []string{"", "file lock"}, false},
	} {
		r := &Result{FileLocks: c.locks, LeastProgressed: &LeastProgressed{Ranks: []int{0, 1},
			Locations: []Location{{Ranks: "0", WaitsFor: c.waits[0]}, {Ranks: "1", WaitsFor: c.waits[1]}}}}
		text, known := r.fileLockReason()
		checktest.Equal(t, want, text)
		checktest.Equal(t, c.known, known, want)
	}
}
