package isolated

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
	"laggard/slicing/wire"
)

// asChild is set in the environment of the test program where it is to be the child.
const asChild = "LAGGARD_TEST_ISOLATED"

func TestMain(m *testing.M) {
	if log := os.Getenv(asChild); log != "" {
		if err := Serve(&echo{log}, func([]model.Frame) {}, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// echo is a Slicer that answers with what it was asked, or fails as the function of the criterion says. It
// appends a line to a file for each slice.
type echo struct{ log string }

func (e *echo) Name() string { return "echo" }

func (e *echo) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	f, err := os.OpenFile(e.log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return slicing.Slice{}, err
	}
	fmt.Fprintln(f, c.Call)
	f.Close()
	switch c.Call {
	case "recurse":
		return slicing.Slice{Truncated: overflowStack(1) > 0}, nil
	case "sleep":
		time.Sleep(time.Hour)
	case "exit":
		os.Exit(7)
	case "nothing":
		return slicing.Slice{}, fmt.Errorf("%w of %s", slicing.ErrNothing, c.Stack[0].Module.Path)
	case "error":
		return slicing.Slice{}, errors.New("a usual error")
	}
	return slicing.Slice{Backend: "echo", Notes: []string{fmt.Sprintf("%+v %v", criterionText(c), b)}}, nil
}

// overflowStack calls itself until the stack overflows.
func overflowStack(n int) int {
	if n < 0 {
		return 0
	}
	var room [1 << 16]byte
	room[n%len(room)] = 1
	return overflowStack(n+1) + int(room[0])
}

func (e *echo) Branch(ctx context.Context, made, other, last []model.Frame) (slicing.Branch, error) {
	elsewhere := &model.Module{Path: "/lib/elsewhere.so"}
	return slicing.Branch{
		Jump: slicing.Jump{Stack: append(other[:1:1], made...), Loop: true, Outside: true, Alike: true},
		Or:   []slicing.Jump{{Stack: last, Differs: true}, {Stack: []model.Frame{{Module: elsewhere, Offset: 3}}}},
		Ways: slicing.Ways{Before: true, Again: last == nil},
	}, nil
}

// criterionText is a criterion without the addresses of its modules.
func criterionText(c slicing.Criterion) string {
	out := fmt.Sprint(c.Rank, c.Call, c.Exact, framesText(c.Stack))
	for _, p := range c.Peers {
		out += p.Call + framesText(p.Stack)
	}
	return out
}

func framesText(stack []model.Frame) (out string) {
	for _, f := range stack {
		path := "-"
		if f.Module != nil {
			path = f.Module.Path
		}
		out += fmt.Sprintf(" %s+%#x", path, f.Offset)
	}
	return out
}

// newSlicer returns a Slicer whose child is this test program, and the file of slices that it was asked for.
func newSlicer(t *testing.T) (*Slicer, string) {
	log := filepath.Join(t.TempDir(), "log")
	s := New("echo", func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asChild+"="+log)
		return cmd
	})
	t.Cleanup(func() { _ = s.Close() })
	return s, log
}

var (
	app = &model.Module{BuildID: "ab", Path: "/bin/app", Base: 0x400000, Size: 4096}
	lib = &model.Module{BuildID: "cd", Path: "/lib/lib.so"}
)

// TestRoundTrip: the child gets the criterion as it is, and frames come back with the modules of the parent.
func TestRoundTrip(t *testing.T) {
	s, _ := newSlicer(t)
	c := slicing.Criterion{Rank: 3, Call: "MPI_Send", Exact: true,
		Stack: []model.Frame{{Module: lib, Offset: 1}, {Module: app, Offset: 2}, {Offset: 3}},
		Peers: []slicing.Site{{Call: "MPI_Isend", Stack: []model.Frame{{Module: app, Offset: 9}}}}}
	b := slicing.Budget{Time: time.Minute, Nodes: 5, Depth: 6}
	for range 2 { // the second time the child knows the modules
		got, err := s.Slice(context.Background(), c, b)
		want := slicing.Slice{Backend: "echo", Notes: []string{fmt.Sprintf("%+v %v", criterionText(c), b)}}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%v\n%s", err, diff)
		}
	}
	for _, last := range [][]model.Frame{nil, {{Module: app, Offset: 7}}} {
		made, other := c.Stack, []model.Frame{{Module: app, Offset: 8}}
		got := musttest.Get(s.Branch(context.Background(), made, other, last))(t)
		want, _ := new(echo).Branch(context.Background(), made, other, last)
		checktest.Equal(t, want, got)
		if got.Stack[0].Module != app || got.Stack[1].Module != lib {
			t.Error("the frames do not have the modules of the parent")
		}
	}
}

