package cached

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/slicing"
)

// counter is a Slicer that counts what it is asked.
type counter struct {
	slices, branches int
	unfinished       bool
	fails            error
	text             string // as long as the name of the function in the answer
}

func (c *counter) Name() string { return "counter" }

func (c *counter) Slice(_ context.Context, of slicing.Criterion, _ slicing.Budget) (slicing.Slice, error) {
	c.slices++
	line := slicing.Line{File: "/src/halo.c", Line: int(of.Stack[0].Offset), Function: "halo" + c.text, Kind: slicing.Data}
	return slicing.Slice{Backend: c.Name(), Lines: []slicing.Line{line}, Unfinished: c.unfinished}, c.fails
}

func (c *counter) Branch(_ context.Context, made, _, _ []model.Frame) (slicing.Branch, error) {
	c.branches++
	return slicing.Branch{Jump: slicing.Jump{Stack: made[:1]}, Unfinished: c.unfinished}, c.fails
}

// fixture is a cache in a directory of its own; its question is about one module.
type fixture struct {
	*counter
	config Config
	module *model.Module
	source string // what identifies the source file
}

func newFixture(t *testing.T) *fixture {
	f := &fixture{counter: &counter{}, module: &model.Module{Path: "/bin/app", BuildID: "ab12"}, source: "10 bytes"}
	f.config = Config{
		Dir: filepath.Join(t.TempDir(), "laggard", "slices"), MaxBytes: 1 << 20, Maker: "laggard 1",
		IdentifyModule: func(m *model.Module) (string, bool) { return m.BuildID, m.BuildID != "" },
		IdentifySource: func(string) string { return f.source },
	}
	return f
}

// ask asks a new Slicer, as another process would, for a slice and a branch from an offset.
func (f *fixture) ask(t *testing.T, offset uint64, b slicing.Budget) (slicing.Slice, slicing.Branch) {
	t.Helper()
	s := New(f.counter, f.config)
	stack := []model.Frame{{Module: f.module, Offset: offset}}
	slice, err := s.Slice(context.Background(), slicing.Criterion{Rank: 3, Call: "MPI_Recv", Stack: stack}, b)
	if !errors.Is(err, f.fails) {
		t.Fatal(err)
	}
	branch, err := s.Branch(context.Background(), stack, stack, nil)
	if !errors.Is(err, f.fails) {
		t.Fatal(err)
	}
	return slice, branch
}

// wantMade checks how often the slicer itself was asked so far.
func (f *fixture) wantMade(t *testing.T, slices, branches int) {
	t.Helper()
	if f.slices != slices || f.branches != branches {
		t.Errorf("%d slices and %d branches were made, want %d and %d", f.slices, f.branches, slices, branches)
	}
}

// TestKeptAnswer: the second answer is the first one, whatever time it may take, and frames have the modules of who asks.
func TestKeptAnswer(t *testing.T) {
	f := newFixture(t)
	slice, branch := f.ask(t, 7, slicing.Budget{Time: time.Second})
	again, branchAgain := f.ask(t, 7, slicing.Budget{Time: time.Minute})
	f.wantMade(t, 1, 1)
	checktest.Equal(t, slice, again)
	checktest.Equal(t, branch, branchAgain)
	if branchAgain.Stack[0].Module != f.module {
		t.Error("the branch has another module")
	}
}

// TestOtherQuestion: an answer is no answer to another question, of another build, another program or another text.
func TestOtherQuestion(t *testing.T) {
	for _, c := range []struct {
		name     string
		change   func(*fixture)
		offset   uint64
		budget   slicing.Budget
		branches int // that are made
	}{
		{"offset", func(*fixture) {}, 8, slicing.Budget{}, 2},
		{"budget", func(*fixture) {}, 7, slicing.Budget{Depth: 2}, 1},
		{"build", func(f *fixture) { f.module.BuildID = "cd34" }, 7, slicing.Budget{}, 2},
		{"unknown build", func(f *fixture) { f.module.BuildID = "" }, 7, slicing.Budget{}, 2},
		{"maker", func(f *fixture) { f.config.Maker = "laggard 2" }, 7, slicing.Budget{}, 2},
		{"source", func(f *fixture) { f.source = "11 bytes" }, 7, slicing.Budget{}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFixture(t)
			f.ask(t, 7, slicing.Budget{})
			c.change(f)
			f.ask(t, c.offset, c.budget)
			f.wantMade(t, 2, c.branches)
		})
	}
}

