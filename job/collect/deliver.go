package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"laggard/internal/regular"
	"laggard/model/process"
	"laggard/model/runfiles"
)

// CopyFiles copies the files of a node, which stay in use, into the run directory.
func CopyFiles(live, dir string) error { return deliverAll(live, dir, false) }

// RemoveCopies removes what Show has copied.
func RemoveCopies(live, dir string) error {
	return eachFile(live, func(name string) error {
		err := os.Remove(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return err
	})
}

// eachFile calls f with the node files and the sightings below a directory, by name relative to it,
// until one fails. A directory that does not exist has none. What another user put in its place, in a directory
// that all may write to, is not read.
func eachFile(live string, f func(name string) error) error {
	if _, err := os.Lstat(live); err == nil && !isOwnDir(live) {
		return fmt.Errorf("%s belongs to another user, or is not a directory", live)
	}
	return filepath.WalkDir(live, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		record, _ := filepath.Match(runfiles.NodeFiles, d.Name())
		seen, _ := filepath.Match(process.ObservationFiles, d.Name())
		if !record && !seen || !d.Type().IsRegular() {
			return nil
		}
		name, err := filepath.Rel(live, path)
		if err != nil {
			return err
		}
		return f(name)
	})
}

// deliverAll copies the files of a node into the run directory, or moves them if
// they are final.
func deliverAll(live, dir string, final bool) error {
	err := eachFile(live, func(name string) error {
		if _, err := os.Stat(dir); err != nil {
			return err
		}
		return deliverFile(filepath.Join(live, name), filepath.Join(dir, name), final)
	})
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	return nil
}

// deliverFile copies a node file, or moves it if it is final. Readers see the old
// file or the new one. The lock makes sure that a copy of a file in use is never
// finished after the file was moved.
func deliverFile(from, to string, final bool) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // another process has moved it
	}
	if err != nil {
		return err
	}
	defer src.Close()
	if err := unix.Flock(int(src.Fd()), unix.LOCK_EX); err != nil {
		return fmt.Errorf("lock %s: %w", from, err)
	}
	if _, err := os.Stat(from); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	copied := regular.ReplaceFileBy(to, func(w io.Writer) error {
		_, err := io.Copy(w, src)
		return err
	})
	if copied != nil || !final {
		return copied
	}
	return os.Remove(from)
}
