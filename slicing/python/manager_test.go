package python_test

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/slicing/python"
)

// A context manager of the program swallows exceptions of its block, or does not.
func TestManagers(t *testing.T) {
	text := strings.Split(`class Keeps:
    def __exit__(self, kind, value, trace):
        if kind is None:
            return
        self.failures.append(value)
        return issubclass(kind, ValueError)

class Passes:
    def __exit__(self, *args):
        self.close()
        return False

@contextmanager
def guard(self, name):
    try:
        yield
    except ValueError as err:
        if not self.keep_going:
            raise
        self.failures.append(err)
    except OSError:
        log("failed")
        raise

def run(self):
    with self.guard("a"):
        comm.gather(1)
    with Keeps(self) as kept:
        comm.gather(2)
    with Passes():
        comm.gather(3)
    with open("f") as f:
        comm.gather(4)
    comm.barrier()`, "\n")
	for line, want := range map[int][]int{27: {17}, 29: {6}, 31: nil, 33: nil} {
		var got []int
		for _, d := range python.Deciders(text, line, 34) {
			got = append(got, d.Line)
			checktest.Equal(t, true, d.Manager, "the kind of line", d.Line)
		}
		checktest.Equal(t, want, got, "for line", line)
	}
}
