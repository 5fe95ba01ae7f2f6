package procfs

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"laggard/internal/musttest"
)

// TestReadFile reads files that end before, at and behind the end of the first buffer.
func TestReadFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, size := range []int{0, 1, 1023, 1024, 1025, 100_000} {
		want := bytes.Repeat([]byte{'a', 'b', 'c'}, size)[:size]
		musttest.Succeed(t, os.WriteFile(path, want, 0o600))
		if got, err := ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	for path, want := range map[string]error{"/proc/self/none": fs.ErrNotExist, "/proc/self": nil} {
		var at *fs.PathError
		if text, err := ReadFile(path); text != nil || !errors.As(err, &at) || at.Path != path || want != nil && !errors.Is(err, want) {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}
