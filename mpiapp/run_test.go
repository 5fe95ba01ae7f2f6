package main

import (
	"errors"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/job"
	"laggard/report/diagnosis"
)

func TestVerdict(t *testing.T) {
	damaged := &diagnosis.Result{DamagedRanks: []int{4}}
	problem := &diagnosis.Result{Problems: []string{"manifest.json: bad manifest"}}
	for _, c := range []struct {
		name     string
		exitCode bool
		result   *diagnosis.Result
		want     int
	}{
		{"all well", true, &diagnosis.Result{}, exitOK},
		{"a hang, not asked", false, &diagnosis.Result{Hang: true}, exitOK},
		{"a hang", true, &diagnosis.Result{Hang: true}, exitFindings},
		{"a lost rank", true, &diagnosis.Result{LostRanks: []int{3}}, exitFindings},
		{"damage", false, damaged, exitDamaged},
		{"damage, asked for findings", true, damaged, exitDamaged},
		{"a problem with no rank", false, problem, exitDamaged},
		{"both, not asked", false, &diagnosis.Result{Hang: true, DamagedRanks: []int{4}}, exitDamaged},
		{"both", true, &diagnosis.Result{Hang: true, DamagedRanks: []int{4}}, exitFindings},
	} {
		got, exit := exitOK, exitError{}
		if err := statusError(c.exitCode, c.result); errors.As(err, &exit) {
			got = exit.code
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		checktest.Equal(t, c.want, got, c.name, "exit status")
	}
}

// TestNoEscapes: what an error quotes cannot drive the terminal.
func TestNoEscapes(t *testing.T) {
	var out, errw strings.Builder
	execute([]string{"diagnose", "none\x1b[2J\u202e"}, &out, &errw)
	if text := errw.String(); !strings.Contains(text, `none\u001b[2J\u202e`) || strings.Contains(text, "\x1b") {
		t.Errorf("%q", text)
	}
}

// TestKeptOut: of ranks in containers that were not recorded it is said what is missing.
func TestKeptOut(t *testing.T) {
	for command, want := range map[string]string{
		"mpirun -np 4 ./app": "",
		"mpirun apptainer exec --bind /opt image ./app -e":                "the container must see",
		"mpirun apptainer exec --cleanenv image ./app":                    "apptainer --cleanenv drops",
		"mpirun /usr/bin/singularity exec --bind /opt,/home -C image app": "singularity -C drops",
		"mpirun podman run -e A=1 image app":                              "the container must see",
	} {
		got := containerObstacle(job.Recording{Dir: "/home/me/run7"}, strings.Fields(command))
		if got == "" != (want == "") || !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", command, got)
		}
		if strings.HasPrefix(got, "the container") && !strings.Contains(got, "/home/me/run7") {
			t.Errorf("%s: it does not say which directory: %q", command, got)
		}
	}
}

// TestHelperSettings: the watcher beside rank 0 has the settings that exec was given.
func TestHelperSettings(t *testing.T) {
	a := nodeHelpers{&app{config: "site.toml", overrides: []string{"run.values=false", "symbols.debuginfod=false"}}}
	got := strings.Join(a.helperArguments(job.Recording{}, "watch", "1:2", "run")[1:], " ")
	const want = "--config site.toml --set run.values=false --set symbols.debuginfod=false watch "
	if !strings.HasPrefix(got, want) {
		t.Errorf("%q does not begin with %q", got, want)
	}
}

// TestDroppedBy: of a launcher that does not pass variables on it is said how it is told not to.
func TestDroppedBy(t *testing.T) {
	for _, c := range []struct{ exported, command, want string }{
		{"", "srun -n 4 sh", ""},
		{"", "srun -n 4 --export=NONE sh", "srun --export=NONE (not ALL)"},
		{"", "srun --export A,B=1 sh", "srun --export=A,B=1 (not ALL)"},
		{"", "srun --export=ALL,B=1 sh", ""},
		{"", "srun -n 4 sh --export=pdf", ""},
		{"NONE", "srun -n 4 sh", "SLURM_EXPORT_ENV=NONE (not ALL)"},
		{"NONE", "srun --export=ALL sh", ""},
		{"NONE", "mpirun -n 4 sh", ""},
		{"", "mpiexec -launcher ssh -n 4 sh", ""},
		{"", "ssh node7 mpirun -n 4 ./app", "ssh"},
		{"", "sudo mpirun -n 4 sh", "sudo"},
		{"", "mpirun -n 4 env -i sh", "env -i"},
	} {
		t.Setenv("SLURM_EXPORT_ENV", c.exported)
		got := droppedBy(strings.Fields(c.command))
		checktest.Equal(t, c.want, got, c.exported, c.command)
	}
}
