package values

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func named(name, value string) Value { return Value{Name: name, Value: value} }

func TestIn(t *testing.T) {
	r := Rank{
		Frames: []Frame{
			{Function: "inner", File: "a.c", Values: []Value{
				named("n", "1"), named("n", "2"), named("m->n", "3"), named("g.part.id", "4"), named("done_", "true"), named("i", "5"),
			}},
			{Function: "outer", File: "a.c", Values: []Value{named("n", "7")}},
			{Function: "halo", File: "b.F90", Values: []Value{named("nx", "8"), named("g%rows%hi", "9"), named("me", "10")}},
		},
		Static: map[string][]Value{"a.c": {named("n", "11"), named("total", "12")}},
	}
	tests := []struct{ function, file, text, want string }{
		{"inner", "a.c", "if (n > total) return;", "n=1 total=12"},
		{"outer", "a.c", "n++;", "n=7"},
		{"nobody", "a.c", "n++;", ""},
		{"inner", "b.c", "n++;", ""},
		{"inner", "a.c", "m->n = m -> n + 1;", "m->n=3"},
		{"inner", "a.c", "this->done_ || this -> i", "done_=true i=5"},
		{"inner", "a.c", "other->done_ + wthis->i + ns::n + x.n + x . n", ""},
		{"inner", "a.c", "g.part.id[0] + g . part . id", "g.part.id=4"},
		{"inner", "a.c", "g.part.idx + nn + n2 + _n", ""},
		{"inner", "a.c", `puts("n"); c = 'n'; /* n */ n`, ""},
		{"inner", "a.c", `puts("\"n"); n = '"'; // i`, "n=1"},
		{"inner", "a.c", "N + I", ""},
		{"halo", "b.F90", "if (.not. G % Rows%HI > 0 .or. ME == 2) then ! nx", "g%rows%hi=9 me=10"},
		{"halo", "b.F90", "print *, 'me', x%nx", ""},
	}
	for _, test := range tests {
		var got []string
		if f := r.FrameOf(test.function, test.file); f != nil {
			for _, v := range r.ValuesInLine(f, test.text) {
				got = append(got, v.Name+"="+v.Value)
			}
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s, %s: %s: got %q, want %q", test.function, test.file, test.text, text, test.want)
		}
	}
}

// TestRecursion: of a function that called itself it is not known which call is asked about.
func TestRecursion(t *testing.T) {
	r := Rank{Frames: []Frame{{Function: "f", File: "a.c"}, {Function: "f", File: "b.c"}, {Function: "f", File: "a.c"}}}
	checktest.Equal(t, nil, r.FrameOf("f", "a.c"))
	checktest.Equal(t, &r.Frames[1], r.FrameOf("f", "b.c"))
	r = Rank{Frames: []Frame{{Function: "main", File: "a.f90", Line: 3}, {Function: "main", File: "a.f90", Line: 9}}}
	checktest.Equal(t, &r.Frames[0], r.FrameOf("main", "a.f90"))
}

// TestUnknownLocal: a variable of the function hides one outside of functions, also where it has no value.
func TestUnknownLocal(t *testing.T) {
	r := Rank{
		Frames: []Frame{{File: "a.c", Values: []Value{named("k", "1")}, Unknown: []string{"n", "g"}}},
		Static: map[string][]Value{"a.c": {named("n", "2"), named("g.n", "3"), {Name: "m", Value: "4", Shared: true}}},
	}
	want := []Value{{Name: "m", Value: "4", Shared: true}, named("k", "1")}
	checktest.Equal(t, want, r.ValuesInLine(&r.Frames[0], "n + g.n + m + k"))
}

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	second := []Rank{{Rank: 2, Frames: []Frame{{Function: "f", File: "x.c", Line: 3, Values: []Value{named("n", "1")}}}}}
	first := []Rank{{Rank: 1, Static: map[string][]Value{"x.c": {named("s", "null")}}}}
	for host, ranks := range map[string][]Rank{"b": second, "a": first} {
		musttest.Succeed(t, Write(dir, host, ranks))
	}
	for name, text := range map[string]string{"values-c.json": "{", "values-d.json": `{"schema_version": 9}`} {
		musttest.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	got, problems := Read(dir)
	checktest.Equal(t, append(first, second...), got)
	if len(problems) != 2 || !strings.Contains(fmt.Sprint(problems), "values-c.json: bad file of values") {
		t.Errorf("problems: %v", problems)
	}
}

// FuzzParse: whatever is read, names are looked for in any line.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"schema_version":1,"ranks":[{"rank":0,"frames":[{"function":"f","file":"a.f90",`+
		`"values":[{"name":"g%n","value":"1"}]}],"static":{"a.f90":[{"name":"","value":""}]}}]}`), "g % n = n ! x")
	f.Add([]byte(`{"schema_version":1}`), `"`)
	f.Fuzz(func(t *testing.T, text []byte, line string) {
		file, err := Parse(text)
		if err != nil {
			return
		}
		for _, r := range file.Ranks {
			for i := range r.Frames {
				if got := r.ValuesInLine(&r.Frames[i], line); len(got) > len(line) {
					t.Fatalf("%d names in a line of %d characters", len(got), len(line))
				}
			}
		}
	})
}
