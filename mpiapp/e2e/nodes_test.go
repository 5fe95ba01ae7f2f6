//go:build e2e

package e2e

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"laggard/internal/musttest"
)

// A job on several nodes is played on one machine: each rank has a host name of
// its own, and what is special to a node hangs on that.
const ranksPerNode = 2

// onNodeScript gives a rank the name of its node, also as $NODE, and runs its
// first argument as a line of shell and then the others as the program.
const onNodeScript = `rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}
NODE=node$((rank / 2)); export NODE; hostname "$NODE"
eval "$1"; shift; exec "$@"`

// rankOnNode is the command line of a rank on a node; setup is a line of shell.
func rankOnNode(setup string, command ...string) []string {
	return append([]string{"unshare", "--uts", "sh", "-c", onNodeScript, "sh", setup}, command...)
}

// wantNodes skips where no process may have a host name of its own.
func wantNodes(t *testing.T) {
	t.Helper()
	if out := runCommand(t, os.Environ(), "unshare", "--uts", "hostname", "node0"); out.status != 0 {
		t.Skipf("no host names for processes here: %s", out.stderr)
	}
}

// TestSubDirectories tells the recorder of a job of many nodes: the files of its
// nodes go into sub-directories, and are found there.
func TestSubDirectories(t *testing.T) {
	t.Parallel()
	wantNodes(t)
	eachFamily(t, func(t *testing.T, f family) {
		for _, c := range selectCases(f, []struct{ nodes, levels int }{{256, 0}, {257, 1}, {40000, 2}}) {
			t.Run(fmt.Sprint(c.nodes), func(t *testing.T) {
				s := scenarioOf(t, "before_collective.c")
				env := f.runEnvironment(t)
				dir := filepath.Join(t.TempDir(), "run")
				setup := fmt.Sprintf("export SLURM_STEP_NUM_NODES=%d", c.nodes)
				j := f.startRecorded(t, dir, env, s.rankCount(), nil, rankOnNode(setup, f.buildProgram(t, s.source, "-O0"), s.mode)...)
				j.awaitHang()
				s.checkDiagnosis(t, "hung", runDiagnose(t, env, dir))
				j.killTree()
				for node := range s.rankCount() / ranksPerNode {
					host := fmt.Sprintf("node%d", node)
					musttest.Get(os.Stat(filepath.Join(dir, nodeSubdir(host, c.levels), "node-"+host+".lgd")))(t)
				}
				s.checkDiagnosis(t, "killed", runDiagnose(t, env, dir))
			})
		}
	})
}

// nodeSubdir is the sub-directory for a node, as docs/reference/format.md has it.
func nodeSubdir(host string, levels int) string {
	hash := crc32.Checksum([]byte(host), crc32.MakeTable(crc32.Castagnoli))
	return filepath.Join([]string{fmt.Sprintf("%02x", hash&0xff), fmt.Sprintf("%02x", hash>>8&0xff)}[:levels]...)
}

// TestLiveDir keeps the files in a directory of the node: laggard run finds the
// hang there, and in the end everything is in the run directory.
func TestLiveDir(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		s := scenarioOf(t, "halo.c")
		env := f.runEnvironment(t)
		dir, live := filepath.Join(t.TempDir(), "run"), t.TempDir()
		got := startJob(t, env, nil, f.underRun(t, dir, []string{"--live-dir", live, "--timeout", "4s"}, s.rankCount(),
			f.buildProgram(t, s.source, "-O0"), s.mode)...).wait()
		if !strings.Contains(got.stderr, "least progressed") {
			t.Errorf("no diagnosis on stderr:\n%s", got.stderr)
		}
		s.checkDiagnosis(t, "ended", runDiagnose(t, env, dir))
		wantEmptyDir(t, live)
	})
}

// TestNumbersInContainers gives each rank process numbers of its own, as a container may: what has such a number
// outside is not taken for the rank.
func TestNumbersInContainers(t *testing.T) {
	t.Parallel()
	container := []string{"unshare", "--pid", "--fork", "--kill-child", "--mount-proc"}
	if out := runCommand(t, os.Environ(), append(slices.Clone(container), "true")...); out.status != 0 {
		t.Skipf("no process numbers of one's own here: %s", out.stderr)
	}
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		s := scenarioOf(t, "halo.c")
		env := f.runEnvironment(t, "OMPI_MCA_btl=self,tcp") // shared memory of Open MPI is named by the number
		dir := filepath.Join(t.TempDir(), "run")
		got := startJob(t, env, nil, f.underRun(t, dir, []string{"--timeout", "4s"}, s.rankCount(),
			append(slices.Clone(container), f.buildProgram(t, s.source, "-O0"), s.mode)...)...).wait()
		if !strings.Contains(got.stderr, " inside its container on ") || strings.Contains(got.stderr, "killed: ") {
			t.Errorf("stderr:\n%s", got.stderr)
		}
	})
}

