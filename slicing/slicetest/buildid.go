package slicetest

import (
	"debug/elf"
	"encoding/hex"
	"fmt"
)

// noteHeader is the size of what precedes the build-id in its note: three words and the name GNU.
const noteHeader = 16

// BuildID returns the build-id of the ELF file at path, as in model.Module; "" if it has none.
func BuildID(path string) (string, error) {
	f, err := elf.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return "", nil
	}
	note, err := s.Data()
	if err != nil || len(note) < noteHeader {
		return "", fmt.Errorf("slicetest: %s: build-id: %v", path, err)
	}
	return hex.EncodeToString(note[noteHeader:]), nil
}
