package collect

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"laggard/model"
	"laggard/model/process"
)

// Show copies the files of a node, which stay in use, into the run directory.
func Show(live, dir string) error { return deliverAll(live, dir, false) }

// Withdraw removes what Show has copied.
func Withdraw(live, dir string) error {
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
	if _, err := os.Lstat(live); err == nil && !own(live) {
		return fmt.Errorf("%s belongs to another user, or is no directory", live)
	}
	return filepath.WalkDir(live, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		record, _ := filepath.Match(model.NodeFiles, d.Name())
		seen, _ := filepath.Match(process.SeenFiles, d.Name())
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
		return deliver(filepath.Join(live, name), filepath.Join(dir, name), final)
	})
	if err != nil {
		return fmt.Errorf("collect: %w", err)
	}
	return nil
}

// deliver copies a node file, or moves it if it is final. Readers see the old
// file or the new one. The lock makes sure that a copy of a file in use is never
// finished after the file was moved.
func deliver(from, to string, final bool) error {
	src, err := os.Open(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // somebody else has moved it
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
	if err := replaceBy(to, src); err != nil || !final {
		return err
	}
	return os.Remove(from)
}

// replaceBy puts a copy of an open file in the place of another.
func replaceBy(to string, src io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = io.Copy(tmp, src)
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), to)
}
