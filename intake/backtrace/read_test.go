package backtrace

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

var update = flag.Bool("update", false, "write testdata/*.golden anew")

// TestSamples reads texts of all forms. Those of eu-stack and gdb were made by
// the tools, of programs that hang; the core files follow what the kernels of
// Blue Gene write.
func TestSamples(t *testing.T) {
	paths, err := filepath.Glob("testdata/samples/*")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			stacks, problems := readSample(t, path)
			checkGolden(t, filepath.Join("testdata", filepath.Base(path)+".golden"), describeStacks(stacks, problems))
		})
	}
}

func readSample(t *testing.T, path string) ([]Stack, []*Problem) {
	t.Helper()
	file := musttest.Get(os.Open(path))(t)
	defer file.Close()
	stacks, problems, err := Read(filepath.Base(path), file)
	musttest.Succeed(t, err)
	return stacks, problems
}

// describeStacks writes stacks for a reader.
func describeStacks(stacks []Stack, problems []*Problem) string {
	b := &strings.Builder{}
	for _, s := range stacks {
		fmt.Fprintf(b, "%s:%d rank %d pid %d tid %d", s.File, s.Line, s.Rank, s.PID, s.TID)
		for _, more := range []struct {
			text string
			is   bool
		}{
			{" program " + s.Program, s.Program != ""}, {fmt.Sprintf(" fault %q", s.Fault), s.Fault != ""},
			{fmt.Sprintf(" signal %d", s.Signal), s.Signal != 0}, {" partial", s.Partial},
		} {
			if more.is {
				b.WriteString(more.text)
			}
		}
		b.WriteByte('\n')
		for _, f := range s.Frames {
			fmt.Fprintf(b, "  %s\n", describeFrame(f))
		}
	}
	for _, p := range problems {
		fmt.Fprintln(b, p)
	}
	return b.String()
}

func describeFrame(f Frame) string {
	text := fmt.Sprintf("%#x", f.Address)
	if f.PC {
		text += " pc"
	}
	if f.Function != "" {
		text += " " + f.Function
	}
	if f.File != "" || f.Line != 0 {
		text += fmt.Sprintf(" at %s:%d", f.File, f.Line)
	}
	if f.Module != "" {
		text += " in " + f.Module
	}
	if f.BuildID != "" {
		text += fmt.Sprintf(" [%.8s]@%#x", f.BuildID, f.Base)
	}
	if f.Offset != 0 {
		text += fmt.Sprintf(" offset %#x", f.Offset)
	}
	if f.Inlined {
		text += " (inlined)"
	}
	return text
}

func checkGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		musttest.Succeed(t, os.WriteFile(path, []byte(got), 0o600))
	}
	want := musttest.Get(os.ReadFile(path))(t)
	checktest.Equal(t, string(want), got, path, "differs; -update writes it anew")
}

func TestNoBacktrace(t *testing.T) {
	for _, text := range []string{"", "Hello\nworld\n", "#include <mpi.h>\n",
		"+++PARALLEL TOOLS CONSORTIUM\n---LCB\n"} {
		stacks, _, err := Read("x", strings.NewReader(text))
		if !errors.Is(err, ErrFormat) || stacks != nil {
			t.Errorf("%q: %v, %v", text, stacks, err)
		}
	}
}

// TestLongLines: what nobody can have meant is cut, not kept.
func TestLongLines(t *testing.T) {
	b := &strings.Builder{}
	b.WriteString("#0  0x10 in " + strings.Repeat("f", 1<<20) + " () at a.c:1\n#1  0x20 in main () at a.c:2\n")
	for i := range 2 * maxFrames {
		fmt.Fprintf(b, "#%d  0x30 in more ()\n", 2+i)
	}
	stacks, problems, err := Read("x", strings.NewReader(b.String()))
	if err != nil || len(problems) > maxProblems {
		t.Fatalf("%d problems, %v", len(problems), err)
	}
	for _, s := range stacks {
		if len(s.Frames) > maxFrames {
			t.Errorf("a stack of %d frames", len(s.Frames))
		}
	}
}

func TestFrameOfGDB(t *testing.T) {
	for text, want := range map[string]Frame{
		"main () at a.c:3":     {Function: "main", File: "a.c", Line: 3},
		"?? () from /lib/x.so": {Module: "/lib/x.so"},
		"f (s=0x1 \") at b.c:9\", n=2) at dir with space/a.c:30": {Function: "f", File: "dir with space/a.c",
			Line: 30},
		"std::function<double ()>::operator()() const (this=0x1)": {
			Function: "std::function<double ()>::operator()() const",
		},
		"operator() (__closure=0x1) at a.cc:1": {Function: "operator()", File: "a.cc", Line: 1},
		"ns::(anonymous namespace)::g<int (*)(int)> (f=0x1)": {
			Function: "ns::(anonymous namespace)::g<int (*)(int)>",
		},
		"Matrix::operator<< (this=0x1, x=3) at m.cc:5": {Function: "Matrix::operator<<", File: "m.cc",
			Line: 5},
		"foo(int, char const*) () from ./libfoo.so": {Function: "foo(int, char const*)",
			Module: "./libfoo.so"},
		"ptr::operator-> (this=0x0) at p.cc:2": {Function: "ptr::operator->", File: "p.cc", Line: 2},
		signalFrame:                            {Function: signalFrame},
	} {
		var got Frame
		if ok := got.parseDescription(text); !ok {
			t.Errorf("%s: not read", text)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", text, diff)
		}
	}
}

func FuzzRead(f *testing.F) {
	paths := musttest.Get(filepath.Glob("testdata/samples/*"))(f)
	for _, path := range paths {
		text := musttest.Get(os.ReadFile(path))(f)
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		stacks, problems, err := Read("fuzz", strings.NewReader(text))
		if err != nil && stacks != nil {
			t.Errorf("an error and %d stacks", len(stacks))
		}
		if len(problems) > maxProblems {
			t.Errorf("%d problems", len(problems))
		}
		for _, s := range stacks {
			if len(s.Frames) == 0 || len(s.Frames) > maxFrames {
				t.Errorf("a stack of %d frames", len(s.Frames))
			}
		}
		AssignRanks(stacks)
		for _, s := range stacks {
			if s.Rank < 0 {
				t.Errorf("rank %d", s.Rank)
			}
		}
	})
}
