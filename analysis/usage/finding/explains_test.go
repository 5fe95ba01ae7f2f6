package finding

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
)

func TestExplaining(t *testing.T) {
	at := func(class string, ranks ...int) Finding {
		f := New(class, class)
		f.Ranks = model.NewRankSet(ranks...)
		return f
	}
	hanging := model.NewRankSet(0, 1, 2)
	for _, c := range []struct {
		name string
		list []Finding
		want int // index; -1 none
	}{
		{"nothing", nil, -1},
		{"a leak explains nothing", []Finding{at("leak", 0)}, -1},
		{"ranks that do not hang", []Finding{at("deadlock", 5)}, -1},
		{"what hides a deadlock is none", []Finding{at("potential_deadlock", 0, 1)}, -1},
		{"the cause before its effect", []Finding{at("deadlock", 0, 1), at("collective_mismatch", 1, 2)}, 1},
		{"the first of a class", []Finding{at("leak", 0), at("deadlock", 1), at("deadlock", 0)}, 1},
		{"a warning of ranks that poll", []Finding{{Class: "deadlock", Severity: Warning, Ranks: hanging}}, 0},
	} {
		got := -1
		for i := range c.list {
			if Explaining(c.list, hanging) == &c.list[i] {
				got = i
			}
		}
		checktest.Equal(t, c.want, got, c.name)
	}
}
