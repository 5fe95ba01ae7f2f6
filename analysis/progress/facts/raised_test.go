package facts

import (
	"testing"

	"laggard/model"
	"laggard/model/format"
)

// TestCurrentException: an exception counts while the thread is where it had it, and one that
// nothing caught once the program has ended by it.
func TestCurrentException(t *testing.T) {
	frame := func(function, file string) model.Frame {
		return model.Frame{Module: &model.Module{Path: file + ":" + function, BuildID: "707974686f6e0011"}}
	}
	script, runner := frame("<module>", "app.py"), frame("_run_module_as_main", "<frozen runpy>")
	shell, test := frame("<module>", "<stdin>"), frame("TestReport.from_call", "runner.py")
	hook := frame("hook", "app.py")
	code := func(path string) []model.Frame { return []model.Frame{{Module: &model.Module{Path: "/usr/" + path}}} }
	for name, c := range map[string]struct {
		how   model.RaisedHow
		calls uint64
		ended model.Frame // the outermost that it came through
		now   []model.Frame
		want  bool
	}{
		"handled":                 {model.RaisedHandled, 7, script, []model.Frame{hook, script}, true},
		"handled before":          {model.RaisedHandled, 6, script, []model.Frame{hook, script}, false},
		"ended, no Python now":    {model.RaisedLast, 5, script, nil, true},
		"ended, in a hook":        {model.RaisedLast, 7, script, []model.Frame{hook}, true},
		"ended, a module":         {model.RaisedLast, 7, runner, []model.Frame{hook}, true},
		"ended, the interpreter":  {model.RaisedLast, 7, script, code("lib/libpython3.11.so.1.0"), true},
		"embedded":                {model.RaisedLast, 7, script, code("bin/solver"), false},
		"printed and gone on":     {model.RaisedLast, 7, script, []model.Frame{hook, script}, false},
		"a shell":                 {model.RaisedLast, 7, shell, []model.Frame{hook}, false},
		"kept by a runner":        {model.RaisedLast, 7, test, nil, false},
		"thrown in this call":     {model.RaisedThrown, 7, script, nil, true},
		"thrown shortly before":   {model.RaisedThrown, 3, script, nil, true},
		"thrown from the future":  {model.RaisedThrown, 8, script, nil, false},
		"kept by a runner, later": {model.RaisedLast, 7, test, []model.Frame{hook, runner}, false},
	} {
		thread := &model.Thread{Calls: 7, Op: model.Op{State: -1}, Captured: &model.Capture{Calls: 7, Stack: c.now},
			Raised: &model.Raised{How: c.how, Calls: c.calls, Type: "E", Stack: []model.Frame{hook, c.ended}}}
		b := newBuilder()
		if b.addExceptions(&model.Rank{Rank: 3, Threads: []*model.Thread{thread}}, thread); (len(b.sum.Raised) == 1) != c.want {
			t.Errorf("%s: %v", name, b.sum.Raised)
		}
	}
}

// TestThrownInThread: an exception of C++ after which a thread ended is told of the rank, one of a thread that goes on is not.
func TestThrownInThread(t *testing.T) {
	for ended, want := range map[bool]int{true: 1, false: 0} {
		speaks := &model.Thread{Calls: 100}
		worker := &model.Thread{Calls: 7, Ended: ended, Raised: &model.Raised{How: model.RaisedThrown, Calls: 7, Type: "E"}}
		b := newBuilder()
		b.addExceptions(&model.Rank{Threads: []*model.Thread{speaks, worker}}, speaks)
		if len(b.sum.Raised) != want || want > 0 && !b.sum.Raised[0].Ended {
			t.Errorf("ended %t: %+v", ended, b.sum.Raised)
		}
	}
}

