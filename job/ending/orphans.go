package ending

import (
	"errors"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// OrphanReaper are the processes of a job whose parents have ended. They became children of this process, not of init.
type OrphanReaper struct {
	before   map[Process]bool // children of a program that became this one, which are not the job's
	launcher int              // its process number once those that end are waited for; 0: they are not
	over     chan struct{}
}

// AdoptOrphans has this process get such children. It is called before the launcher is started, and Watch after that.
func AdoptOrphans() *OrphanReaper {
	c := &OrphanReaper{before: map[Process]bool{}, over: make(chan struct{})}
	if any, _ := findChildren(); any {
		for pid, e := range readProcesses() {
			if e.stat.Parent == os.Getpid() && !startedChildren()[pid] {
				c.before[e.Process] = true
			}
		}
	}
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	return c
}

// StartReaping waits for those that end, as init does, until Stop. Where package os has no pidfd of the launcher, its children
// cannot be told from others, and init gets those again (kernels before 5.4).
func (c *OrphanReaper) StartReaping(launcher int) {
	if !startedChildren()[launcher] {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
		c.before[Process{}] = true
		return
	}
	c.launcher = launcher
	go c.reapUntilStopped()
}

func (c *OrphanReaper) reapUntilStopped() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	defer signal.Stop(ended)
	for {
		left := c.reapZombies() // those that ended before they were watched, too
		select {                // look once a second at most, however many end
		case <-time.After(time.Second):
		case <-c.over:
			return
		}
		if left {
			continue
		}
		select {
		case <-ended:
		case <-c.over:
			return
		}
	}
}

// reapZombies waits for the adopted processes that have ended, with a few system calls for each: to read all processes of a
// node costs more than a short job. It reports whether it stopped at a child that package os waits for, behind which there
// may be more.
func (c *OrphanReaper) reapZombies() (left bool) {
	for c != nil && c.launcher != 0 {
		_, pid := findChildren()
		if pid == 0 {
			return false
		}
		if pid == c.launcher || startedChildren()[pid] {
			return true
		}
		if got, err := unix.Wait4(pid, nil, unix.WNOHANG|unix.WALL, nil); err != nil || got != pid {
			return true // something else waits for it
		}
	}
	return false
}

// findChildren reports whether this process has children, and one that has ended and that nobody has waited for; 0: none.
func findChildren() (any bool, dead int) {
	var child unix.Siginfo
	switch err := unix.Waitid(unix.P_ALL, 0, &child, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil); err {
	case nil:
		return true, int(*(*int32)(unsafe.Add(unsafe.Pointer(&child), siPID)))
	case unix.ECHILD:
		return false, 0
	default: // a sandbox that does not tell
		return true, 0
	}
}

// siPID is where the kernel writes si_pid (siginfo_t of 64-bit processors), which package unix gives no name.
const siPID = 16

// Stop ends Watch.
func (c *OrphanReaper) Stop() { close(c.over) }

// isAdopted reports whether a child of this process is the job's, though nothing but its parent tells so. It may not be
// if there were children before: theirs may have been adopted as well.
func (c *OrphanReaper) isAdopted(e *entry) bool {
	return c != nil && e.stat.Parent == os.Getpid() && len(c.before) == 0 && !startedChildren()[e.PID] && !sameProgram(e.PID)
}

// startedChildren are the children that package os has started and still waits for. It holds a pidfd of each from its
// beginning to its end.
func startedChildren() map[int]bool {
	out := map[int]bool{}
	files, _ := os.ReadDir("/proc/self/fd")
	for _, file := range files {
		if kind, _ := os.Readlink("/proc/self/fd/" + file.Name()); !strings.Contains(kind, "pidfd") {
			continue
		}
		text, err := procfs.ReadFile("/proc/self/fdinfo/" + file.Name())
		if err != nil {
			continue
		}
		if _, after, ok := strings.Cut(string(text), "\nPid:"); ok {
			line, _, _ := strings.Cut(after, "\n")
			if pid, err := strconv.Atoi(strings.TrimSpace(line)); err == nil {
				out[pid] = true
			}
		}
	}
	return out
}

// isHelper reports whether a process is one of this program that looks after a job. Such processes end by themselves.
func isHelper(e *entry) bool { return strings.HasPrefix(e.stat.Name, HelperName) && sameProgram(e.PID) }

// HelperName begins the names of this program's processes that look after a job.
const HelperName = "laggard-"

// NameHelper gives this process the name of a helper.
func NameHelper(what string) error {
	return os.WriteFile("/proc/self/comm", []byte(HelperName+what), 0)
}

// sameProgram reports whether a process runs this program.
func sameProgram(pid int) bool {
	own, err1 := os.Stat("/proc/self/exe")
	its, err2 := os.Stat(procfs.Path(pid, "exe"))
	return errors.Join(err1, err2) == nil && os.SameFile(own, its)
}
