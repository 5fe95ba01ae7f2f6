package stopped

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
	"github.com/ulikunitz/xz"

	"laggard/internal/regular"
)

// packings are the forms in which core files are kept, by their first bytes.
var packings = []struct {
	magic  string
	unpack func(io.Reader) (io.Reader, error)
}{
	{"\x28\xb5\x2f\xfd", func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
	}},
	{"\x04\x22\x4d\x18", func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil }},
	{"\xfd7zXZ\x00", func(r io.Reader) (io.Reader, error) { return xz.NewReader(r) }},
	{"\x1f\x8b", func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) }},
}

// maxWindow is how far back a packed file may refer to, in bytes: that takes memory.
const maxWindow = 128 << 20

// elfType is where the type is in the header of an ELF file, core files having coreType.
const (
	elfType  = 16
	coreType = 4
)

// IsCore reports whether a file is a core file, packed or not, by its first bytes.
func IsCore(path string) bool {
	file, _, err := regular.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	in, err := unpackReader(file)
	if err != nil {
		return false
	}
	head := make([]byte, elfType+2)
	_, err = io.ReadFull(in, head)
	return err == nil && bytes.HasPrefix(head, []byte("\x7fELF")) && head[elfType] == coreType
}

// unpackReader is what is in a file, unpacked.
func unpackReader(file io.Reader) (io.Reader, error) {
	in := bufio.NewReaderSize(file, 1<<20)
	for _, p := range packings {
		if head, err := in.Peek(len(p.magic)); err == nil && string(head) == p.magic {
			return p.unpack(in)
		}
	}
	return in, nil
}

// openUnpacked opens a file. A packed one is unpacked to a file without a name, where zeros
// take no room.
func openUnpacked(path string) (*os.File, error) {
	file, _, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	in, err := unpackReader(file)
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if _, plain := in.(*bufio.Reader); plain {
		return file, nil
	}
	defer file.Close()
	out, err := os.CreateTemp("", "laggard-core-*")
	if err != nil {
		return nil, err
	}
	os.Remove(out.Name())
	if err := copySparse(out, in); err != nil {
		out.Close()
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// copySparse writes blocks that are not all zeros.
func copySparse(out *os.File, in io.Reader) error {
	block, zeros := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := int64(0); ; {
		n, err := io.ReadFull(in, block)
		if n > 0 && !bytes.Equal(block[:n], zeros[:n]) {
			if _, err := out.WriteAt(block[:n], at); err != nil {
				return err
			}
		}
		at += int64(n)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return out.Truncate(at)
		}
		if err != nil {
			return err
		}
	}
}
