package regular

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

func writeSized(t *testing.T, path string, bytes int64) {
	t.Helper()
	file, err := os.Create(path)
	if err == nil {
		err = errors.Join(file.Truncate(bytes), file.Close())
	}
	musttest.Succeed(t, err)
}

func mustSymlink(t *testing.T, to, path string) {
	t.Helper()
	musttest.Succeed(t, os.Symlink(to, path))
}

// TestRefused: pipes, devices, directories, links that lead elsewhere and files that are
// too long are refused at once.
func TestRefused(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	writeSized(t, filepath.Join(outside, "key"), 10)
	writeSized(t, filepath.Join(dir, "file"), 10)
	writeSized(t, filepath.Join(dir, "sparse"), 16<<30)
	pipe, sub := filepath.Join(dir, "pipe"), filepath.Join(dir, "sub")
	musttest.Succeed(t, errors.Join(syscall.Mkfifo(pipe, 0o600), os.Mkdir(sub, 0o700)))
	mustSymlink(t, "/dev/zero", filepath.Join(dir, "zero"))
	mustSymlink(t, "pipe", filepath.Join(dir, "to-pipe"))
	mustSymlink(t, "file", filepath.Join(dir, "to-file"))
	mustSymlink(t, filepath.Join(outside, "key"), filepath.Join(dir, "to-key"))
	mustSymlink(t, "../"+filepath.Base(outside)+"/key", filepath.Join(dir, "up"))
	mustSymlink(t, outside, filepath.Join(dir, "to-outside"))

	begin := time.Now()
	for name, want := range map[string]error{
		"file": nil, "to-file": nil, "pipe": ErrNotRegular, "to-pipe": ErrNotRegular, "zero": ErrNotRegular, "sub": ErrNotRegular,
		"none": fs.ErrNotExist,
	} {
		file, _, err := Open(filepath.Join(dir, name))
		checktest.ErrorIs(t, want, err, "Open", name)
		file.Close()
	}
	for name, ok := range map[string]bool{
		"file": true, "to-file": true, "sub/../file": true, "pipe": false, "zero": false, "to-key": false, "up": false,
		"to-outside/key": false, "../" + filepath.Base(outside) + "/key": false,
	} {
		file, _, err := OpenBeneath(dir, name)
		if (err == nil) != ok {
			t.Errorf("OpenBeneath %s: %v", name, err)
		}
		file.Close()
	}
	for name, want := range map[string]error{"file": nil, "sparse": ErrTooLong, "pipe": ErrNotRegular, "zero": ErrNotRegular} {
		if data, err := Read(filepath.Join(dir, name), 1<<20); !errors.Is(err, want) || err == nil && len(data) != 10 {
			t.Errorf("Read %s: %d bytes, %v, want %v", name, len(data), err, want)
		}
	}
	if _, err := Read("/proc/self/maps", 16); !errors.Is(err, ErrTooLong) { // its size is 0
		t.Errorf("Read of a file that is longer than it says: %v", err)
	}
	if took := time.Since(begin); took > 5*time.Second {
		t.Errorf("it took %s", took)
	}
}

// TestReplace: a file that is replaced can be read by its owner alone, or by all users.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	for _, c := range []struct {
		replace func(string, []byte) error
		mode    fs.FileMode
	}{{ReplaceFile, 0o600}, {ReplacePublicFile, 0o644}} {
		musttest.Succeed(t, c.replace(path, []byte("text")))
		info := musttest.Get(os.Stat(path))(t)
		checktest.Equal(t, c.mode, info.Mode().Perm(), "mode")
	}
}
