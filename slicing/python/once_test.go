package python

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
)

func TestIsOncePerProcess(t *testing.T) {
	text := strings.Split(`def seed(self):
    if self._seed is None:
        value = draw()
        self._seed = comm.bcast(value)
    if not hasattr(self, "_rng"):
        self._rng: Generator = make(self._seed)
    if key not in cache:
        cache[key] = comm.allgather(key)
    if not done: done = comm.allreduce(1)
    if self.mask is None:
        return comm.bcast(None)
    if not ready:
        if ready == 2:
            comm.barrier()
    ready = True
    if len(cells) > 0:
        cells = comm.bcast(cells)
    while not found:
        found = comm.allreduce(1)
`, "\n")
	var got []int
	for i := range text {
		if IsOncePerProcess(text, i+1) {
			got = append(got, i+1)
		}
	}
	checktest.Equal(t, []int{2, 5, 7, 9}, got, "lines")
}
