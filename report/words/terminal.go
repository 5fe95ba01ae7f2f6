package words

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf8"
)

// Terminal returns a writer on which no text can drive a terminal: what is no printable
// character goes out as an escape, \u202e, which means the same in JSON. Lines and tabs
// stay. All that laggard prints goes through one, since names and paths in a run directory
// are of whoever wrote it, also where an error quotes them.
func Terminal(w io.Writer) io.Writer { return &terminal{w: w} }

type terminal struct {
	w    io.Writer
	rest []byte // the begin of a character whose end is to come
}

// Write implements io.Writer.
func (t *terminal) Write(p []byte) (int, error) {
	text := append(t.rest, p...)
	out := make([]byte, 0, len(text))
	for len(text) > 0 && utf8.FullRune(text) {
		r, n := utf8.DecodeRune(text)
		switch {
		case unicode.IsPrint(r) && (r != utf8.RuneError || n > 1), r == '\n', r == '\t':
			out = append(out, text[:n]...)
		case r == utf8.RuneError && n == 1:
			out = utf8.AppendRune(out, utf8.RuneError) // no text at all
		default:
			out = appendEscape(out, r)
		}
		text = text[n:]
	}
	t.rest = append([]byte(nil), text...)
	if _, err := t.w.Write(out); err != nil {
		return 0, err
	}
	return len(p), nil
}

// appendEscape writes a character as JSON does, in two halves where it must.
func appendEscape(out []byte, r rune) []byte {
	if r < 0x10000 {
		return fmt.Appendf(out, `\u%04x`, r)
	}
	r -= 0x10000
	return fmt.Appendf(out, `\u%04x\u%04x`, 0xd800+r>>10, 0xdc00+r&0x3ff)
}
