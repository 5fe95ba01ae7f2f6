package injector

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"

	"laggard/injector/ptrace"
)

// Attach injects a fault into a process that runs already: at the n-th entry
// from now on. The process must not be a child that the caller waits for. It
// returns when the fault has taken effect, or the process has
// ended, or, for a slow-down, when it ends. The report says which.
func Attach(pid int, s Strike) (Report, error) {
	var report Report
	err := alone(func() error {
		p, err := ptrace.Attach(pid)
		if err != nil {
			return err
		}
		return carryOut(p, s, func(r Report) error { report = r; return nil })
	})
	return report, err
}

// AttachProfile counts, in a process that runs already, the entries from now on
// until it ends.
func AttachProfile(pid int, options Profile) (Profile, error) {
	var out Profile
	err := alone(func() error {
		p, err := ptrace.Attach(pid)
		if err != nil {
			return err
		}
		out, err = takeProfile(p, options)
		return errors.Join(err, p.Detach())
	})
	return out, err
}

// alone calls f on a thread of its own, which ends with it: the kernel ties a
// tracer to its thread, and lets go of what the thread still traces.
func alone(f func() error) error {
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		done <- f()
	}()
	return <-done
}

// executable returns the path of a process's program.
func executable(pid int) (string, error) {
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return strings.TrimSuffix(path, " (deleted)"), err
}
