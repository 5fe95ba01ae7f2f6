package process

import (
	"os"
	"strconv"

	"laggard/model"
	"laggard/model/runfiles"
)

// ContainerRoots is RootsOf the ranks of a run directory.
func ContainerRoots(dir string) []string {
	run, err := runfiles.OpenPresent(dir)
	if err != nil {
		return nil
	}
	return ContainerRootsOf(run.Processes())
}

// ContainerRootsOf are directories with the files of programs whose ranks run on this host, but see other files than this
// process, as in a container: one for each program.
func ContainerRootsOf(ranks []*model.Rank) (roots []string) {
	host, _ := os.Hostname()
	seen := map[string]bool{}
	for _, r := range ranks {
		if seen[r.Exe] || !IsLocal(r, host) || StateOf(r) == Gone {
			continue
		}
		seen[r.Exe] = true
		if root := processRoot(r.PID); root != "" {
			roots = append(roots, root)
		}
	}
	return roots
}

// processRoot is a directory with the files that a process sees, if it may see others than this one; "" if it does not.
func processRoot(pid int) string {
	const files = "/ns/mnt"
	proc := "/proc/" + strconv.Itoa(pid)
	its, err := os.Readlink(proc + files)
	if ours, _ := os.Readlink("/proc/self" + files); err != nil || its == ours {
		return ""
	}
	return proc + "/root"
}
