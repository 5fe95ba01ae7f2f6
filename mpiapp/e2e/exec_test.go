//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
)

// underExec is the command that starts a program behind a launcher and laggard exec with flags.
func (f family) underExec(t *testing.T, flags []string, ranks int, command ...string) []string {
	t.Helper()
	return slices.Concat(f.launchCommand(ranks), []string{laggardPath(t), "exec"}, flags, []string{"--"}, command)
}

// TestNoOtherChild: a program that waits until it has no child does not wait for what exec leaves beside it.
func TestNoOtherChild(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		flags := []string{"-o", filepath.Join(t.TempDir(), "run"), "--live-dir", t.TempDir()}
		got := startJob(t, f.runEnvironment(t), nil, f.underExec(t, flags, 2, f.buildProgram(t, "waitsforall.c", "-O1"))...).wait()
		checktest.Equal(t, "3 children\n", got.mustSucceed(t).programOutput(), got.stderr)
	})
}

// TestTwoJobsInAStep: of two jobs that were started in one shell of a Slurm step, which has a name, the one that hangs is
// ended, and the other one is not.
func TestTwoJobsInAStep(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		env := f.runEnvironment(t, "SLURM_JOB_ID=4711", "SLURM_STEP_ID=0")
		if f.name == "openmpi" { // it takes Slurm's variables for an allocation of its own to start processes in
			env = append(env, "OMPI_MCA_plm=^slurm", "OMPI_MCA_ras=^slurm", "OMPI_MCA_ess=^slurm")
		}
		s := scenarioOf(t, "halo.c")
		healthy := startJob(t, env, nil, f.underExec(t, nil, 2, f.buildProgram(t, "steady.c", "-O1"), "20")...)
		healthy.eventually("the start of the first job", func() bool { return strings.Contains(healthy.err.String(), "recording in") })
		begin := time.Now()
		hanging := startJob(t, env, nil, f.underExec(t, []string{"--timeout", standstillTimeout(3 * time.Second)}, s.rankCount(),
			f.buildProgram(t, s.source, "-O0"), s.mode)...)
		if got := hanging.wait(); !strings.Contains(got.stderr, "ending the job") {
			t.Errorf("the job that hangs was not ended: status %d\n%s", got.status, got.stderr)
		}
		if healthy.hasEnded() && time.Since(begin) < 15*time.Second {
			t.Error("the other job ended with it")
		}
		if got := healthy.wait(); got.status != 0 || !strings.Contains(got.stdout, "steady: end") {
			t.Errorf("the other job: status %d, %s\n%s", got.status, got.stdout, got.stderr)
		}
	})
}

// TestEarlierJob: a job whose directory holds one of the same name whose ranks were killed is not taken for that.
func TestEarlierJob(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "run")
		env := f.runEnvironment(t, "LAGGARD_RUN_ID=77")
		flags := []string{"-o", dir, "--timeout", standstillTimeout(3 * time.Second)}
		s := scenarioOf(t, "halo.c")
		first := startJob(t, env, nil, f.underExec(t, slices.Concat(flags, []string{"--on-hang", "keep"}), s.rankCount(),
			f.buildProgram(t, s.source, "-O0"), s.mode)...)
		first.awaitHang()
		first.killTree()
		killAll(dir)
		late := "sleep 6; exec " + f.buildProgram(t, "steady.c", "-O1") + " 1"
		got := startJob(t, env, nil, f.underExec(t, flags, 2, "sh", "-c", late)...).wait()
		if got.status != 0 || !strings.Contains(got.stdout, "steady: end") || !strings.Contains(got.stderr, "holds an earlier job") {
			t.Errorf("status %d, %s\n%s", got.status, got.stdout, got.stderr)
		}
	})
}

// TestApartFromRank: what watches beside rank 0 gives way to it, and is not bound to its processor.
func TestApartFromRank(t *testing.T) {
	t.Parallel()
	f := installedFamilies()[0]
	dir := filepath.Join(t.TempDir(), "run")
	flags := []string{"-o", dir}
	command := append([]string{"taskset", "-c", allowedProcessors(t, "self")[:1]}, f.underExec(t, flags, 2, "sleep", "30")...)
	j := startJob(t, f.runEnvironment(t), nil, command...)
	j.eventually("what watches", func() bool { return slices.Contains(helperNames(dir), "laggard-watch") })
	for _, p := range processesIn(filepath.Dir(dir)) {
		proc := strings.Fields(p)[0]
		if name, _ := os.ReadFile(proc + "/comm"); string(name) != "laggard-watch\n" {
			continue
		}
		checktest.Equal(t, allowedProcessors(t, "self"), allowedProcessors(t, filepath.Base(proc)), "its processors")
		stat := musttest.Get(os.ReadFile(proc + "/stat"))(t)
		fields := strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')'):])
		own := musttest.Get(os.ReadFile("/proc/self/stat"))(t)
		ownFields := strings.Fields(string(own)[strings.LastIndexByte(string(own), ')'):])
		nice, before := musttest.Get(strconv.Atoi(fields[17]))(t), musttest.Get(strconv.Atoi(ownFields[17]))(t)
		checktest.Equal(t, max(10, before), nice, "its nice value")
	}
}

var allowedList = regexp.MustCompile(`Cpus_allowed_list:\s*(\S+)`)

// allowedProcessors is the list of the processors that a process may use.
func allowedProcessors(t *testing.T, pid string) string {
	t.Helper()
	text := musttest.Get(os.ReadFile(fmt.Sprintf("/proc/%s/status", pid)))(t)
	return allowedList.FindStringSubmatch(string(text))[1]
}

// TestEnvironmentList: Open MPI hands its variables and laggard's on where the site lists what it is to hand on.
func TestEnvironmentList(t *testing.T) {
	t.Parallel()
	f := families[0]
	if !slices.ContainsFunc(installedFamilies(), func(o family) bool { return o.name == f.name }) {
		t.Skip("no Open MPI")
	}
	for _, how := range []string{"variable", "argument", "file"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			env, f := f.runEnvironment(t), f
			const list, value = "mca_base_env_list", "LISTED=by the site;HOME"
			switch how {
			case "variable":
				env = append(env, "OMPI_MCA_"+list+"="+value)
			case "argument":
				f.launcher = slices.Concat(f.launcher, []string{"--mca", list, value})
			case "file":
				home := t.TempDir()
				musttest.Succeed(t, os.Mkdir(filepath.Join(home, ".openmpi"), 0o700))
				file := filepath.Join(home, ".openmpi", "mca-params.conf")
				musttest.Succeed(t, os.WriteFile(file, []byte(list+" = "+value+"\n"), 0o600))
				env = append(env, "HOME="+home)
			}
			dir := filepath.Join(t.TempDir(), "run")
			show := "echo \"$LISTED\"; exec " + f.buildProgram(t, "steady.c", "-O1") + " 1"
			got := startJob(t, env, nil, f.underRun(t, dir, nil, 2, "sh", "-c", show)...).wait().mustSucceed(t)
			checktest.Equal(t, 2, strings.Count(got.stdout, "by the site\n"), got.stdout)
			checktest.Equal(t, 2, len(openRun(t, dir).Ranks), "recorded ranks")
		})
	}
}
