package recorded

import (
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/model"
)

// appendMove writes a move as the recorder does: kind, and the fields in order.
func appendMove(b []byte, kind Kind, fields ...int64) []byte {
	b = append(b, byte(kind))
	for _, f := range fields {
		b = binary.AppendUvarint(b, uint64(f))
	}
	return b
}

// zigzag is a number as the recorder writes one with a sign.
func zigzag(v int64) int64 { return int64(uint64(v)<<1 ^ uint64(v>>63)) }

func TestBlock(t *testing.T) {
	b := appendMove(nil, Alloc|orderFlag|timeFlag, 7, zigzag(1000), 3, zigzag(0x100), 64)
	b = appendMove(b, Copy, 0, zigzag(0x100), zigzag(0x40), 8)
	b = append(b, byte(End), 5, byte(LocalEnd), 2, 'a', 'b', 'c', 'd')
	b = appendMove(b, Out|orderFlag, 2, 4, 5, 4096, zigzag(8), 8)
	b = appendMove(b, Recv, 1, 2, 3, zigzag(4), zigzag(-5), 6, zigzag(-0x40), 16)
	want := []Move{
		{Kind: Alloc, Order: 7, Time: 1000, Site: 2, To: 0x100, Bytes: 64},
		{Kind: Copy, Order: 8, Time: 1000, Site: -1, From: 0x100, To: 0x140, Bytes: 8},
		{Kind: End, Order: 9, Time: 1000, Site: -1, Link: 5, Name: EndName{LocalEnd, "ab", "cd"}},
		{Kind: Out, Order: 12, Time: 1000, Site: 3, Link: 5, Offset: 4096, From: 0x108, Bytes: 8},
		{Kind: Recv, Order: 13, Time: 1000, Site: -1, To: 0x100, Bytes: 16, Message: Message{1, 2, 3, 4, -5, 6}},
	}
	var got []Move
	block := newBlock(b)
	for m, ok := block.next(); ok; m, ok = block.next() {
		got = append(got, m)
	}
	if diff := cmp.Diff(want, got); diff != "" || block.err != nil {
		t.Errorf("%v\n%s", block.err, diff)
	}
}

func FuzzBlock(f *testing.F) {
	f.Add(appendMove(nil, Copy, 0, 2, 4, 8))
	f.Add(append(appendMove(nil, Send, 1, 2, 3, 4, 5, 6, 7, 8), byte(End), 1, 1, 200))
	f.Fuzz(func(t *testing.T, data []byte) {
		block := newBlock(data)
		n := 0
		for _, ok := block.next(); ok; _, ok = block.next() {
			n++
		}
		if n > len(data) {
			t.Errorf("%d moves in %d bytes", n, len(data))
		}
		if block.err != nil && !errors.Is(block.err, ErrStream) {
			t.Errorf("%v wraps no ErrStream", block.err)
		}
	})
}

// Both ends of a connection name it alike, and what goes out of one comes into
// the other.
func TestEnds(t *testing.T) {
	a, b := links{host: "x"}, links{host: "x"}
	a.addEnd(&Move{Link: 1, Name: EndName{LocalEnd, "p", "q"}})
	b.addEnd(&Move{Link: 9, Name: EndName{LocalEnd, "q", "p"}})
	u, _ := a.endOf(1)
	v, _ := b.endOf(9)
	if u.connection != v.connection || u.upper == v.upper || u.channel(true) != v.channel(false) ||
		u.channel(false) != v.channel(true) {
		t.Errorf("%+v and %+v", u, v)
	}
	other := links{host: "y"}
	other.addEnd(&Move{Link: 1, Name: EndName{LocalEnd, "p", "q"}})
	if w, _ := other.endOf(1); w.connection == u.connection {
		t.Error("connections within two hosts are one")
	}
	if _, known := a.endOf(2); known {
		t.Error("an end without a name is known")
	}
}

// Where connections show most of what MPI sends, they are followed; elsewhere
// its messages are.
func TestWays(t *testing.T) {
	w := MergeSent(
		Sent{Ends: []EndBytes{{1, false, 0, 900}, {2, false, 0, 10}},
			Messages: []PairBytes{{0, 1, 1000}, {0, 2, 1000}}},
		Sent{Ends: []EndBytes{{1, true, 1, 100}}, Messages: []PairBytes{{1, 0, 1000}}},
	).Ways()
	if !w.joined[1] || w.joined[2] || w.Streams() != 1 {
		t.Errorf("connections %v", w.joined)
	}
	want := map[[2]int]bool{{0, 2}: true, {1, 0}: true}
	checktest.Equal(t, want, w.messages)
}