// TestThrownLongAgo: one that was thrown many calls ago is not told; ranks with the same had begun unequally many
// collectives.
func TestThrownLongAgo(t *testing.T) {
	b := newBuilder()
	add := func(rank int, calls uint64) {
		one := &model.Raised{How: model.RaisedThrown, Calls: calls, Order: uint32(calls) - 90, Type: "E"}
		thread := &model.Thread{Calls: 100, Raised: one}
		b.addExceptions(&model.Rank{Rank: rank, Threads: []*model.Thread{thread}}, thread)
	}
	add(0, 100-shortly-1)
	if len(b.sum.Raised) != 0 {
		t.Errorf("long ago: %v", b.sum.Raised)
	}
	add(1, 100)
	add(2, 95)
	got := joinRaised(b.sum.Raised[0], b.sum.Raised[1])
	if compareRaised(b.sum.Raised[0], b.sum.Raised[1]) != 0 || got.First != 5 || got.Last != 10 ||
		got.Ranks.String() != "1-2" {
		t.Errorf("joined: %+v", got)
	}
}

// TestThrownAsHabit: what a rank throws again and again is marked while it lives.
func TestThrownAsHabit(t *testing.T) {
	for end, want := range map[model.End]bool{model.NoEnd: true, model.Aborted: false} {
		b, thread := newBuilder(), &model.Thread{Calls: 9, Raised: &model.Raised{How: model.RaisedThrown, Calls: 9, Type: "E", Habit: true}}
		b.addExceptions(&model.Rank{End: end, Threads: []*model.Thread{thread}}, thread)
		if got := b.sum.Raised; len(got) != 1 || got[0].Habit != want {
			t.Errorf("%v: %+v, want %t", end, got, want)
		}
	}
}

// TestThrownElsewhere: the last exception of threads that never called MPI is told if the rank has made few calls since; not if such
// threads throw as a habit.
func TestThrownElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		thrown int
		calls  uint64 // of the rank when the last one was thrown
		want   bool
	}{
		"just now": {2, 150, true},
		"long ago": {2, 150 - shortly - 1, false},
		"a habit":  {format.MaxThrown, 150, false},
		"none":     {0, 0, false},
	} {
		r := &model.Rank{Threads: []*model.Thread{{Calls: 100}, {Calls: 50}}}
		for range c.thrown {
			r.Thrown = append(r.Thrown, model.Raised{How: model.RaisedThrown, Calls: c.calls, Type: "E"})
		}
		b := newBuilder()
		b.addExceptions(r, r.Threads[0])
		if got := len(b.sum.Raised) == 1 && b.sum.Raised[0].Elsewhere; got != c.want {
			t.Errorf("%s: %+v", name, b.sum.Raised)
		}
	}
}

// TestRaisedElsewhere: an exception of Python that ended a thread is told however long ago it was, one in a future if it is the last one,
// and the rank has made few calls since.
func TestRaisedElsewhere(t *testing.T) {
	ended, future := model.Raised{How: model.RaisedThread, Calls: 1, Type: "E"}, model.Raised{How: model.RaisedFuture, Calls: 1, Type: "F"}
	recent := future
	recent.Calls = 100
	raise, result, run := model.Frame{Offset: 13}, model.Frame{Offset: 401}, model.Frame{Offset: 58}
	main := model.Raised{How: model.RaisedHandled, Calls: 99, Type: "G", Stack: []model.Frame{raise, result}} // it goes on behind that
	got := model.Raised{How: model.RaisedFuture, Calls: 99, Type: "G", Stack: []model.Frame{raise, run}}
	for name, c := range map[string]struct {
		thrown []model.Raised
		want   int
	}{
		"a thread ended long ago": {[]model.Raised{ended, future}, 1},
		"a future, long ago":      {[]model.Raised{future}, 0},
		"a future, just now":      {[]model.Raised{ended, recent}, 2},
		"out of a future":         {[]model.Raised{got}, 0},
	} {
		r := &model.Rank{Threads: []*model.Thread{{Calls: 100, Raised: &main}}, Thrown: c.thrown}
		b := newBuilder()
		if b.addExceptions(r, r.Threads[0]); len(b.sum.Raised) != c.want {
			t.Errorf("%s: %+v", name, b.sum.Raised)
		}
	}
}
