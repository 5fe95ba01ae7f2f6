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

// TestCachingDecorator: a function whose results are kept is not entered for each call, and once for the same arguments.
func TestCachingDecorator(t *testing.T) {
	text := strings.Split(`@functools.lru_cache(
    maxsize=None)
@traced
def weight(n):
    def inner():
        return comm.allreduce(n)
    return comm.allreduce(n)
class Mesh:
    @cached_property
    async def size(self):
        if self.n:
            return comm.allreduce(self.n)
    @traced
    def cells(self):
        return comm.allgather(1)
comm.barrier()`, "\n")
	var got []int
	for _, line := range []int{6, 7, 12, 15, 16, 99} {
		got = append(got, CachingDecorator(text, line))
	}
	checktest.EqualList(t, []int{0, 1, 9, 0, 0, 0}, got, "decorators")
	checktest.Equal(t, []bool{true, false}, []bool{IsOncePerProcess(text, 9), IsOncePerProcess(text, 13)}, "once")
}
