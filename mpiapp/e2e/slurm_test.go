//go:build e2e && slurm

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
	"laggard/model/runfiles"
)

// failure is a way in which a job under Slurm fails, and what its analysis must
// say.
type failure struct {
	name   string
	script string // in jobscripts/slurm
	args   []string
	scenario
	cancel bool   // by the user, once it hangs
	state  string // how Slurm says that the job ended
	after  string // afterany, or "" for afternotok
}

// Ranks: two on each node.
var (
	onNodes = []string{"--nodes=4", "--ntasks=8", "--ntasks-per-node=2"}
	halo    = scenario{source: "halo.c", mode: "hang", least: []int{6}, function: []string{"stencil"},
		mark: []string{inLoop}}
	failing = []failure{
		{name: "hang", script: "run.sbatch", scenario: halo, state: "FAILED"},
		{name: "exit code", script: "run.sbatch", scenario: departureScenario("exit"), state: "FAILED"},
		{name: "SIGKILL", script: "run.sbatch", scenario: departureScenario("kill"), state: "FAILED"},
		{name: "scancel", script: "timelimit.sbatch", scenario: halo, cancel: true, state: "CANCELLED"},
		{name: "live directory", script: "live.sbatch", scenario: halo, state: "FAILED"},
		{name: "live directory, scancel", script: "live.sbatch", args: []string{"--export=ALL,LAGGARD_ON_HANG=dump"},
			scenario: halo, cancel: true, state: "CANCELLED"},
	}
	// A rank that takes no stack by itself has one from the signal only. It comes
	// early enough at a limit of one minute, and not before the ranks are there.
	timeLimit = failure{name: "time limit", script: "timelimit.sbatch",
		args:     []string{"--time=1", "--signal=USR1@20", "--export=ALL,LAGGARD_QUIET_MS=600000"},
		scenario: halo, state: "TIMEOUT"}
)

// departureScenario is the scenario in which rank 3 goes away.
func departureScenario(mode string) scenario {
	i := slices.IndexFunc(departures, func(s scenario) bool { return s.mode == mode })
	return departures[i]
}

// TestSlurm runs the job scripts on a Slurm of its own: a job that fails, and
// behind it the analysis, which must name the rank and the line.
func TestSlurm(t *testing.T) {
	c := newCluster(t)
	limited := map[string]submittedJob{} // by family; they take a minute and more
	t.Run("submit", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) { limited[f.String()] = c.submitJob(t, f, timeLimit) })
	})
	for _, what := range failing {
		t.Run(what.name, func(t *testing.T) {
			eachFamily(t, func(t *testing.T, f family) {
				t.Parallel()
				c.submitJob(t, f, what).checkAnalysis(t)
			})
		})
	}
	t.Run("unrecorded", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) { c.checkUnrecorded(t, f) })
	})
	for _, mode := range []string{"exit", "segv"} {
		t.Run("run, "+mode, func(t *testing.T) {
			eachFamily(t, func(t *testing.T, f family) {
				t.Parallel()
				c.checkPrinted(t, f, departureScenario(mode))
			})
		})
	}
	t.Run("healthy", func(t *testing.T) { c.checkHealthyRun(t, families[0]) })
	t.Run(timeLimit.name, func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) {
			job, ok := limited[f.String()]
			if !ok { // this test alone is run
				job = c.submitJob(t, f, timeLimit)
			}
			job.checkAnalysis(t)
		})
	})
}