// TestFailures: however the child ends, the error says how, and the next slice is made by another child.
func TestFailures(t *testing.T) {
	s, log := newSlicer(t)
	for _, c := range []struct{ call, want string }{
		{"recurse", "stack overflow"}, {"exit", "exit status 7"}, {"sleep", "time is over"},
	} {
		b := slicing.Budget{Time: time.Minute}
		if c.call == "sleep" {
			b.Time = 50 * time.Millisecond
		}
		if _, err := s.Slice(context.Background(), slicing.Criterion{Call: c.call}, b); err == nil ||
			!strings.Contains(err.Error(), c.want) || errors.Is(err, slicing.ErrNothing) {
			t.Errorf("%s: error %v, want %q", c.call, err, c.want)
		}
		got := musttest.Get(s.Slice(context.Background(), slicing.Criterion{}, slicing.Budget{}))(t, "after", c.call)
		checktest.Equal(t, "echo", got.Backend, "after", c.call)
	}
	for range 4 {
		_, _ = s.Slice(context.Background(), slicing.Criterion{Call: "exit"}, slicing.Budget{})
	}
	text, err := os.ReadFile(log)
	if n := strings.Count(string(text), "exit"); n != 2 || err != nil {
		t.Errorf("a child that failed was asked %d times, %v", n, err)
	}
}

// TestErrors: errors of the Slicer in the child are those of the parent's, and the child goes on.
func TestErrors(t *testing.T) {
	s, _ := newSlicer(t)
	for range maxFailures + 2 {
		c := slicing.Criterion{Call: "nothing", Stack: []model.Frame{{Module: app}}}
		if _, err := s.Slice(context.Background(), c, slicing.Budget{}); !errors.Is(err, slicing.ErrNothing) ||
			!strings.Contains(err.Error(), app.Path) {
			t.Errorf("error %v", err)
		}
		c.Call = "error"
		_, err := s.Slice(context.Background(), c, slicing.Budget{})
		if err == nil || errors.Is(err, slicing.ErrNothing) {
			t.Errorf("error %v", err)
		}
	}
}

// FuzzRespond: a child answers each request, whatever is in it.
func FuzzRespond(f *testing.F) {
	log := filepath.Join(f.TempDir(), "log")
	f.Add([]byte(`{"Time":1000000000,"Modules":[{"Path":"/bin/app"}],"Slice":{"Stack":[{"Module":0,"Offset":1}]}}`))
	f.Add([]byte(`{"Branch":{"Made":[{"Module":-1}],"Other":[{"Module":7}]}}`))
	f.Add([]byte(`{"Slice":{"Stack":[{"Module":-2}]}}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		out := (&server{&quiet{echo{log}}, func([]model.Frame) {}, wire.NewModules()}).respond(line)
		if (out.Error == "") == (out.Slice == nil && out.Branch == nil) {
			t.Errorf("%+v", out)
		}
	})
}

// quiet is echo without its failures.
type quiet struct{ echo }

func (q *quiet) Slice(ctx context.Context, c slicing.Criterion, b slicing.Budget) (slicing.Slice, error) {
	return slicing.Slice{Notes: []string{criterionText(c)}}, nil
}

func (q *quiet) Branch(ctx context.Context, made, other, last []model.Frame) (slicing.Branch, error) {
	return slicing.Branch{Jump: slicing.Jump{Stack: append(made[:len(made):len(made)], other...)}}, nil
}