// wantEmptyDir wants nothing left of a run in a live_dir.
func wantEmptyDir(t *testing.T, live string) {
	t.Helper()
	left := musttest.Get(os.ReadDir(live))(t)
	if len(left) > 0 {
		t.Errorf("%s still has %s", live, left[0].Name())
	}
}

// TestLiveDirsOfNodes does so on four nodes with laggard exec. The ranks are
// killed all at once with whatever of laggard is beside them, so that the nodes'
// files must be collected afterwards, by all nodes at the same time and twice.
func TestLiveDirsOfNodes(t *testing.T) {
	t.Parallel()
	wantNodes(t)
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		s := scenarioOf(t, "halo.c")
		program := laggardPath(t)
		dir, lives := filepath.Join(t.TempDir(), "run"), t.TempDir()
		nodes := s.rankCount() / ranksPerNode
		for n := range nodes {
			musttest.Succeed(t, os.Mkdir(filepath.Join(lives, fmt.Sprintf("node%d", n)), 0o700))
		}
		env := f.runEnvironment(t, "LAGGARD_ON_HANG=keep", "LAGGARD_TIMEOUT=4s")
		setup := "export LAGGARD_LIVE_DIR=" + lives + "/$NODE"
		args := append(f.launchCommand(s.rankCount()),
			rankOnNode(setup, program, "exec", "-o", dir, "--", f.buildProgram(t, s.source, "-O0"), s.mode)...)
		j := startJob(t, env, nil, args...)
		j.awaitHang()
		s.checkDiagnosis(t, "hung", runDiagnose(t, env, dir))
		refused := runCollect(t, env, lives, 0, dir)
		if refused.status != exitDamaged || !strings.Contains(refused.stderr, "still run here") {
			t.Errorf("collect during the run: status %d, %s", refused.status, refused.stderr)
		}
		j.killTree()
		killAll(dir)
		collectEverywhere(t, env, lives, nodes, dir)
		collectEverywhere(t, env, lives, nodes, dir)
		s.checkDiagnosis(t, "collected", runDiagnose(t, env, dir))
		for n := range nodes {
			wantEmptyDir(t, filepath.Join(lives, fmt.Sprintf("node%d", n)))
		}
	})
}

// killAll kills what is left of laggard beside the ranks.
func killAll(dir string) {
	pids := withArgument(dir)
	for _, pid := range pids {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	awaitDeath(pids)
}

// withArgument lists the processes of laggard's that have this argument.
func withArgument(arg string) (pids []int) {
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range lines {
		text, err := os.ReadFile(path)
		if err != nil || !strings.HasPrefix(filepath.Base(string(text)), "laggard") &&
			!strings.Contains(string(text), "/laggard\x00") {
			continue
		}
		var pid int
		if _, err := fmt.Sscanf(path, "/proc/%d/", &pid); err == nil &&
			strings.Contains(string(text), "\x00"+arg+"\x00") {
			pids = append(pids, pid)
		}
	}
	return pids
}

func runCollect(t *testing.T, env []string, lives string, node int, dir string) outcome {
	live := filepath.Join(lives, fmt.Sprintf("node%d", node))
	return runCommand(t, env, "unshare", "--uts", "sh", "-c", `hostname "$1"; shift; exec "$@"`, "sh", filepath.Base(live),
		laggardPath(t), "collect", "--live-dir", live, dir)
}

func collectEverywhere(t *testing.T, env []string, lives string, nodes int, dir string) {
	t.Helper()
	results := make(chan outcome)
	for n := range nodes {
		go func() { results <- runCollect(t, env, lives, n, dir) }()
	}
	for range nodes {
		if got := <-results; got.status != 0 || got.stdout+got.stderr != "" {
			t.Errorf("collect: status %d, %s%s", got.status, got.stdout, got.stderr)
		}
	}
}
