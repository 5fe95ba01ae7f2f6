package attach

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"laggard/internal/procfs"
)

// permissionError says of a process that may not be read what would allow it.
func permissionError(pid int, err error) error {
	return fmt.Errorf("%w; %s", err, permissionAdvice(pid))
}

func permissionAdvice(pid int) string {
	if info, err := os.Stat(procfs.Path(pid)); err == nil {
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
			return fmt.Sprintf("it belongs to user %d: run laggard as that user, or as root", st.Uid)
		}
	}
	if other := tracerThread(pid); other > 0 {
		if _, err := os.Stat(filepath.Join("/proc/self/task", strconv.Itoa(other))); err == nil {
			return "an earlier sample of this attach has not released it yet: run attach again"
		}
		return fmt.Sprintf("process %d, a debugger or another attach, is tracing it: wait for that process, or end it", other)
	}
	scope, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope")
	if err != nil {
		scope = []byte("0")
	}
	switch strings.TrimSpace(string(scope)) {
	case "1":
		return "kernel.yama.ptrace_scope is 1, which allows it to ancestors of the process only: " +
			"have root run attach, or set sysctl kernel.yama.ptrace_scope=0; or let the kernel write core files, which ends the job " +
			"(kill -QUIT to all ranks at once), and read them with laggard import"
	case "2":
		return "kernel.yama.ptrace_scope is 2, which allows it to administrators only: have root run attach, " +
			"or give the program the right with setcap cap_sys_ptrace+ep"
	case "3":
		return "kernel.yama.ptrace_scope is 3, which forbids it to all until the next start of the machine: " +
			"have the job write core files (gcore is forbidden too; kill -QUIT to all ranks at once) and read them with laggard import"
	}
	return "in a container, run attach inside the same one, started with --cap-add SYS_PTRACE (docker, podman), " +
		"or on the host as root; a program with other rights than its user's (setuid, setcap) may be read by root only"
}

// tracerThread is the thread that traces a process, 0 none.
func tracerThread(pid int) (other int) {
	status, _ := procfs.ReadStatus(pid)
	other, _ = strconv.Atoi(status["TracerPid"])
	return other
}
