package symbol

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
)

// TestNames: what was written resolves, with and without an address.
func TestNames(t *testing.T) {
	n, dir := &Names{}, t.TempDir()
	module := &model.Module{BuildID: "abcd", Path: "/nowhere/app"}
	addressed := model.Frame{Module: module, Offset: 0x1234}
	n.Add(addressed, []NamedCall{{Function: "_ZN2ns1fEi", File: "a.cc", Line: 7}})
	n.Add(addressed, []NamedCall{{Function: "late"}})
	inlined := n.NewFrame("/nowhere/lib.so",
		[]NamedCall{{Function: "inner", File: "b.c", Line: 1}, {Function: "outer", File: "b.c", Line: 9}})
	musttest.Succeed(t, n.Write(dir))
	r := New(Config{RunDir: dir})
	defer r.Close()
	for _, c := range []struct {
		frame model.Frame
		want  []Call
	}{
		{addressed, []Call{{"ns::f", "ns::f(int)", "a.cc", 7, false}}},
		{inlined, []Call{{"inner", "inner", "b.c", 1, false}, {"outer", "outer", "b.c", 9, false}}},
	} {
		got := r.Resolve(c.frame, true)
		if diff := cmp.Diff(c.want, got.Calls()); diff != "" || !got.Exact || got.Module != c.frame.Module.Path {
			t.Errorf("%+v (-want +got):\n%s", got, diff)
		}
	}
	if !HasOnlyName(inlined) || HasOnlyName(addressed) {
		t.Error("which frames have a name only?")
	}
	unknown := inlined
	unknown.Offset = 99
	if got := r.Resolve(unknown, true); got.Function != "" || !strings.Contains(got.Note, NamesFile) {
		t.Errorf("a frame without a name: %+v", got)
	}
}

func TestBadNames(t *testing.T) {
	for _, text := range []string{"", "[]", `{"schema_version": 2}`,
		`{"schema_version": 1, "names": [{"offset": "x"}]}`, `{"names": `} {
		dir := t.TempDir()
		musttest.Succeed(t, os.WriteFile(filepath.Join(dir, NamesFile), []byte(text), 0o600))
		n, err := ReadNames(dir)
		if !errors.Is(err, ErrNames) || n.Len() != 0 {
			t.Errorf("%q: %d names, %v", text, n.Len(), err)
		}
		r := New(Config{RunDir: dir})
		frame := (&Names{}).NewFrame("app", nil)
		if got := r.Resolve(frame, true); got.Note == "" {
			t.Errorf("%q: the frame says nothing of it", text)
		}
		r.Close()
	}
	checktest.Equal(t, 0, musttest.Get(ReadNames(t.TempDir()))(t).Len(), "names of no file")
}

// FuzzNames: any text is a table of names or an error, and each name that is in it can be
// asked for, and comes back when it is written.
func FuzzNames(f *testing.F) {
	for _, text := range []string{
		`{"schema_version": 1, "names": []}`,
		`{"schema_version": 1, "names": [{"build_id": "ab", "module": "/x", "offset": "0x10",
			"calls": [{"function": "_ZN2ns1fEi", "file": "a.cc", "line": 7}, {"function": "g"}]}]}`,
		`{"schema_version": 1, "names": [{"module": "app", "offset": "ffffffffffffffff", "calls": [{"line": -1}]}]}`,
		`{"schema_version": 2}`, `[`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		n := &Names{}
		if n.parse(text) != nil {
			return
		}
		for key := range n.at {
			frame := model.Frame{Module: &model.Module{BuildID: key.buildID, Path: key.path}, Offset: key.offset}
			if l, known := n.Lookup(frame); known && len(l.Calls()) == 0 {
				t.Errorf("%+v has no calls", key)
			}
		}
		dir := t.TempDir()
		musttest.Succeed(t, n.Write(dir))
		checktest.Equal(t, n.Len(), musttest.Get(ReadNames(dir))(t).Len(), "names that came back")
	})
}
