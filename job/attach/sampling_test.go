package attach

import (
	"errors"
	"slices"
	"testing"

	"laggard/intake/stopped"
	"laggard/intake/unwind"
)

// TestRecorder: the recorder's own threads are told from those of the program that
// are in a call which it stands before.
func TestRecorder(t *testing.T) {
	for name, c := range map[string]struct {
		modules []string // innermost first
		want    bool
	}{
		"watch thread":         {[]string{"/lib/libc.so.6", "/opt/lib/liblaggard.so", "/lib/libc.so.6"}, true},
		"program in a call":    {[]string{"/lib/libc.so.6", "/opt/lib/liblaggard.so", "/home/u/app"}, false},
		"thread of a library":  {[]string{"/opt/lib/liblaggard.so", "/opt/libhdf5.so.103", "/lib/libc.so.6"}, false},
		"thread of MPI's own":  {[]string{"/lib/libc.so.6", "/opt/lib/liblaggard.so", "/opt/lib/libmpi.so.40"}, false},
		"sleeper of a program": {[]string{"/lib/libc.so.6", "/home/u/app", "/lib/libc.so.6"}, false},
		"unknown memory":       {[]string{"", "/opt/lib/liblaggard.so"}, false},
		"empty":                {nil, false},
	} {
		s := &sample{}
		for _, path := range c.modules {
			f := unwind.Frame{}
			if path != "" {
				f.Module = &stopped.Module{Path: path}
			}
			s.stack.Frames = append(s.stack.Frames, f)
		}
		if s.isRecorderThread() != c.want {
			t.Errorf("%s: %v", name, !c.want)
		}
	}
}

// TestProblemsOf: a thread that did not stop in a few of the looks is no problem; what is always
// forbidden is, and so is all else.
func TestProblemsOf(t *testing.T) {
	gone := errors.New("the process ended")
	for name, c := range map[string]struct {
		problems []error
		want     int
	}{
		"none":              {nil, 0},
		"busy once":         {[]error{stopped.ErrBusy, stopped.ErrForbidden}, 0},
		"busy mostly":       {slices.Repeat([]error{stopped.ErrBusy}, 6), 1},
		"always forbidden":  {slices.Repeat([]error{stopped.ErrForbidden}, 10), 1},
		"busy, then ended":  {[]error{stopped.ErrBusy, gone}, 1},
		"both, and forever": {append(slices.Repeat([]error{stopped.ErrBusy}, 5), stopped.ErrForbidden, gone), 3},
	} {
		w := &sampledRank{rankProcess: &rankProcess{process: &stopped.Process{}}, problems: c.problems}
		if got := problemsOf(w, 10); len(got) != c.want {
			t.Errorf("%s: %v, want %d", name, got, c.want)
		}
	}
}
