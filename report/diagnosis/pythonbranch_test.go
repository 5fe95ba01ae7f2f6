package diagnosis

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/report"
	"laggard/report/source"
	"laggard/symbol"
)

func TestDecidedInPython(t *testing.T) {
	const text = `def inner(comm):
    if comm.rank:
        return
    comm.barrier()
def outer(comm):
    for k in range(3):
        if k == 1:
            inner(comm)
        comm.bcast(k)
`
	file := filepath.Join(t.TempDir(), "a.py")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	frame := func(function string, line int) report.Frame {
		return report.Frame{Function: function, File: file, Line: line, Language: symbol.Python}
	}
	got := decided([]report.Frame{frame("outer", 8), frame("inner", 4)}, 9, false, source.Finder{})
	want := []int{2, 7}
	if len(got) != len(want) {
		t.Fatalf("got %v", got)
	}
	for i, site := range got {
		if site.Line != want[i] || site.File != file {
			t.Errorf("%d: %+v, want line %d", i, site, want[i])
		}
	}
	// Without the line of the other, the loop decides too, unless both are in a round of it.
	both := []report.Frame{frame("outer", 8), frame("inner", 4)}
	if all, round := decided(both, 0, false, source.Finder{}), decided(both, 0, true, source.Finder{}); len(all) != 3 ||
		all[2].Line != 6 || len(round) != 2 {
		t.Errorf("decided at %v, in one round at %v", all, round)
	}
	if got := decided([]report.Frame{frame("gone", 400)}, 0, false, source.Finder{}); got != nil {
		t.Errorf("a line that the file does not have was decided at %v", got)
	}
}

// TestStandsAt: who closes a file at the end of a `with` is behind what is done in it.
func TestStandsAt(t *testing.T) {
	const text = `with File(comm) as f:
    if comm.rank:
        f.write(comm)
comm.barrier()
`
	file := filepath.Join(t.TempDir(), "a.py")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(function string) []report.Frame {
		return []report.Frame{{Function: "<module>", File: file, Line: 1}, {Function: function, File: "h5.py", Line: 9}}
	}
	opens, leaves := standsAt(at("File.__init__"), source.Finder{}), standsAt(at("File.__exit__"), source.Finder{})
	if opens != 1 || leaves != 3 {
		t.Errorf("who opens it stands at %d, who leaves it at %d", opens, leaves)
	}
}

// TestNearestOfEach: what decides in a library does not hide the line of the program that calls it.
func TestNearestOfEach(t *testing.T) {
	const text = `def write(data):
    if data.a:
        if data.b:
            if data.c:
                if data.d:
                    if data.e:
                        data.write()
if count:
    write(data)
`
	file := filepath.Join(t.TempDir(), "a.py")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var got []int
	frames := []report.Frame{{File: file, Line: 9}, {File: file, Line: 7}}
	for _, site := range decided(frames, 10, false, source.Finder{}) {
		got = append(got, site.Line)
	}
	if want := []int{6, 5, 4, 8}; !slices.Equal(got, want) {
		t.Errorf("decided at %v, want %v", got, want)
	}
}

// TestPassed: who is at a line that is not behind the last call in common has gone round a loop.
func TestPassed(t *testing.T) {
	for _, c := range []struct {
		from line
		a, b int
		want bool
	}{
		{0, 30, 28, true}, {0, 28, 30, false},
		{20, 30, 28, true}, {20, 28, 30, false},
		{28, 28, 30, true}, // the call before again, in the next round: what is at line 30 was passed
		{28, 30, 28, false},
		{29, 30, 28, false},
		{40, 30, 28, true},
	} {
		if got := c.from.passed(c.a, c.b); got != c.want {
			t.Errorf("since line %d, at %d, passed %d: %v", c.from, c.a, c.b, got)
		}
	}
}
