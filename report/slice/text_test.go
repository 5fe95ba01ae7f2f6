package slice

import (
	"bytes"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/report/source"
	"laggard/slicing"
)

// TestTextWithValues: what names held stands behind the lines, and it is said of which rank.
func TestTextWithValues(t *testing.T) {
	at := func(n, distance int, kind slicing.Kind, held ...Value) Line {
		l := slicing.Line{File: "/src/halo.c", Line: n, Function: "halo", Distance: distance, Kind: kind}
		return Line{Line: l, New: true, Values: held}
	}
	s := Slice{
		Head: Head{Backend: "native", Criterion: Criterion{Rank: 3, Text: "rank 3 in MPI_Recv, halo (halo.c:12)"}},
		Lines: []Line{
			at(12, 0, slicing.Call, Value{Name: "peer", Value: "2"}, Value{Name: "m->up", Value: "null"}),
			at(11, 1, slicing.Control),
		},
		Excerpts: []source.Excerpt{{File: "/src/halo.c", First: 11, Text: []string{"if (n)", "  recv(peer, m->up);"}}},
	}
	var out bytes.Buffer
	musttest.Succeed(t, Text(&out, "Rank 3 is least progressed", []Slice{s}))
	want := `Rank 3 is least progressed.

1. rank 3 in MPI_Recv, halo (halo.c:12): 2 lines (native)
   <- shows values in rank 3 when it was examined.

   /src/halo.c
     1 control    11  if (n)
     0 call       12    recv(peer, m->up);   <- peer = 2, m->up = null
`
	checktest.Equal(t, want, out.String())
}

// TestTextOfFunctions: a function without line information is shown with the file that has its code.
func TestTextOfFunctions(t *testing.T) {
	function := func(name string, distance int) Line {
		l := slicing.Line{File: "/opt/lib/libhalo.so", Function: name, Distance: distance, Kind: slicing.Data}
		return Line{Line: l, New: true}
	}
	s := Slice{
		Head:  Head{Backend: "native", Criterion: Criterion{Rank: 3, Text: "rank 3 in MPI_Recv, halo::exchange"}},
		Lines: []Line{function("halo::exchange", 0), function("halo::setup", 2)},
	}
	var out bytes.Buffer
	musttest.Succeed(t, Text(&out, "Rank 3 is least progressed", []Slice{s}))
	want := `Rank 3 is least progressed.

1. rank 3 in MPI_Recv, halo::exchange: 2 functions without line information (native)

     0 data     halo::exchange  in libhalo.so
     2 data     halo::setup  in libhalo.so
`
	checktest.Equal(t, want, out.String())
}

// TestNearest: the nearest lines are named first, functions where there are no lines.
func TestNearest(t *testing.T) {
	found := slicing.Slice{}
	checktest.Equal(t, "none", Nearest(found))
	found.Lines = []slicing.Line{
		{File: "/src/solve.c", Line: 8, Distance: 2},
		{File: "/src/halo.c", Line: 12, Distance: 0},
		{File: "/lib/libx.so", Function: "setup", Distance: 1},
	}
	checktest.Equal(t, "halo.c:12, setup, solve.c:8", Nearest(found))
	for n := range 5 {
		found.Lines = append(found.Lines, slicing.Line{File: "/src/main.c", Line: n + 1, Distance: 3})
	}
	checktest.Equal(t, "halo.c:12, setup, solve.c:8, main.c:1 and 4 more", Nearest(found))
}
