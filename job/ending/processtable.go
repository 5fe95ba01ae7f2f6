package ending

import (
	"fmt"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// Process is a process that is told from others which have had its number.
type Process struct {
	PID   int
	Start uint64 // in the kernel's ticks since boot
}

// Identify returns a process of that number; the zero Process if there is none.
func Identify(pid int) Process {
	if e, ok := readProcess(pid); ok {
		return e.Process
	}
	return Process{}
}

// String has the form that Parse reads.
func (p Process) String() string { return fmt.Sprintf("%d:%d", p.PID, p.Start) }

// ParseProcess reads what String wrote.
func ParseProcess(text string) (p Process, err error) {
	if _, err = fmt.Sscanf(text, "%d:%d", &p.PID, &p.Start); err != nil {
		err = fmt.Errorf("process %q: want PID:START: %w", text, err)
	}
	return p, err
}

// entry is a process as the kernel shows it.
type entry struct {
	Process
	stat procfs.Stat
}

// isDead reports whether nothing of a process runs: other threads may outlive its first one, which is then a zombie.
func (e *entry) isDead() bool {
	return e.stat.State == 'X' || e.stat.State == 'Z' && e.stat.Threads <= 1
}

// readProcess reads one process.
func readProcess(pid int) (entry, bool) {
	s, err := procfs.ReadStat(pid)
	return entry{Process{pid, s.Start}, s}, err == nil
}

// readProcesses reads all processes that can be seen.
func readProcesses() map[int]*entry {
	out := map[int]*entry{}
	for _, pid := range procfs.PIDs() {
		if e, ok := readProcess(pid); ok {
			out[pid] = &e
		}
	}
	return out
}

// sendSignal sends a signal to a process, unless another has its number by now.
func (p Process) sendSignal(s unix.Signal) error {
	fd, err := unix.PidfdOpen(p.PID, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if Identify(p.PID) != p {
		return unix.ESRCH
	}
	if err != nil { // a kernel before 5.3
		return unix.Kill(p.PID, s)
	}
	return unix.PidfdSendSignal(fd, s, nil, 0)
}
