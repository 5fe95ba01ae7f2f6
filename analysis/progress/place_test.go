package progress

import (
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/symbol"
)

// TestPlaceOfCopies: ranks that each have a copy of a script in a directory with a number stand at the same place, but not those with
// other scripts, lines or functions.
func TestPlaceOfCopies(t *testing.T) {
	r := symbol.New(symbol.Config{})
	defer r.Close()
	at := func(file, function string, line uint64) string {
		frame := model.Frame{Module: model.PythonModule(file, function), Offset: line}
		return placeOf(r, &model.State{Call: "MPI_Barrier", Stack: []model.Frame{frame}})
	}
	here := at("/tmp/ipykernel_171/2948.py", "step", 3)
	checktest.Equal(t, here, at("/tmp/ipykernel_88/2948.py", "step", 3), "another process")
	for _, other := range []string{at("/tmp/ipykernel_171/2949.py", "step", 3), at("/tmp/ipykernel_171/2948.py", "step", 4),
		at("/tmp/ipykernel_171/2948.py", "run", 3), at("/home/ipykernel_171/2948.py", "step", 3)} {
		if other == here {
			t.Errorf("%q is the same", other)
		}
	}
}
