package nodefile

import (
	"encoding/binary"
	"fmt"
	"strings"

	"laggard/model"
	"laggard/model/format"
)

// fileLockTexts returns the name of the process and the file in a FILELOCK record.
func fileLockTexts(fixed []byte) (command, file string, err error) {
	length, rest := int(binary.LittleEndian.Uint16(fixed[format.FilelockCommandLen:])), fixed[format.SizeofFilelockFixed:]
	if length > len(rest) {
		return "", "", fmt.Errorf("%w: a name of %d bytes in %d bytes", model.ErrCorrupt, length, len(rest))
	}
	valid := func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
	return valid(string(rest[:length])), valid(trimPadding(rest[length:])), nil
}

func decodeFileLock(rec record) *model.FileLock {
	le32, _ := wordReaders(rec.fixed)
	command, file, _ := fileLockTexts(rec.fixed)
	return &model.FileLock{Holder: int(le32(format.FilelockHolder)), Command: command, File: file}
}

// writeFileLock writes the FILELOCK record of a thread that has one.
func (w *slotWriter) writeFileLock(t *model.Thread) {
	l := t.FileLock
	if l == nil {
		return
	}
	w.checkRange("length of the name of a process", len(l.Command), 0, format.MaxCommand)
	w.checkRange("length of the name of a file", len(l.File), 0, format.MaxLocked)
	fixed := make(part, format.SizeofFilelockFixed)
	fixed.i32(format.FilelockHolder, l.Holder)
	fixed.u16(format.FilelockCommandLen, len(l.Command))
	w.writeRecord(format.FilelockRecord, t.Index, append(fixed, l.Command+l.File...), nil)
}
