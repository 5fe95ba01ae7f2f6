package python

import (
	"strings"
	"testing"

	"laggard/internal/checktest"
)

// TestInlineCondition: the condition by which a call within a statement is made, and none of its arguments'.
func TestInlineCondition(t *testing.T) {
	text := strings.Split(`dot = lambda p, q: comm.allreduce(p @ q) if p.any() else 0.0
norms = {name: comm.allreduce(f.sum())
         for name, f in fields.items()
         if f.size}
total = comm.allreduce(a if a else 0)
if dirty and comm.allreduce(1) > 0 or done:
    pass
if comm.allreduce(1) and done:
    pass
print("if", comm.allreduce(1))  # if so
x = [g(comm.allreduce(1)) for k in (1 if a else 2,) if k]
y = 0 if comm is None else comm.allreduce(
    """if
    not""")
z = comm.allreduce(1)`, "\n")
	for line, want := range map[int]int{1: 1, 2: 4, 5: 0, 6: 6, 8: 0, 10: 0, 11: 11, 12: 12, 15: 0, 99: 0} {
		checktest.Equal(t, want, InlineCondition(text, line, "allreduce"), "line", line)
	}
	checktest.Equal(t, 0, InlineCondition(text, 1, "bcast"), "a function that is not called there")
}

// TestShortCut: any and all need not go through a generator expression to its end.
func TestShortCut(t *testing.T) {
	text := strings.Split(`ok = all(check(f) for f in fields)
bad = sum(check(f) for f in fields)
both = any(check(f) for f in a) or all(check(f) for f in b)
some = [x.any() for x in (check(f) for f in fields)]
if not any(
        check(f) for f in fields):
    pass`, "\n")
	for line, want := range map[int]int{1: 1, 2: 0, 3: 0, 4: 0, 5: 5, 6: 5, 7: 0} {
		checktest.Equal(t, want, InlineCondition(text, line, GeneratorExpression), "line", line)
	}
}

func FuzzInlineCondition(f *testing.F) {
	f.Add("x = f(1) if (a and b) else [\"c\\\" for d in 'e'\n] # \\", 1, "f")
	f.Fuzz(func(t *testing.T, text string, line int, called string) {
		lines := strings.Split(text, "\n")
		if got := InlineCondition(lines, line, called); got < 0 || got > len(lines) {
			t.Errorf("line %d of %d", got, len(lines))
		}
	})
}
