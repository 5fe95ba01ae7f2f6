package stopped

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Errors that say why a process cannot be read.
var (
	ErrGone    = errors.New("the process has ended")
	ErrForbids = errors.New("the system forbids reading the process")
)

// Process is a living process.
type Process struct {
	Image
	tasks string // /proc/PID/task
	// Holds are the times for which its threads were held, so far.
	Holds Holds
}

// Open reads what is mapped where, and the environment; the threads come with Look.
// Errors wrap ErrGone or ErrForbids.
func Open(pid int) (*Process, error) {
	p := &Process{tasks: proc(pid, "task")}
	p.PID, p.Memory, p.Machine = pid, memory(pid), Native()
	if p.Machine == nil {
		return nil, fmt.Errorf("process %d: %w", pid, errors.ErrUnsupported)
	}
	if err := p.Refresh(); err != nil {
		return nil, err
	}
	environ, err := os.ReadFile(proc(pid, "environ"))
	if err != nil {
		return nil, reason(pid, err)
	}
	p.Environ = strings.Split(strings.TrimRight(string(environ), "\x00"), "\x00")
	p.Program, _ = os.Readlink(proc(pid, "exe"))
	return p, nil
}

// Refresh reads anew what is mapped where.
func (p *Process) Refresh() error {
	text, err := os.ReadFile(proc(p.PID, "maps"))
	if err == nil && len(text) == 0 {
		err = ErrGone // a zombie
	}
	if err != nil {
		return reason(p.PID, err)
	}
	p.Maps, err = readMaps(bytes.NewReader(text))
	return err
}

func proc(pid int, name string) string { return filepath.Join("/proc", strconv.Itoa(pid), name) }

// reason says what an error of the system means.
func reason(pid int, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, unix.ESRCH), errors.Is(err, ErrGone):
		return fmt.Errorf("process %d: %w", pid, ErrGone)
	case errors.Is(err, os.ErrPermission), errors.Is(err, unix.EPERM):
		return fmt.Errorf("process %d: %w: %w", pid, ErrForbids, err)
	}
	return fmt.Errorf("process %d: %w", pid, err)
}

// readMaps reads lines such as "7f00-7f80 r-xp 00001000 08:02 135 /usr/lib/libc.so.6".
func readMaps(text io.Reader) ([]Mapping, error) {
	var out []Mapping
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		head, path, _ := strings.Cut(lines.Text(), "/")
		if path != "" {
			path = "/" + strings.TrimSuffix(path, " (deleted)")
		}
		f := strings.Fields(head)
		if len(f) < 5 {
			return nil, fmt.Errorf("a line of maps cannot be read: %.80q", lines.Text())
		}
		if len(f) > 5 {
			path = f[5]
		}
		lo, hi, _ := strings.Cut(f[0], "-")
		m := Mapping{Path: path, Executable: strings.Contains(f[1], "x"), Writable: strings.Contains(f[1], "w")}
		var errs [3]error
		m.Lo, errs[0] = strconv.ParseUint(lo, 16, 64)
		m.Hi, errs[1] = strconv.ParseUint(hi, 16, 64)
		m.Offset, errs[2] = strconv.ParseUint(f[2], 16, 64)
		if err := errors.Join(errs[:]...); err != nil || m.Hi <= m.Lo {
			return nil, fmt.Errorf("a line of maps cannot be read: %.80q", lines.Text())
		}
		out = append(out, m)
	}
	return out, lines.Err()
}

// memory reads that of a process by way of the kernel, which copies it while the
// process runs.
type memory int

// ReadAt reads all of b, or gives an error.
func (m memory) ReadAt(b []byte, address int64) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	to := []unix.Iovec{{Base: &b[0]}}
	to[0].SetLen(len(b))
	n, err := unix.ProcessVMReadv(int(m), to, []unix.RemoteIovec{{Base: uintptr(address), Len: len(b)}}, 0)
	if err == nil && n < len(b) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return max(n, 0), fmt.Errorf("read %#x of process %d: %w", uint64(address), int(m), err)
	}
	return n, nil
}

// maxThreads bounds the threads of a process that are looked at, the first ones.
const maxThreads = 256

// TIDs are the threads that the process has now, the first one first.
func (p *Process) TIDs() ([]int, error) {
	entries, err := os.ReadDir(p.tasks)
	if err != nil {
		return nil, reason(p.PID, err)
	}
	var out []int
	for _, e := range entries {
		if tid, err := strconv.Atoi(e.Name()); err == nil {
			out = append(out, tid)
		}
	}
	slices.Sort(out)
	if i := slices.Index(out, p.PID); i > 0 {
		out = slices.Insert(slices.Delete(out, i, i+1), 0, p.PID)
	}
	return out[:min(len(out), maxThreads)], nil
}
