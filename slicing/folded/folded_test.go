package folded

import (
	"slices"
	"strings"
	"testing"

	"laggard/slicing"
)

const cText = `static int base;

static int twice(int x)
{
	return x * 2;
}

struct job { int peer, tag; };

static void fill(struct job *j, int rank)
{
	j->peer = rank; /* = tag */
	j->tag = 7;
	if (rank > 3)
		j->tag = 9;
}

int main(void)
{
	int tag = twice(4);
	const char *text = "tag = 5;"; int other = 1;
	struct job j;
	fill(&j, 0);
	base = 3;
	other++;
	recv(base, j.tag, tag);
}
`

// foldedLines runs the search on one file, of which only some lines have code.
func foldedLines(t *testing.T, name, text string, slice, stack, coded []int) []int {
	t.Helper()
	files := NewFiles(func(file string) []string {
		if file != name {
			return nil
		}
		return strings.Split(text, "\n")
	})
	at := func(numbers []int) (out []slicing.Line) {
		for _, n := range numbers {
			out = append(out, slicing.Line{File: name, Line: n, Kind: slicing.Data})
		}
		return out
	}
	with := map[int]bool{}
	for _, n := range coded {
		with[n] = true
	}
	var out []int
	for _, l := range files.Lines(at(slice), at(stack), func(string) map[int]bool { return with }) {
		out = append(out, l.Line)
	}
	slices.Sort(out)
	return out
}

func TestC(t *testing.T) {
	got := foldedLines(t, "a.c", cText, []int{26}, []int{26}, []int{26})
	// What sets tag, the fields and the global; not other, not the string, and
	// not the peer, which nobody asks for.
	if want := []int{5, 13, 14, 15, 20, 23, 24}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNothingWithoutFolding(t *testing.T) {
	var all []int
	for n := range 30 {
		all = append(all, n)
	}
	if got := foldedLines(t, "a.c", cText, []int{26}, nil, all); len(got) > 0 {
		t.Errorf("every line has code, got %v", got)
	}
	if got := foldedLines(t, "b.c", "", []int{1, 99}, nil, nil); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

const fortranText = `module m
  integer :: root = 0
contains
  subroutine choose(r)
    integer, intent(out) :: r
    r = 3 ! stop = 4
    print *, 'r = 5'
  end subroutine choose
end module m
program p
  use m
  integer :: r, s, x(9)
  x = 2 ! received into, and not read
  call choose(r)
  root = 1
  call mpi_bcast(x, r, mpi_integer, root, mpi_comm_world, s)
end program p
`

func TestFortran(t *testing.T) {
	got := foldedLines(t, "a.f90", fortranText, []int{16}, []int{16}, []int{16})
	if want := []int{6, 14, 15}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// FuzzLines: any text and any lines give lines of the text that were not there.
func FuzzLines(f *testing.F) {
	f.Add(cText, 26)
	f.Add(fortranText, 16)
	f.Add("}}{{((\"'/*\n*/ a++ = &b", 1)
	f.Fuzz(func(t *testing.T, text string, line int) {
		for _, name := range []string{"x.c", "x.f90"} {
			for _, n := range foldedLines(t, name, text, []int{line}, []int{line}, nil) {
				if n == line || n < 1 || n > strings.Count(text, "\n")+1 {
					t.Fatalf("line %d", n)
				}
			}
		}
	})
}