// checkUnrecorded: a job that plain srun started hangs, and is found by its number.
func (c *cluster) checkUnrecorded(t *testing.T, f family) {
	script := musttest.Get(filepath.Abs("../../jobscripts/slurm/attach.sh"))(t)
	name := "unrecorded-" + f.name
	args := f.srunCommand("--job-name=" + name)
	ended := make(chan string, 1)
	go func() {
		out, err := c.runAsUser(append(args, f.buildProgram(t, halo.source, "-O0"), halo.mode)...)
		ended <- fmt.Sprint(out, err)
	}()
	job, said := "", ""
	c.eventually(t, "the job of "+name, func() bool {
		out, err := c.runAsUser("squeue", "--noheader", "--name="+name, "--states=RUNNING", "--format=%i")
		job = strings.TrimSpace(out)
		return err == nil && job != "" || len(ended) > 0
	})
	c.eventually(t, "a diagnosis of job "+job, func() bool { // it takes a while until it hangs
		dir := fmt.Sprintf("attached-%s-%d", job, time.Now().UnixNano())
		var err error
		said, err = c.runAsUser(script, job, dir)
		return err == nil && strings.Contains(said, "is least progressed") || len(ended) > 0
	})
	_, _ = c.runAsUser("scancel", "--name="+name)
	over := <-ended
	_, text, _ := strings.Cut(said, "Rank ")
	submittedJob{c: c, what: failure{scenario: halo}}.checkText(t, "Rank "+text)
	if t.Failed() {
		t.Log(said, over)
	}
}

// srunCommand is the command that starts a program of the family on all nodes.
func (f family) srunCommand(options ...string) []string {
	args := slices.Concat([]string{"srun"}, options, onNodes)
	if f.name == "mpich" {
		args = append(args, "--mpi=pmi2")
	}
	return args
}

// checkPrinted: laggard run before srun prints why the job failed. (Beside rank 0 nobody
// can: Slurm ends all processes of a step with its ranks.)
func (c *cluster) checkPrinted(t *testing.T, f family, s scenario) {
	dir := filepath.Join(t.TempDir(), "run")
	args := slices.Concat([]string{laggardPath(t), "run", "-o", dir, "--"}, f.srunCommand())
	out, err := c.runAsUser(append(args, f.buildProgram(t, s.source, "-O0"), s.mode)...)
	if err == nil {
		t.Error("the job succeeded")
	}
	_, text, _ := strings.Cut(out, "Rank ")
	submittedJob{c: c, what: failure{scenario: s}}.checkText(t, "Rank "+text)
	if t.Failed() {
		t.Log(out)
	}
}

// checkHealthyRun: a run that ends well is analysed only if that was asked for.
func (c *cluster) checkHealthyRun(t *testing.T, f family) {
	well := failure{script: "run.sbatch", scenario: scenario{source: "halo.c", mode: "ok"}}
	unasked := c.submitJob(t, f, well)
	well.after = "afterany"
	asked := c.submitJob(t, f, well)
	for _, s := range []submittedJob{unasked, asked} {
		checktest.Equal(t, "COMPLETED", s.awaitJobEnd(t, s.run), "the run ended", c.logTails())
	}
	checktest.Equal(t, "CANCELLED", unasked.awaitJobEnd(t, unasked.analysis), "the analysis nobody needs ended")
	checktest.Equal(t, "COMPLETED", asked.awaitJobEnd(t, asked.analysis), "the analysis ended")
	if text := asked.analysisText(t); !strings.Contains(text, " finished: no hang") {
		t.Errorf("the analysis of a healthy run: %s", text)
	}
}

// submittedJob is a job and the one behind it.
type submittedJob struct {
	c        *cluster
	what     failure
	run      string
	analysis string
}

var submittedJobs = regexp.MustCompile(`job (\d+); .*laggard-diagnosis-(\d+)\.txt`)

func (c *cluster) submitJob(t *testing.T, f family, what failure) submittedJob {
	t.Helper()
	scripts := musttest.Get(filepath.Abs("../../jobscripts/slurm"))(t)
	args := []string{filepath.Join(scripts, "submit.sh")}
	if what.after != "" {
		args = append(args, what.after)
	}
	args = append(args, slices.Concat(onNodes, what.args, f.underSlurm(what.args))...)
	args = append(args, filepath.Join(scripts, what.script), f.buildProgram(t, what.source, "-O0"), what.mode)
	out := musttest.Get(c.runAsUser(args...))(t)
	ids := submittedJobs.FindStringSubmatch(out)
	if ids == nil {
		t.Fatalf("submit.sh says %q", out)
	}
	return submittedJob{c, what, ids[1], ids[2]}
}

// underSlurm says how srun starts programs of the family; the analysis behind
// them is one of OpenMPI, as the configuration has it.
func (f family) underSlurm(args []string) []string {
	if f.name != "mpich" {
		return nil
	}
	export := "--export=ALL"
	for _, a := range args {
		if strings.HasPrefix(a, "--export=") {
			export = a
		}
	}
	return []string{export + ",SLURM_MPI_TYPE=pmi2"}
}

