package diagnosis

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/report"
	"laggard/symbol"
)

// A thread at another line comes first in the text, then one that has left the program's code. Of one in Python it is not known whether it
// waits.
func TestBesideText(t *testing.T) {
	at := func(line int) report.Site { return report.Site{Function: "sweep", File: "/home/u/sweep.c", Line: line} }
	lock, left := ThreadPlace{Ranks: "3", Site: at(9), WaitsFor: "lock"}, ThreadPlace{Ranks: "3", WaitsFor: "openmp"}
	inPython := func(line int, waits string) ThreadPlace {
		return ThreadPlace{Ranks: "3", Site: at(line), WaitsFor: waits, Stack: []report.Frame{{Language: symbol.Python}}}
	}
	for _, c := range []struct {
		ranks  string
		beside []ThreadPlace
		want   string
	}{
		{"3", nil, ""},
		{"3", []ThreadPlace{lock}, "; another thread of it waits for a lock in sweep (sweep.c:9)"},
		{"3", []ThreadPlace{lock, left}, "; another thread of it waits for a lock in sweep (sweep.c:9) (+1 more place)"},
		{"3-4", []ThreadPlace{left}, "; another thread of rank 3 has left the program's code and waits in the OpenMP library"},
		{"3", []ThreadPlace{{Ranks: "3", Site: at(4)}}, "; another thread of it waits in sweep (sweep.c:4)"},
		{"3", []ThreadPlace{inPython(4, "")}, "; another thread of it is in sweep (sweep.c:4)"},
		{"3", []ThreadPlace{inPython(4, "queue")}, "; another thread of it waits for a queue in sweep (sweep.c:4)"},
	} {
		checktest.Equal(t, c.want, besideText(Location{Ranks: c.ranks, Beside: c.beside}))
	}
}
