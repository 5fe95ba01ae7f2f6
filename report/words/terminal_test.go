package words

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// TestTerminal: whatever is written, in whatever pieces, no character drives a terminal,
// and a text in JSON means what it meant.
func TestTerminal(t *testing.T) {
	hostile := "a\x1b[2J\x07\x00\u009b31m\u202e\u2066\u2028\u200b\ufeff\U000e0041é🙂\ttab\r\nend \x9b\xff"
	for size := 1; size < 9; size++ {
		var b strings.Builder
		w := Terminal(&b)
		for text := hostile; text != ""; {
			n := min(size, len(text))
			musttest.Equal(t, n, musttest.Get(w.Write([]byte(text[:n])))(t))
			text = text[n:]
		}
		want := `a\u001b[2J\u0007\u0000\u009b31m\u202e\u2066\u2028\u200b\ufeff\udb40\udc41é🙂` + "\ttab" + `\u000d` +
			"\nend \uFFFD\uFFFD"
		checktest.Equal(t, want, b.String(), "in pieces of", size)
		drives := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' && r != '\t' }
		if i := strings.IndexFunc(b.String(), drives); i >= 0 {
			t.Errorf("in pieces of %d: %q at %d", size, b.String()[i:], i)
		}
	}
	name := "x\u0085\u202e\U000e0041y"
	text := musttest.Get(json.Marshal(name))(t)
	var b strings.Builder
	musttest.Get(Terminal(&b).Write(text))(t)
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != name {
		t.Errorf("%q came back from %s as %q, %v", name, b.String(), back, err)
	}
}
