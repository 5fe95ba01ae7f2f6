package stopped

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"laggard/binary/processor"
	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// Errors that say why a process cannot be read.
var (
	ErrGone      = errors.New("the process has ended")
	ErrForbidden = errors.New("the system does not permit reading the process")
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
	p := &Process{tasks: procfs.Path(pid, "task")}
	p.PID, p.Memory, p.Machine = pid, memory(pid), processor.Native()
	if p.Machine == nil {
		return nil, fmt.Errorf("process %d: %w", pid, errors.ErrUnsupported)
	}
	if err := p.RefreshMaps(); err != nil {
		return nil, err
	}
	environ, err := os.ReadFile(procfs.Path(pid, "environ"))
	if err != nil {
		return nil, classifyError(pid, err)
	}
	p.Environ = strings.Split(strings.TrimRight(string(environ), "\x00"), "\x00")
	p.Program, _ = os.Readlink(procfs.Path(pid, "exe"))
	return p, nil
}

// RefreshMaps reads anew what is mapped where.
func (p *Process) RefreshMaps() error {
	maps, err := procfs.ReadMaps(p.PID)
	if err == nil && len(maps) == 0 {
		err = ErrGone // a zombie
	}
	if err != nil {
		return classifyError(p.PID, err)
	}
	p.Maps = maps
	return nil
}

// classifyError says what an error of the system means.
func classifyError(pid int, err error) error {
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, unix.ESRCH), errors.Is(err, ErrGone):
		return fmt.Errorf("process %d: %w", pid, ErrGone)
	case errors.Is(err, os.ErrPermission), errors.Is(err, unix.EPERM):
		return fmt.Errorf("process %d: %w: %w", pid, ErrForbidden, err)
	}
	return fmt.Errorf("process %d: %w", pid, err)
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
		return nil, classifyError(p.PID, err)
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