func TestNames(t *testing.T) {
	app := &model.Module{BuildID: "aa", Path: "/one/app"}
	std := &model.Module{BuildID: "bb", Path: "/usr/lib/libstdc++.so.6"}
	bare := &model.Module{Path: "/one/my lib.so"}
	n := NewNamer(1, func(f model.Frame) string {
		if f.Module == app && f.Offset < 0x20 {
			return "main app.c:3:5"
		}
		return ""
	})
	a := n.Name("malloc", []model.Frame{{Module: std, Offset: 1}, {Module: app, Offset: 0x10}})
	b := n.Name("malloc", []model.Frame{{Module: std, Offset: 2}, {Module: app, Offset: 0x18}})
	c := n.Name("malloc", []model.Frame{{Module: app, Offset: 0x30}})
	if a != b || a == c || a == n.Name("calloc", []model.Frame{{Module: app, Offset: 0x10}}) {
		t.Errorf("%q, %q, %q", a, b, c)
	}
	s, err := n.Book.Call(n.Name("memcpy", []model.Frame{{Module: bare, Offset: 0x77}, {Offset: 5}}))
	if err != nil || s.Function != "memcpy" || len(s.Stack) != 2 || s.Frames[0].Offset != 0x77 ||
		s.Frames[0].Module.Path != bare.Path ||
		s.Frames[0].Module.BuildID != "" || s.Stack[1].Module != nil {
		t.Errorf("%+v, %v", s, err)
	}
	checktest.Fails(n.Book.Call("never"))(t, ErrStream, "an unknown name")
}

// Calls of a Python program are named by its own innermost line, not by what mpi4py does there;
// several calls of extension modules on one line are told apart.
func TestPythonNames(t *testing.T) {
	numpy := &model.Module{BuildID: "aa", Path: "/np/_multiarray_umath.so"}
	mpi := &model.Module{BuildID: "bb", Path: "/MPI.so"}
	wrap := model.PythonModule("/usr/lib/python3/dist-packages/mpi4py/util/pkl5.py", "Intracomm.send")
	pack, main := model.PythonModule("/home/u/ring.py", "Ring.pack"), model.PythonModule("/home/u/app.py", "main")
	call := func(inner *model.Module, at, line uint64) []model.Frame {
		return []model.Frame{{Module: inner, Offset: at}, {Module: wrap, Offset: 7}, {Module: pack, Offset: line},
			{Module: numpy, Offset: 9}, {Module: main, Offset: 3}}
	}
	one, two := NewNamer(1, nil), NewNamer(2, nil)
	a, b := one.Name("memcpy", call(numpy, 1, 20)), one.Name("memcpy", call(mpi, 2, 20))
	if a == b || a != one.Name("memcpy", call(numpy, 1, 20)) ||
		a == one.Name("memcpy", call(numpy, 1, 21)) || a == two.Name("memcpy", call(numpy, 1, 20)) {
		t.Errorf("names %q, %q", a, b)
	}
	for _, n := range []*Namer{one, two} {
		c, err := n.Book.Call(n.Name("memcpy", call(numpy, 1, 20)))
		if err != nil || len(c.Stack) != 5 || c.Frames[0].Module.Path != pack.Path || c.Frames[0].Offset != 20 ||
			len(c.Frames) != n.Depth || c.Frames[n.Depth-1].Module.Path != []string{pack.Path, main.Path}[n.Depth-1] {
			t.Errorf("depth %d: %+v, %v", n.Depth, c, err)
		}
	}
	if InsideMPI(&model.Site{Partial: true, Stack: []model.Frame{{Module: pack, Offset: 1}}}) {
		t.Error("a line of Python alone is within an MPI call")
	}
	if !InsideMPI(&model.Site{Partial: true, Stack: []model.Frame{{Module: numpy, Offset: 1}}}) {
		t.Error("what is known of MPI_Init is not within an MPI call")
	}
}

// What an interpreter does for itself is told from what it does for the program.
func TestInterpreting(t *testing.T) {
	own := model.PythonModule("/home/u/app.py", "main")
	enum := model.PythonModule("/usr/lib/python3.11/enum.py", "_is_dunder")
	load := model.PythonModule("<frozen importlib._bootstrap>", "_find_and_load")
	numpy := &model.Module{Path: "/np/_multiarray_umath.so"}
	for _, c := range []struct {
		name          string
		interpreter   bool            // its code calls
		stack         []*model.Module // innermost first
		python, alone bool
	}{
		{"a line of the program", true, []*model.Module{own}, true, false},
		{"Python's own library", true, []*model.Module{enum, own}, true, true},
		{"an import", true, []*model.Module{own, load, own}, true, true},
		{"a module that is being imported calls numpy", false, []*model.Module{numpy, own, load, own}, true, false},
		{"numpy makes an object while a line of the program runs", true, []*model.Module{numpy, own}, true, false},
		{"numpy is being imported", true, []*model.Module{numpy, load, own}, true, false},
		{"no Python", false, []*model.Module{numpy}, false, false},
		{"nothing known", false, nil, false, false},
	} {
		s := &model.Site{Function: "mmap64", Interpreter: c.interpreter}
		for _, m := range c.stack {
			s.Stack = append(s.Stack, model.Frame{Module: m, Offset: 5})
		}
		if isInterpreterWork(s) != c.alone || isUnderPython(s) != c.python || isArena(s) != c.interpreter {
			t.Errorf("%s: for itself %v, under Python %v, arena %v", c.name, isInterpreterWork(s), isUnderPython(s), isArena(s))
		}
	}
}
