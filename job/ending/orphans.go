package ending

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"laggard/internal/procfs"

	"golang.org/x/sys/unix"
)

// OrphanReaper are the processes of a job whose parents have ended. They became children of this process, not of init.
type OrphanReaper struct {
	before map[Process]bool // children of a program that became this one, which are not the job's
	over   chan struct{}
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
	go c.reapUntilStopped()
}

func (c *OrphanReaper) reapUntilStopped() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	defer signal.Stop(ended)
	for {
		if _, dead := findChildren(); dead { // those that ended before they were watched, too
			reapZombies(readProcesses())
		}
		select { // look once a second at most, however many end
		case <-time.After(time.Second):
		case <-c.over:
			return
		}
		select {
		case <-ended:
		case <-c.over:
			return
		}
	}
}

// findChildren reports whether this process has children, and whether one has ended that nobody has waited for. It costs one
// system call, where to read all processes costs some for each.
func findChildren() (any, dead bool) {
	var child unix.Siginfo
	switch err := unix.Waitid(unix.P_ALL, 0, &child, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT|unix.WALL, nil); err {
	case nil:
		return true, child.Signo != 0
	case unix.ECHILD:
		return false, false
	default: // a kernel or a sandbox that does not tell
		return true, true
	}
}

// Stop ends Watch.
func (c *OrphanReaper) Stop() { close(c.over) }

// isAdopted reports whether a child of this process is the job's, though nothing but its parent tells so. It may not be
// if there were children before: theirs may have been adopted as well.
func (c *OrphanReaper) isAdopted(e *entry) bool {
	return c != nil && e.stat.Parent == os.Getpid() && len(c.before) == 0 && !startedChildren()[e.PID] && !sameProgram(e.PID)
}

// reapZombies waits for the adopted processes that have ended.
func reapZombies(all map[int]*entry) {
	var own map[int]bool
	for pid, e := range all {
		if e.stat.Parent != os.Getpid() || e.stat.State != 'Z' {
			continue
		}
		if own == nil {
			own = startedChildren()
		}
		if !own[pid] {
			_, _ = unix.Wait4(pid, nil, unix.WNOHANG, nil)
		}
	}
}

// startedChildren are the children that package os has started and still waits for. It holds a pidfd of each from its
// beginning to its end.
func startedChildren() map[int]bool {
	out := map[int]bool{}
	files, _ := filepath.Glob("/proc/self/fdinfo/*")
	for _, file := range files {
		text, err := procfs.ReadFile(file)
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
