package procfs

import (
	"errors"
	"io/fs"

	"golang.org/x/sys/unix"
)

// ReadFile reads a file of /proc as os.ReadFile does, with a third of its system calls: os tries to have the kernel tell when a
// file can be read, which those of /proc refuse.
func ReadFile(path string) ([]byte, error) {
	fd, err := retry(func() (int, error) { return unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	text := make([]byte, 0, 1024)
	for {
		n, err := retry(func() (int, error) { return unix.Read(fd, text[len(text):cap(text)]) })
		if err != nil {
			return nil, &fs.PathError{Op: "read", Path: path, Err: err}
		}
		if n == 0 {
			return text, nil
		}
		if text = text[:len(text)+n]; len(text) == cap(text) {
			text = append(text, 0)[:len(text)]
		}
	}
}

// retry makes a system call until no signal interrupts it.
func retry(call func() (int, error)) (n int, err error) {
	for n, err = call(); errors.Is(err, unix.EINTR); n, err = call() {
	}
	return n, err
}
