package python

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
)

const filtered = `def halo(self, comm):
    near = [r for r in self.ranks
            if self.touches(r)]
    near = sorted(near)
    far = {n: p for n, p in self.plugins.items() if p.wants(n)}
    for r in near:
        comm.send(r)
    return {n: p.run(comm) for n, p in far.items()}
def steps(comm, todo):
    for t in todo:
        t(comm)
    picked = []
    for t in todo:
        if t.wanted:
            picked.append(t)
    for n, t in enumerate(picked):
        t(comm)
    plain = [t if t else 0 for t in todo]
    for t in plain:
        t(comm)
    return [t.run() for t in make(todo)]
def other(picked):
    for t in picked:
        t()
`

func TestFilters(t *testing.T) {
	text := strings.Split(filtered, "\n")
	for _, c := range []struct {
		line   int
		called string
		want   []int
	}{
		{6, "", []int{3}}, // the latest assignment is made of that
		{8, "run", []int{5}},
		{10, "", nil},
		{16, "", []int{14}},
		{19, "", nil}, // a conditional expression leaves nothing out
		{21, "run", nil},
		{23, "", nil}, // of another function
		{11, "t", nil},
		{0, "", nil},
	} {
		var got []int
		if c.called == "" {
			got = LoopFilters(text, c.line)
		} else {
			got = ComprehensionFilters(text, c.line, c.called)
		}
		checktest.EqualList(t, c.want, got, "line", c.line, c.called)
	}
}
