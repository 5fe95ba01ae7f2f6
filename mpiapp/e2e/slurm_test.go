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

	"laggard/model"
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
		{name: "exit code", script: "run.sbatch", scenario: departed("exit"), state: "FAILED"},
		{name: "SIGKILL", script: "run.sbatch", scenario: departed("kill"), state: "FAILED"},
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

// departed is the scenario in which rank 3 goes away.
func departed(mode string) scenario {
	i := slices.IndexFunc(departures, func(s scenario) bool { return s.mode == mode })
	return departures[i]
}

// TestSlurm runs the job scripts on a Slurm of its own: a job that fails, and
// behind it the analysis, which must name the rank and the line.
func TestSlurm(t *testing.T) {
	c := newCluster(t)
	limited := map[string]submitted{} // by family; they take a minute and more
	t.Run("submit", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) { limited[f.String()] = c.submit(t, f, timeLimit) })
	})
	for _, what := range failing {
		t.Run(what.name, func(t *testing.T) {
			eachFamily(t, func(t *testing.T, f family) {
				t.Parallel()
				c.submit(t, f, what).check(t)
			})
		})
	}
	t.Run("unrecorded", func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) { c.unrecorded(t, f) })
	})
	for _, mode := range []string{"exit", "segv"} {
		t.Run("run, "+mode, func(t *testing.T) {
			eachFamily(t, func(t *testing.T, f family) {
				t.Parallel()
				c.printed(t, f, departed(mode))
			})
		})
	}
	t.Run("healthy", func(t *testing.T) { c.healthy(t, families[0]) })
	t.Run(timeLimit.name, func(t *testing.T) {
		eachFamily(t, func(t *testing.T, f family) {
			job, ok := limited[f.String()]
			if !ok { // this test alone is run
				job = c.submit(t, f, timeLimit)
			}
			job.check(t)
		})
	})
}

// unrecorded: a job that plain srun started hangs, and is found by its number.
func (c *cluster) unrecorded(t *testing.T, f family) {
	script, err := filepath.Abs("../../jobscripts/slurm/attach.sh")
	must(t, err)
	name := "unrecorded-" + f.name
	args := f.srun("--job-name=" + name)
	ended := make(chan string, 1)
	go func() {
		out, err := c.try(append(args, f.build(t, halo.source, "-O0"), halo.mode)...)
		ended <- fmt.Sprint(out, err)
	}()
	job, said := "", ""
	c.eventually(t, "the job of "+name, func() bool {
		out, err := c.try("squeue", "--noheader", "--name="+name, "--states=RUNNING", "--format=%i")
		job = strings.TrimSpace(out)
		return err == nil && job != "" || len(ended) > 0
	})
	c.eventually(t, "a diagnosis of job "+job, func() bool { // it takes a while until it hangs
		dir := fmt.Sprintf("attached-%s-%d", job, time.Now().UnixNano())
		said, err = c.try(script, job, dir)
		return err == nil && strings.Contains(said, "is least progressed") || len(ended) > 0
	})
	_, _ = c.try("scancel", "--name="+name)
	over := <-ended
	_, text, _ := strings.Cut(said, "Rank ")
	submitted{c: c, what: failure{scenario: halo}}.checkText(t, "Rank "+text)
	if t.Failed() {
		t.Log(said, over)
	}
}

// srun is the command that starts a program of the family on all nodes.
func (f family) srun(options ...string) []string {
	args := slices.Concat([]string{"srun"}, options, onNodes)
	if f.name == "mpich" {
		args = append(args, "--mpi=pmi2")
	}
	return args
}

// printed: laggard run before srun prints why the job failed. (Beside rank 0 nobody
// can: Slurm ends all processes of a step with its ranks.)
func (c *cluster) printed(t *testing.T, f family, s scenario) {
	dir := filepath.Join(t.TempDir(), "run")
	args := slices.Concat([]string{filepath.Join(binaries(t), "laggard"), "run", "-o", dir, "--"}, f.srun())
	out, err := c.try(append(args, f.build(t, s.source, "-O0"), s.mode)...)
	if err == nil {
		t.Error("the job succeeded")
	}
	_, text, _ := strings.Cut(out, "Rank ")
	submitted{c: c, what: failure{scenario: s}}.checkText(t, "Rank "+text)
	if t.Failed() {
		t.Log(out)
	}
}

// healthy: a run that ends well is analysed only if that was asked for.
func (c *cluster) healthy(t *testing.T, f family) {
	well := failure{script: "run.sbatch", scenario: scenario{source: "halo.c", mode: "ok"}}
	unasked := c.submit(t, f, well)
	well.after = "afterany"
	asked := c.submit(t, f, well)
	for _, s := range []submitted{unasked, asked} {
		if state := s.await(t, s.run); state != "COMPLETED" {
			t.Errorf("the run ended %s\n%s", state, c.logs())
		}
	}
	if state := unasked.await(t, unasked.analysis); state != "CANCELLED" {
		t.Errorf("the analysis nobody needs ended %s", state)
	}
	if state := asked.await(t, asked.analysis); state != "COMPLETED" {
		t.Errorf("the analysis ended %s", state)
	}
	if text := asked.text(t); !strings.HasPrefix(text, "No hang: ") {
		t.Errorf("the analysis of a healthy run: %s", text)
	}
}

