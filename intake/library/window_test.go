package library

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/model"
)

const (
	groupsAt   = 0x3700
	groupSize  = 40
	windowsAt  = 0x3800
	windowSize = 512
	pairsAt    = 0x6100_0000
	targetAt   = 0x6200_0000
	epochAt    = 304 // of the group of a start, in a window
)

// withWindows adds groups and windows to the memory of rank 2: of the first window ranks 3 and 1
// may be accessed, and it is exposed to the first of them; of the second, rank 3 is locked.
func withWindows() memory {
	m := mpichMemory()
	data, pairs, target := m[dataAt], make([]byte, 128), make([]byte, 256)
	put32(data, descAt+128-12, groupKind, groupSize)
	put64(data, descAt+128, dataAt+groupsAt)
	put32(data, descAt+168-12, windowKind, windowSize)
	put64(data, descAt+168, dataAt+windowsAt)
	group := func(i, rank int, ranks ...int) {
		b := data[groupsAt+i*groupSize:]
		put32(b, 0, directHandle<<30|groupKind<<26+i, 1, len(ranks), rank)
		put64(b, 24, uint64(pairsAt+i*32))
		for k, r := range ranks {
			put64(pairs, i*32+16*k, uint64(r), 0xffffffff)
		}
	}
	group(0, -32766, 3, 1)
	group(1, -32766, 3)
	group(2, 0, 3, 2) // the own rank is not where it should be
	window := func(i int) []byte {
		b := data[windowsAt+i*windowSize:]
		put32(b, 0, directHandle<<30|windowKind<<26+i)
		put64(b, 104, dataAt+madeAt+commSize) // ranks 2, 3, 1
		return b
	}
	b := window(0)
	put32(b, epochAt+accessOf, ofStart, ofPost)
	put64(b, epochAt, dataAt+groupsAt)
	put32(b, epochAt+postedOf, 1)
	put64(b, epochAt+postOf, dataAt+groupsAt+groupSize)
	put64(window(1), 400, targetAt)
	put32(target, 12, ofLock, 1, 0, 1) // rank 1 of the window
	put64(target, 72, targetAt+24)
	put32(target, 80, 4)
	m[pairsAt], m[targetAt] = pairs, target
	return m
}

func TestWindows(t *testing.T) {
	got := openFake(withWindows()).ListWindows()
	for _, w := range got {
		if !cmp.Equal(w.Comm.Members, []int{2, 3, 1}) || w.Comm.Kind != model.Window {
			t.Errorf("%+v", w.Comm)
		}
		w.Comm = nil
	}
	want := []*Window{
		{Access: []int{1, 2}, Exposure: []int{1}},
		{Locks: []Lock{{1, model.Either}}},
	}
	checktest.Equal(t, want, got)
	l := openFake(withWindows())
	for i, want := range [][]int{{3, 1}, {3}, nil, nil} {
		if got := l.GroupRanks(uint64(directHandle<<30|groupKind<<26+i), false); !cmp.Equal(got, want) {
			t.Errorf("group %d has %v, want %v", i, got, want)
		}
	}
}

// TestWindowDisagrees: of an epoch that does not agree with its group nothing is said, and the
// rest of the window stays.
func TestWindowDisagrees(t *testing.T) {
	const first = windowsAt + epochAt
	for name, change := range map[string]func(m memory){
		"no start":                   func(m memory) { put32(m[dataAt], first+accessOf, 0) },
		"more answers than members":  func(m memory) { put32(m[dataAt], first+postedOf, 3) },
		"no group":                   func(m memory) { put64(m[dataAt], first, targetAt) },
		"a freed group":              func(m memory) { put32(m[dataAt], groupsAt+4, 0) },
		"a member that there is not": func(m memory) { put64(m[pairsAt], 0, 4) },
	} {
		m := withWindows()
		change(m)
		w := openFake(m).ResolveWindow(directHandle<<30|windowKind<<26, false)
		if w == nil || w.Access != nil || !cmp.Equal(w.Exposure, []int{1}) {
			t.Errorf("%s: %+v", name, w)
		}
	}
	for name, change := range map[string]func(target []byte){
		"not granted":      func(b []byte) { put32(b, 16, 0) },
		"no such rank":     func(b []byte) { put32(b, 24, 3) },
		"not in a table":   func(b []byte) { put32(b, 80, 8) },
		"key out of place": func(b []byte) { put64(b, 72, targetAt+60) },
	} {
		m := withWindows()
		change(m[targetAt])
		if w := openFake(m).ResolveWindow(directHandle<<30|windowKind<<26+1, false); w == nil || len(w.Locks) > 0 {
			t.Errorf("%s: %+v", name, w)
		}
	}
	m := withWindows()
	put32(m[dataAt], madeAt+commSize+4, 0)
	if w := openFake(m).ResolveWindow(directHandle<<30|windowKind<<26, false); w != nil {
		t.Errorf("a freed window: %+v", w)
	}
}

// checkWindow: what is said of a window is possible.
func checkWindow(t *testing.T, w *Window) {
	if w == nil {
		return
	}
	for _, group := range [][]int{w.Access, w.Exposure} {
		for _, r := range group {
			if r < 0 || r >= w.Comm.Size {
				t.Errorf("%+v", w)
			}
		}
	}
	for _, l := range w.Locks {
		if l.Target != model.None && (l.Target < 0 || l.Target >= w.Comm.Size) {
			t.Errorf("%+v", w)
		}
	}
}