func (s submittedJob) checkAnalysis(t *testing.T) {
	if s.what.cancel {
		s.c.eventually(t, "a hang", func() bool { return s.showsHang(t) })
		killAll(s.c.path("work/laggard-" + s.run)) // what is beside the ranks: the epilogue must do without
		musttest.Get(s.c.runAsUser("scancel", s.run))(t)
	}
	checktest.Equal(t, s.what.state, s.awaitJobEnd(t, s.run), "the job ended", s.c.logTails())
	state := s.awaitJobEnd(t, s.analysis)
	text := s.analysisText(t)
	checktest.Equal(t, "COMPLETED", state, "the analysis ended")
	s.checkText(t, text)
	if s.what.script == "live.sbatch" {
		s.checkCollected(t)
	}
	if t.Failed() {
		t.Log(text, s.c.logTails())
	}
}

// checkCollected: the nodes have nothing left of the run.
func (s submittedJob) checkCollected(t *testing.T) {
	t.Helper()
	manifest := musttest.Get(os.ReadFile(s.c.path("work/laggard-" + s.run + "/" + runfiles.ManifestName)))(t)
	m := musttest.Get(runfiles.ParseManifest(manifest))(t)
	left, err := s.c.runAsUser("srun", "--nodes=4", "--ntasks-per-node=1", "find", "/dev/shm", "-name", "laggard-"+m.RunID)
	if err != nil || strings.Contains(left, "laggard-") {
		t.Errorf("on the nodes is still %q (%v)", left, err)
	}
}

// analysisText is what the analysis wrote.
func (s submittedJob) analysisText(t *testing.T) string {
	t.Helper()
	text := musttest.Get(os.ReadFile(s.c.path("work/laggard-diagnosis-" + s.analysis + ".txt")))(t)
	return string(text)
}

// showsHang reports whether the run directory shows where the rank is that hangs.
func (s submittedJob) showsHang(t *testing.T) bool {
	time.Sleep(time.Second)
	out, _ := s.c.runAsUser(laggardPath(t), "diagnose", "laggard-"+s.run)
	return strings.Contains(out, " in "+s.what.function[0]+" (")
}

var jobState = regexp.MustCompile(`JobState=(\w+)`)

// awaitJobEnd waits for the end of a job and tells how it ended.
func (s submittedJob) awaitJobEnd(t *testing.T, job string) (state string) {
	t.Helper()
	s.c.eventually(t, "the end of job "+job, func() bool {
		out := musttest.Get(s.c.runAsUser("scontrol", "show", "job", job))(t)
		state = jobState.FindStringSubmatch(out)[1]
		return !slices.Contains([]string{"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED"}, state)
	})
	return state
}

// checkText wants the rank and a marked line in the report.
func (s submittedJob) checkText(t *testing.T, text string) {
	t.Helper()
	want := s.what.scenario
	rank := want.least[0]
	named := namesRank(text, rank) && strings.Contains(text, fmt.Sprintf(", of %d ranks", want.rankCount()))
	// As by a time limit; "behind" where that came before the job had stood still for long.
	ended := regexp.MustCompile(fmt.Sprintf("Until then rank %d was (least progressed|behind), of %d ranks", rank, want.rankCount()))
	if first, _, _ := strings.Cut(text, "\n"); !named && !ended.MatchString(first) {
		t.Errorf("the analysis does not name rank %d", rank)
	}
	place := regexp.MustCompile(fmt.Sprintf(`(?m)^  rank %d .* (?:in|by) %s \(%s:(\d+)\)`, rank, want.function[0],
		regexp.QuoteMeta(want.source)))
	found := place.FindStringSubmatch(text)
	if found == nil {
		t.Errorf("the analysis does not say that rank %d is in %s", rank, want.function[0])
		return
	}
	line := musttest.Get(strconv.Atoi(found[1]))(t)
	if spans := readMarks(t, want.source)[want.mark[0]]; !coversLine(spans, line) {
		t.Errorf("the analysis says line %d, want %v", line, spans)
	}
}
