package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// formatVersion is that of every file of this package. See docs/development/scaling.md.
const formatVersion = 2

const (
	maxFile = 1 << 30 // bytes that a decoder takes
	maxHead = 100     // bytes of the first line
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// headLine is the first line of a file.
func headLine(kind string, body []byte) string {
	return fmt.Sprintf("%s %d %d %08x\n", kind, formatVersion, len(body), crc32.Checksum(body, castagnoli))
}

// Encode writes a line with kind, version, length and checksum, then JSON.
func Encode(kind string, v any) ([]byte, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("scaling: %s: %w", kind, err)
	}
	return append([]byte(headLine(kind, body)), body...), nil
}

// Decode reads what encode wrote and nothing else: no unknown field, no byte
// more or less.
func Decode(kind string, data []byte, v any) error {
	body, err := checkedBody(kind, data)
	if err != nil {
		return fmt.Errorf("scaling: %s: %w", kind, err)
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		return fmt.Errorf("scaling: %s: %v: %w", kind, err, ErrCorrupt)
	}
	if _, err := d.Token(); err != io.EOF {
		return fmt.Errorf("scaling: %s: bytes after the end: %w", kind, ErrCorrupt)
	}
	return nil
}

// checkedBody checks the first line and gives what follows it.
func checkedBody(kind string, data []byte) ([]byte, error) {
	if len(data) > maxFile {
		return nil, fmt.Errorf("%d bytes: %w", len(data), ErrSize)
	}
	line, _, found := bytes.Cut(data[:min(len(data), maxHead)], []byte("\n"))
	var name string
	var version, length int
	var checksum uint32
	n, _ := fmt.Sscanf(string(line), "%s %d %d %x", &name, &version, &length, &checksum)
	if !found || n < 2 || name != kind {
		return nil, ErrKind
	}
	if version != formatVersion {
		return nil, fmt.Errorf("version %d: %w", version, ErrVersion)
	}
	body := data[len(line)+1:]
	switch {
	case n < 4 || len(body) != length:
		return nil, fmt.Errorf("%d of %d bytes: %w", len(body), length, ErrCorrupt)
	case crc32.Checksum(body, castagnoli) != checksum:
		return nil, ErrChecksum
	case string(line)+"\n" != headLine(kind, body):
		return nil, fmt.Errorf("first line: %w", ErrCorrupt)
	}
	return body, nil
}

// Corrupt makes an error that wraps ErrCorrupt.
func Corrupt(format string, args ...any) error {
	return fmt.Errorf(format+": %w", append(args, ErrCorrupt)...)
}

// The errors of Decode wrap one of these: the bytes are not what Encode writes.
var (
	ErrKind     = errors.New("not a file of this kind")
	ErrVersion  = errors.New("written in another version of the format")
	ErrChecksum = errors.New("checksum mismatch")
	ErrCorrupt  = errors.New("impossible value")
	ErrSize     = errors.New("too large")
)