// TestUnfinished: a slice that ran out of time is the answer to those who allow no more, and says so; others get their own.
func TestUnfinished(t *testing.T) {
	f := newFixture(t)
	f.unfinished = true
	allowed := func(total time.Duration) slicing.Budget { return slicing.Budget{Total: total, Time: total / 2} }
	f.ask(t, 7, allowed(8*time.Second))
	for _, total := range []time.Duration{8 * time.Second, 3 * time.Second} {
		slice, _ := f.ask(t, 7, allowed(total))
		checktest.Equal(t, []string{"from an earlier search that was allowed 8s (--time)"}, slice.Notes)
	}
	musttest.Equal(t, 1, f.slices)
	f.ask(t, 7, allowed(30*time.Second))
	f.ask(t, 7, allowed(20*time.Second))
	f.ask(t, 7, slicing.Budget{})
	f.ask(t, 7, slicing.Budget{})
	musttest.Equal(t, 4, f.slices)
	f.unfinished = false
	f.ask(t, 7, allowed(time.Minute))
	f.ask(t, 7, allowed(2*time.Minute))
	musttest.Equal(t, 5, f.slices)
}

// TestNotKept: what failed or ran out of time is asked for again.
func TestNotKept(t *testing.T) {
	for name, change := range map[string]func(*fixture){
		"failed":     func(f *fixture) { f.fails = slicing.ErrNothing },
		"unfinished": func(f *fixture) { f.unfinished = true },
		"no place":   func(f *fixture) { f.config.Dir = "/dev/null/slices" },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			change(f)
			f.ask(t, 7, slicing.Budget{})
			f.ask(t, 7, slicing.Budget{})
			f.wantMade(t, 2, 2)
		})
	}
}

// TestDamaged: a file that was cut, or is no answer, is replaced.
func TestDamaged(t *testing.T) {
	for _, text := range []string{"", "{", `{"Response":{}}`, `{"Response":{"Branch":{"Jump":{"Stack":[{"Module":9}]}}}}`} {
		f := newFixture(t)
		f.ask(t, 7, slicing.Budget{})
		files := musttest.Get(os.ReadDir(f.config.Dir))(t)
		musttest.Equal(t, 2, len(files), files)
		for _, file := range files {
			musttest.Succeed(t, os.WriteFile(filepath.Join(f.config.Dir, file.Name()), []byte(text), 0o600))
		}
		f.ask(t, 7, slicing.Budget{})
		f.ask(t, 7, slicing.Budget{})
		f.wantMade(t, 2, 2)
	}
}

// TestBound: the answers that were not used for longest are removed; other files are not.
func TestBound(t *testing.T) {
	f := newFixture(t)
	f.text = strings.Repeat("x", 3_000)
	f.config.MaxBytes = 40_000
	musttest.Succeed(t, os.MkdirAll(f.config.Dir, 0o700))
	other := filepath.Join(f.config.Dir, "notes.txt")
	musttest.Succeed(t, os.WriteFile(other, make([]byte, 50_000), 0o600))
	for n := range uint64(30) {
		f.ask(t, n, slicing.Budget{})
		f.ask(t, 0, slicing.Budget{}) // stays in use
	}
	f.wantMade(t, 30, 30)
	f.ask(t, 1, slicing.Budget{})
	f.wantMade(t, 31, 31)
	musttest.Get(os.Stat(other))(t)
	var size int64
	files := musttest.Get(os.ReadDir(f.config.Dir))(t)
	for _, file := range files {
		if info, err := file.Info(); err == nil && info.Name() != filepath.Base(other) {
			size += info.Size()
		}
	}
	if size > f.config.MaxBytes {
		t.Errorf("%d bytes, of %d", size, f.config.MaxBytes)
	}
}
