package ending

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/internal/procfs"
	"laggard/model"
	"laggard/model/nodefile"
)

const runID = 0xabc

// TestMain is also the process that adopts: a test that did would keep doing so.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "adopt" {
		if err := adoptAndEnd(os.Args[2] == "with others"); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var seconds = 100000

// sleepCommand is a command line that no other process of the machine has.
func sleepCommand() string {
	seconds++
	return fmt.Sprintf("sleep %d.%d", seconds, os.Getpid())
}

// isRunning reports whether a process with that command line does.
func isRunning(line string) bool {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, f := range files {
		text, _ := os.ReadFile(f)
		if strings.ReplaceAll(strings.TrimSuffix(string(text), "\x00"), "\x00", " ") == line {
			return true
		}
	}
	return false
}

func eventually(what string, holds func() bool) error {
	for end := time.Now().Add(20 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			return errors.New("waited 20 s for: " + what)
		}
	}
	return nil
}

// startScript runs a shell script with these variables alone, and waits until what it starts is there.
func startScript(t *testing.T, env []string, script string, started ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(env, "PATH="+os.Getenv("PATH"))
	musttest.Succeed(t, cmd.Start())
	done := make(chan bool)
	go func() { _ = cmd.Wait(); close(done) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-done })
	for _, line := range started {
		musttest.Succeed(t, eventually(line, func() bool { return isRunning(line) }))
	}
	return cmd
}

func markedEnv(dir string) []string {
	return []string{"LAGGARD_RUN_ID=" + model.RunIDText(runID), "LAGGARD_DIR=" + dir}
}

func jobIn(dir string, killAfter time.Duration) *Job {
	return &Job{ID: runID, Dir: dir, Own: dir, KillAfter: killAfter}
}

// TestTree: all that descends from a launcher ends, however it was started, and nothing else.
func TestTree(t *testing.T) {
	dir := t.TempDir()
	plain, session, twice, deaf, other := sleepCommand(), sleepCommand(), sleepCommand(), sleepCommand(), sleepCommand()
	script := fmt.Sprintf(`%s & setsid %s & (setsid sh -c '%s & wait' &)
		(trap '' TERM HUP; nohup %s >/dev/null 2>&1) & wait`, plain, session, twice, deaf)
	launcher := startScript(t, markedEnv(dir), script, plain, session, twice, deaf)
	startScript(t, nil, "exec "+other, other)
	j := jobIn(dir, time.Second)
	j.Launcher = Identify(launcher.Process.Pid)
	begun := 0
	if left := j.End(0, func() { begun++ }); left != nil || begun != 1 {
		t.Errorf("%v are left, begun %d times", left, begun)
	}
	for _, line := range []string{plain, session, twice, deaf} {
		if isRunning(line) {
			t.Errorf("%s still runs", line)
		}
	}
	if !isRunning(other) {
		t.Error("a process that is not the job's was ended")
	}
	if j.End(0, func() { begun++ }); begun != 1 || j.IsRunning() {
		t.Error("something was left after all")
	}
}

// TestMarker: processes whose launcher is gone are known by their environment; those of other runs are not.
func TestMarker(t *testing.T) {
	dir := t.TempDir()
	ours, other, users := sleepCommand(), sleepCommand(), sleepCommand()
	startScript(t, markedEnv(dir), "setsid "+ours+" &", ours)
	startScript(t, []string{"LAGGARD_RUN_ID=" + model.RunIDText(runID+1), "LAGGARD_DIR=" + dir}, "exec "+other, other)
	j := jobIn(dir, time.Second)
	j.Shared = true
	if j.IsRunning() {
		t.Error("without the recorder the number alone does not tell")
	}
	j.Shared = false
	if left := j.End(0, func() {}); left != nil || isRunning(ours) || !isRunning(other) {
		t.Errorf("%v are left; ours runs: %t, another run's: %t", left, isRunning(ours), isRunning(other))
	}
	j.Shared = true
	startScript(t, append(markedEnv(dir), "LD_PRELOAD=liblaggard-none.so"), "setsid "+users+" 2>/dev/null &", users)
	if left := j.End(0, func() {}); left != nil || isRunning(users) {
		t.Errorf("%v are left with the recorder", left)
	}
}

