package process

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/nodefile"
)

// TestRoots: of ranks that see files of their own, one for each program is looked at.
func TestRoots(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Skip(err)
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	sleep = musttest.Get(filepath.EvalSymlinks(sleep))(t)
	var ranks []*model.Rank
	const container = syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS
	for i, apart := range []uintptr{0, container, container} {
		child := exec.Command(sleep, "60")
		child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: apart}
		if err := child.Start(); err != nil {
			t.Skip(err) // no user namespaces here
		}
		defer child.Wait()
		defer child.Process.Kill()
		exe := sleep[:len(sleep)-min(i, 1)] // a record may hold only the beginning
		ranks = append(ranks, &model.Rank{Rank: i, Size: 3, PID: child.Process.Pid, Exe: exe, Phase: model.Running,
			Threads: []*model.Thread{{Op: model.Op{State: -1}}}})
	}
	dir := t.TempDir()
	musttest.Get(nodefile.WriteNode(dir, nodefile.Header{RunID: 1, Host: host}, ranks))(t)
	if got, want := ContainerRoots(dir), []string{fmt.Sprintf("/proc/%d/root", ranks[1].PID)}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestRoot: the files of a process that has mounts of its own are found.
func TestRoot(t *testing.T) {
	for _, apart := range []bool{false, true} {
		child := exec.Command("sleep", "60")
		if apart {
			child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
				UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}}}
		}
		if err := child.Start(); err != nil {
			t.Skip(err) // no user namespaces here
		}
		defer child.Wait()
		defer child.Process.Kill()
		root := processRoot(child.Process.Pid)
		if !apart {
			checktest.Equal(t, "", root, "with the same mounts")
			continue
		}
		if _, err := os.Stat(root + "/proc"); root == "" || err != nil {
			t.Errorf("with mounts of its own: %q, %v", root, err)
		}
	}
}
