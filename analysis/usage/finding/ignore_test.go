package finding

import (
	"testing"

	"laggard/internal/checktest"
)

func TestIgnore(t *testing.T) {
	at := []SourcePlace{{"exchange", "/src/app/halo.c", 12}, {"main", "/src/app/main.c", 7}}
	for _, c := range []struct {
		text string
		want bool
	}{
		{"leak", true}, {"deadlock", false}, {"*", true},
		{"leak@halo.c", true}, {"leak@halo.c:12", true}, {"leak@halo.c:13", false}, {"leak@app/main.c:7", true},
		{"leak@alo.c", false}, {"leak@/src/app/halo.c", true}, {"deadlock@halo.c", false},
		{"leak@exchange()", true}, {"leak@other()", false}, {" *@main.c:7 ", true},
	} {
		i, err := ParseIgnore(c.text)
		checktest.ErrorIs(t, nil, err, c.text)
		checktest.Equal(t, c.want, i.Covers("leak", at), c.text, "covers the leak")
	}
	for _, bad := range []string{"", "leek", "leak@", "leak@a.c:x", "leak@a.c:0"} {
		checktest.Fails(ParseIgnore(bad))(t, ErrIgnore, bad)
	}
	list, err := ParseIgnores("# remark\nleak@a.c # known\n\n*@b.c:3\n")
	if err != nil || len(list) != 2 || list[1].Line != 3 {
		t.Errorf("%+v, %v", list, err)
	}
	if _, err := ParseIgnores("leak\nleek\n"); err == nil || err.Error()[:7] != "line 2:" {
		t.Errorf("the line is not named: %v", err)
	}
}