// TestOtherJob: what was submitted from inside a job inherits its environment, and is another job's all the same, recorded
// or not.
func TestOtherJob(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "17")
	dir, ours, other := t.TempDir(), sleepCommand(), sleepCommand()
	startScript(t, append(markedEnv(dir), "SLURM_JOB_ID=17"), "setsid "+ours+" &", ours)
	cmd := startScript(t, append(markedEnv(dir), "SLURM_JOB_ID=18"), "exec "+other, other)
	j := jobIn(dir, time.Second)
	j.ranks, j.read = map[int]bool{cmd.Process.Pid: true}, time.Now().Add(time.Hour)
	if left := j.End(0, func() {}); left != nil || isRunning(ours) || !isRunning(other) {
		t.Errorf("%v are left; ours runs: %t, another job's: %t", left, isRunning(ours), isRunning(other))
	}
}

// pidIn is the number of a process that wrote it to a file; 0: none did.
func pidIn(dir, name string) (pid int) {
	text, _ := os.ReadFile(filepath.Join(dir, name))
	_, _ = fmt.Sscan(string(text), &pid)
	return pid
}

// TestRank: a recorded rank is the job's, unless another process has its number since.
func TestRank(t *testing.T) {
	for _, reused := range []bool{false, true} {
		dir, line := t.TempDir(), sleepCommand()
		startScript(t, nil, fmt.Sprintf("cd %s; sh -c 'echo $$ >pid; exec %s' &", dir, line), line)
		pid := pidIn(dir, "pid")
		exe, _ := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
		start := time.Now()
		if reused {
			start = start.Add(-time.Hour)
		}
		host, _ := os.Hostname()
		if _, err := nodefile.WriteNode(dir, nodefile.Header{RunID: runID, Host: host}, []*model.Rank{{
			Rank: 0, Size: 1, PID: pid, Host: host, Exe: exe, Start: start, Phase: model.Running,
			Threads: []*model.Thread{{Op: model.Op{State: -1}}},
		}}); err != nil {
			t.Fatal(err)
		}
		left := jobIn(dir, time.Second).End(0, func() {})
		if left != nil || isRunning(line) != reused {
			t.Errorf("number reused: %t; it runs: %t, %v are left", reused, isRunning(line), left)
		}
		if reused {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// TestOrder: a launcher that ends its processes itself is not disturbed, one that does not is helped.
func TestOrder(t *testing.T) {
	for _, launcher := range []string{
		`trap 'sleep 0.3; kill -USR1 $(cat pid); exit' TERM`, // ends them in its own way
		`trap : TERM`,
	} {
		dir, line := t.TempDir(), sleepCommand()
		script := fmt.Sprintf(`cd %s; %s
			sh -c 'trap "echo told >told; exit" TERM; trap exit USR1; echo $$ >pid; %s & while :; do wait; done' &
			while :; do wait; done`, dir, launcher, line)
		cmd := startScript(t, markedEnv(dir), script, line)
		j := jobIn(dir, 4*time.Second)
		j.Launcher = Identify(cmd.Process.Pid)
		if left := j.End(0, func() {}); left != nil || isRunning(line) {
			t.Errorf("%s: %v are left", launcher, left)
		}
		_, err := os.Stat(filepath.Join(dir, "told"))
		if told, want := err == nil, launcher == `trap : TERM`; told != want {
			t.Errorf("%s: what it started got SIGTERM from here: %t, want %t", launcher, told, want)
		}
	}
}

// TestSettle: what ends by itself in time gets no signal.
func TestSettle(t *testing.T) {
	dir := t.TempDir()
	startScript(t, markedEnv(dir), "setsid sleep 1 &", "sleep 1")
	if left := jobIn(dir, time.Second).End(20*time.Second, func() { t.Error("it got a signal") }); left != nil {
		t.Error(left)
	}
}

// TestAppears: what is started while the job ends is ended as well.
func TestAppears(t *testing.T) {
	dir, line, late := t.TempDir(), sleepCommand(), sleepCommand()
	script := fmt.Sprintf(`trap 'setsid %s & exit' TERM; %s & while :; do sleep 0.1; done`, late, line)
	cmd := startScript(t, markedEnv(dir), script, line)
	j := jobIn(dir, 2*time.Second)
	j.Launcher = Identify(cmd.Process.Pid)
	if left := j.End(0, func() {}); left != nil || isRunning(line) || isRunning(late) {
		t.Errorf("%v are left", left)
	}
}

// TestStopped: a stopped process takes SIGTERM, also if it stops only when its state was looked at.
func TestStopped(t *testing.T) {
	dir, line := t.TempDir(), sleepCommand()
	// A shell may miss a signal that comes right before its `wait`, or while it starts a process.
	script := fmt.Sprintf(`trap 'echo told >%s/told; exit' TERM; %s & while :; do :; done`, dir, line)
	cmd := startScript(t, markedEnv(dir), script, line)
	_ = cmd.Process.Signal(syscall.SIGSTOP)
	j := jobIn(dir, 20*time.Second)
	j.Launcher = Identify(cmd.Process.Pid)
	if left := j.End(0, func() {}); left != nil {
		t.Error(left)
	}
	musttest.Get(os.Stat(filepath.Join(dir, "told")))(t, "the stopped process did not take SIGTERM")
}

// TestReused: a signal does not reach a process that has the number of an earlier one.
func TestReused(t *testing.T) {
	line := sleepCommand()
	cmd := startScript(t, nil, "exec "+line, line)
	p := Identify(cmd.Process.Pid)
	checktest.Equal(t, p, musttest.Get(ParseProcess(p.String()))(t))
	if _, err := ParseProcess("12"); err == nil {
		t.Error("half a process is read")
	}
	p.Start--
	if err := p.sendSignal(syscall.SIGKILL); !errors.Is(err, syscall.ESRCH) || !isRunning(line) {
		t.Errorf("error %v, it runs: %t", err, isRunning(line))
	}
}

// TestLeft names what could not be ended.
func TestLeft(t *testing.T) {
	m := member{entry: &entry{Process{PID: 7}, procfs.Stat{State: 'D', Name: "app"}}}
	host, _ := os.Hostname()
	want := "host " + host + " pid 7 (app, state D, of another user)"
	if got := leftoversOf([]member{m}, map[Process]error{m.Process: syscall.EPERM}); fmt.Sprint(got) != "["+want+"]" {
		t.Errorf("%v, want %s", got, want)
	}
}

// TestAdopt: see adoptAndEnd.
func TestAdopt(t *testing.T) {
	for _, how := range []string{"alone", "with others"} {
		musttest.Run(t, exec.Command("/proc/self/exe", "adopt", how))
	}
}

// adoptAndEnd ends a job whose launcher left a process without any mark, and none of this process's own. It waits for
// adopted processes that end, but not for its own. With children from before it cannot know whose such a process is.
func adoptAndEnd(others bool) error {
	line, own, earlier := sleepCommand(), sleepCommand(), sleepCommand()
	if others { // as a shell leaves them that becomes laggard
		pid, err := syscall.ForkExec("/bin/sh", []string{"sh", "-c", "exec " + earlier},
			&syscall.ProcAttr{Env: os.Environ()})
		if err = errors.Join(err, eventually(earlier, func() bool { return isRunning(earlier) })); err != nil {
			return err
		}
		defer syscall.Kill(pid, syscall.SIGKILL) //nolint:errcheck // it is there
	}
	children := AdoptOrphans()
	defer children.Stop()
	helper := exec.Command("sh", "-c", "read x; exit 7")
	in, err := helper.StdinPipe()
	if err = errors.Join(err, helper.Start()); err != nil {
		return err
	}
	beside := exec.Command("sh", "-c", "exec "+own)
	if err := beside.Start(); err != nil {
		return err
	}
	defer beside.Wait() //nolint:errcheck // it is killed
	defer beside.Process.Kill()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	launcher := exec.Command("sh", "-c", fmt.Sprintf(`cd %s; (sh -c 'echo $$ >ends' &)
		env -i setsid sh -c 'echo $$ >stays; exec %s' &`, dir, line))
	if err := launcher.Start(); err != nil {
		return err
	}
	children.StartReaping(launcher.Process.Pid)
	if err := launcher.Wait(); err != nil {
		return err
	}
	if err := eventually("its processes", func() bool { return isRunning(line) && isRunning(own) }); err != nil {
		return err
	}
	defer func() { _ = syscall.Kill(pidIn(dir, "stays"), syscall.SIGKILL) }()
	if err := eventually("the end of a process without a parent", func() bool {
		pid := pidIn(dir, "ends")
		return pid != 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	}); err != nil {
		return err
	}
	j := jobIn(dir, time.Second)
	j.Adopted = children
	if left := j.End(0, func() {}); left != nil || isRunning(line) != others || isRunning(earlier) != others || !isRunning(own) {
		return fmt.Errorf("%v are left; the job's runs: %t, our own: %t, an earlier one: %t", left, isRunning(line),
			isRunning(own), isRunning(earlier))
	}
	_, _ = io.WriteString(in, "\n")
	zombie := func() bool {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", helper.Process.Pid))
		return strings.Contains(string(text), ") Z ")
	}
	if err := eventually("the end of our own process", zombie); err != nil {
		return err
	}
	children.reapZombies()
	if err := helper.Wait(); helper.ProcessState.ExitCode() != 7 {
		return fmt.Errorf("our own process: %w", err)
	}
	return nil
}
