package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrNotRegular is wrapped by the error about what is not a regular file.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLong is wrapped by the error about a file that is longer than its reader allows.
var ErrTooLong = errors.New("too long")

// Opening a pipe must not wait for a writer.
const flags = os.O_RDONLY | syscall.O_NONBLOCK

// Open opens a file for reading. The caller closes it. Errors wrap ErrNot, or are those
// of os.Open.
func Open(path string) (*os.File, fs.FileInfo, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() { // opening some devices does something
		return nil, nil, notRegular(path)
	}
	return checkOpened(os.OpenFile(path, flags, 0))
}

// OpenBeneath opens a file of a directory as Open does. Links are followed that stay in
// the directory.
func OpenBeneath(dir, name string) (*os.File, fs.FileInfo, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, err
	}
	defer root.Close()
	if info, err := root.Stat(name); err == nil && !info.Mode().IsRegular() {
		return nil, nil, notRegular(filepath.Join(dir, name))
	}
	return checkOpened(root.OpenFile(name, flags, 0))
}

// Read returns what is in a file of at most limit bytes. Errors wrap ErrNot or ErrLong,
// or are those of os.ReadFile.
func Read(path string, limit int64) ([]byte, error) {
	file, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data := []byte(nil)
	if info.Size() <= limit {
		data, err = io.ReadAll(io.LimitReader(file, limit+1))
	}
	if info.Size() > limit || int64(len(data)) > limit {
		return nil, fmt.Errorf("%s: %w: more than %d bytes", path, ErrTooLong, limit)
	}
	return data, err
}

// checkOpened looks again at what was opened: it may be another file than before.
func checkOpened(file *os.File, err error) (*os.File, fs.FileInfo, error) {
	if err != nil {
		return nil, nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = notRegular(file.Name())
	}
	if err != nil {
		file.Close()
		return nil, nil, err
	}
	return file, info, nil
}

func notRegular(path string) error { return fmt.Errorf("%s: %w", path, ErrNotRegular) }

// ReplaceFile writes a file for its owner alone, in the place of an earlier one. Whoever reads it meanwhile sees
// the old file or the new one.
func ReplaceFile(path string, data []byte) error {
	return ReplaceFileBy(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplacePublicFile does the same with a file that all users may read.
func ReplacePublicFile(path string, data []byte) error {
	return replaceFile(path, 0o644, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceFileBy is ReplaceFile with what write writes. An error of write leaves the old file.
func ReplaceFileBy(path string, write func(io.Writer) error) error {
	return replaceFile(path, 0o600, write)
}

func replaceFile(path string, mode fs.FileMode, write func(io.Writer) error) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".laggard-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name()) // gone already, if all went well
	if err = errors.Join(write(tmp), tmp.Chmod(mode), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// WriteNew writes a file that must not exist; no link is followed. Whoever sees
// the file sees all of it: it gets its name once it is written.
func WriteNew(path string, data []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	err = os.Link(file.Name(), path)
	if err != nil && !errors.Is(err, fs.ErrExist) { // a file system without hard links
		err = unix.Renameat2(unix.AT_FDCWD, file.Name(), unix.AT_FDCWD, path, unix.RENAME_NOREPLACE)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return nil
}
