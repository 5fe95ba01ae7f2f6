package nodefile

import (
	"bytes"
	"fmt"
	"strings"

	"laggard/model"
	"laggard/model/format"
)

// takeArguments splits the fixed part, in which each argument ends with a zero
// byte; what follows the last one is padding.
func (r *slotReader) takeArguments(rec record) error {
	if r.rank.Arguments != nil {
		return fmt.Errorf("%w: a second one in the slot", model.ErrCorrupt)
	}
	le32, _ := wordReaders(rec.fixed)
	n := le32(format.ArgumentsBytes)
	if n > format.MaxArguments || int(n) > len(rec.fixed)-format.SizeofArgumentsFixed {
		return fmt.Errorf("%w: %d bytes of arguments in %d", model.ErrCorrupt, n, len(rec.fixed)-format.SizeofArgumentsFixed)
	}
	text := rec.fixed[format.SizeofArgumentsFixed:][:n]
	r.rank.Arguments = []string{}
	for len(text) > 0 {
		arg, rest, _ := bytes.Cut(text, []byte{0})
		r.rank.Arguments = append(r.rank.Arguments, string(arg))
		text = rest
	}
	return nil
}

// trimPadding is a text without the zero bytes behind it.
func trimPadding(text []byte) string { return strings.TrimRight(string(text), "\x00") }

// writeArguments writes the ARGUMENTS record.
func (w *slotWriter) writeArguments(r *model.Rank) {
	if r.Arguments == nil {
		return
	}
	fixed := make(part, format.SizeofArgumentsFixed)
	for _, a := range r.Arguments {
		fixed = append(append(fixed, a...), 0)
	}
	n := len(fixed) - format.SizeofArgumentsFixed
	w.checkRange("bytes of the arguments", n, 0, format.MaxArguments)
	fixed.i32(format.ArgumentsBytes, n)
	w.writeRecord(format.ArgumentsRecord, 0, fixed, nil)
}