// submitted is a job and the one behind it.
type submitted struct {
	c        *cluster
	what     failure
	run      string
	analysis string
}

var submittedJobs = regexp.MustCompile(`job (\d+); .*laggard-diagnosis-(\d+)\.txt`)

func (c *cluster) submit(t *testing.T, f family, what failure) submitted {
	t.Helper()
	scripts, err := filepath.Abs("../../jobscripts/slurm")
	must(t, err)
	args := []string{filepath.Join(scripts, "submit.sh")}
	if what.after != "" {
		args = append(args, what.after)
	}
	args = append(args, slices.Concat(onNodes, what.args, f.underSlurm(what.args))...)
	args = append(args, filepath.Join(scripts, what.script), f.build(t, what.source, "-O0"), what.mode)
	out, err := c.try(args...)
	must(t, err)
	ids := submittedJobs.FindStringSubmatch(out)
	if ids == nil {
		t.Fatalf("submit.sh says %q", out)
	}
	return submitted{c, what, ids[1], ids[2]}
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

func (s submitted) check(t *testing.T) {
	if s.what.cancel {
		s.c.eventually(t, "a hang", func() bool { return s.hangs(t) })
		killAll(s.c.path("work/laggard-" + s.run)) // what is beside the ranks: the epilogue must do without
		_, err := s.c.try("scancel", s.run)
		must(t, err)
	}
	if state := s.await(t, s.run); state != s.what.state {
		t.Errorf("the job ended %s, want %s\n%s", state, s.what.state, s.c.logs())
	}
	state := s.await(t, s.analysis)
	text := s.text(t)
	if state != "COMPLETED" {
		t.Errorf("the analysis ended %s", state)
	}
	s.checkText(t, text)
	if s.what.script == "live.sbatch" {
		s.collected(t)
	}
	if t.Failed() {
		t.Log(text, s.c.logs())
	}
}

// collected: the nodes have nothing left of the run.
func (s submitted) collected(t *testing.T) {
	t.Helper()
	manifest, err := os.ReadFile(s.c.path("work/laggard-" + s.run + "/" + model.ManifestName))
	must(t, err)
	m, err := model.ParseManifest(manifest)
	must(t, err)
	left, err := s.c.try("srun", "--nodes=4", "--ntasks-per-node=1", "find", "/dev/shm", "-name", "laggard-"+m.RunID)
	if err != nil || strings.Contains(left, "laggard-") {
		t.Errorf("on the nodes is still %q (%v)", left, err)
	}
}

// text is what the analysis wrote.
func (s submitted) text(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(s.c.path("work/laggard-diagnosis-" + s.analysis + ".txt"))
	must(t, err)
	return string(text)
}

// hangs tells whether the run directory shows where the rank is that hangs.
func (s submitted) hangs(t *testing.T) bool {
	time.Sleep(time.Second)
	out, _ := s.c.try(filepath.Join(binaries(t), "laggard"), "diagnose", "laggard-"+s.run)
	return strings.Contains(out, " in "+s.what.function[0]+" (")
}

var jobState = regexp.MustCompile(`JobState=(\w+)`)

// await waits for the end of a job and tells how it ended.
func (s submitted) await(t *testing.T, job string) (state string) {
	t.Helper()
	s.c.eventually(t, "the end of job "+job, func() bool {
		out, err := s.c.try("scontrol", "show", "job", job)
		must(t, err)
		state = jobState.FindStringSubmatch(out)[1]
		return !slices.Contains([]string{"PENDING", "RUNNING", "COMPLETING", "CONFIGURING", "SUSPENDED"}, state)
	})
	return state
}

// checkText wants the rank and a marked line in the report.
func (s submitted) checkText(t *testing.T, text string) {
	t.Helper()
	want := s.what.scenario
	rank := want.least[0]
	if !strings.HasPrefix(text, fmt.Sprintf("Rank %d is least progressed, of %d ranks", rank, want.size())) {
		t.Errorf("the analysis does not name rank %d", rank)
	}
	place := regexp.MustCompile(fmt.Sprintf(`(?m)^  rank %d .* (?:in|by) %s \(%s:(\d+)\)`, rank, want.function[0],
		regexp.QuoteMeta(want.source)))
	found := place.FindStringSubmatch(text)
	if found == nil {
		t.Errorf("the analysis does not say that rank %d is in %s", rank, want.function[0])
		return
	}
	line, err := strconv.Atoi(found[1])
	must(t, err)
	if spans := marks(t, want.source)[want.mark[0]]; !covers(spans, line) {
		t.Errorf("the analysis says line %d, want %v", line, spans)
	}
}
