//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"laggard/internal/musttest"
	"laggard/model"
	"laggard/model/runfiles"
)

// unrecorded is a hang that is looked at without a recorder, with waits that the
// arguments of the blocked calls must tell: a pattern for each.
type unrecorded struct {
	source, mode string
	flags        []string
	waits        []string
}

// TestAttach starts programs without the recorder, and looks at them when they hang.
func TestAttach(t *testing.T) {
	t.Parallel()
	attachAndCheck(t, []unrecorded{
		{"before_collective.c", "hang", []string{"-O2"}, []string{
			`is in MPI_Allreduce on MPI_COMM_WORLD, which rank 3 is not in`}},
		{"cycle.c", "ssend", []string{"-O0"}, []string{
			`rank 1 is in MPI_Ssend to rank 4 with tag 9 on MPI_COMM_WORLD`}},
	})
}

// TestAttachDeadline: ranks poll for messages until a deadline that is far away, with local calls between the polls. A job in which nobody
// sends any more hangs, and one whose ranks go on is running.
func TestAttachDeadline(t *testing.T) {
	t.Parallel()
	eachFamily(t, func(t *testing.T, f family) {
		for _, hangs := range []bool{true, false} {
			mode := map[bool]string{true: "hang", false: "run"}[hangs]
			t.Run(mode, func(t *testing.T) {
				t.Parallel()
				env, program := f.runEnvironment(t), f.buildProgram(t, "deadline.c", "-O1", "-g")
				startJob(t, env, nil, append(f.launchCommand(4), program, mode)...)
				var dir string
				var got outcome
				for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Second) {
					dir = filepath.Join(t.TempDir(), fmt.Sprint(time.Now().UnixNano()))
					args := []string{laggardPath(t), "attach", "-o", dir, "--looks", "40", "--over", "2s"}
					got = runCommand(t, env, appendPIDs(args, programPIDs(t, env, program))...)
					run, err := runfiles.Open(dir)
					if err == nil && len(run.Ranks) == 4 && strings.Contains(got.stdout, "the job is running") != hangs {
						break
					}
				}
				if strings.Contains(got.stdout, "the job is running") == hangs {
					t.Errorf("status %d: %s%s", got.status, got.stdout, got.stderr)
				}
				if a := runDiagnose(t, env, dir); a.Hang != hangs {
					t.Errorf("a hang: %v, want %v", a.Hang, hangs)
				}
			})
		}
	})
}

func attachAndCheck(t *testing.T, cases []unrecorded) {
	eachFamily(t, func(t *testing.T, f family) {
		for _, a := range cases {
			s := hangScenario(t, a.source, a.mode)
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				env := f.runEnvironment(t)
				program := f.buildProgram(t, s.source, a.flags...)
				startJob(t, env, nil, append(f.launchCommand(s.rankCount()), program, s.mode)...)
				text, answer := f.attachUntilHung(t, s, env, program)
				s.checkDiagnosis(t, "attached", answer)
				for _, want := range a.waits {
					if !regexp.MustCompile(want).Match(text) {
						t.Errorf("no wait is %q:\n%s", want, text)
					}
				}
			})
		}
	})
}

func hangScenario(t *testing.T, source, mode string) scenario {
	t.Helper()
	i := slices.IndexFunc(hangs, func(s scenario) bool { return s.source == source && s.mode == mode })
	if i < 0 {
		t.Fatalf("no scenario of %s %s", source, mode)
	}
	return hangs[i]
}

// TestAttachImage: what the ranks run is a file that only they see, as in a container.
func TestAttachImage(t *testing.T) {
	t.Parallel()
	own := []string{"unshare", "--mount"}
	if out := runCommand(t, os.Environ(), append(own, "true")...); out.status != 0 {
		t.Skipf("no mounts of one's own here: %s", out.stderr)
	}
	eachFamily(t, func(t *testing.T, f family) {
		t.Parallel()
		s := hangScenario(t, "before_collective.c", "hang")
		env, image, name := f.runEnvironment(t), t.TempDir(), "laggard-"+s.source
		text := musttest.Get(os.ReadFile(f.buildProgram(t, s.source, "-O0")))(t)
		musttest.Succeed(t, os.WriteFile(filepath.Join(image, name), text, 0o700))
		inside := `mount --bind "$1" /opt && exec "/opt/$2" "$3"`
		args := append(f.launchCommand(s.rankCount()), append(own, "sh", "-c", inside, "sh", image, name, s.mode)...)
		startJob(t, env, nil, args...)
		_, answer := f.attachUntilHung(t, s, env, "/opt/"+name)
		s.checkDiagnosis(t, "attached", answer)
	})
}

// attachUntilHung looks at a job until it stands where it is known to hang, and returns the last
// diagnosis, in JSON and as the tests read it.
func (f family) attachUntilHung(t *testing.T, s scenario, env []string, program string) ([]byte, *diagnosisJSON) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for {
		time.Sleep(time.Second)
		pids := programPIDs(t, env, program)
		late := time.Now().After(deadline)
		if len(pids) != s.rankCount() && !late {
			continue
		}
		dir := filepath.Join(t.TempDir(), fmt.Sprint(time.Now().UnixNano()))
		args := []string{laggardPath(t), "attach", "-o", dir, "--looks", "5", "--over", "1s"}
		got := runCommand(t, env, appendPIDs(args, pids)...)
		if got.status != exitDone && late {
			t.Fatalf("attach: %+v", got)
		} else if got.status != exitDone {
			continue
		}
		_, next, _ := strings.Cut(got.stdout, "Next: laggard diagnose ")
		a := runDiagnose(t, env, strings.Fields(next)...)
		there := a.Hang && a.LeastProgressed != nil && slices.Equal(a.LeastProgressed.Ranks, s.least)
		if there || late {
			again := []string{laggardPath(t), "diagnose", "--json", "--no-slice"}
			got := runCommand(t, env, append(again, strings.Fields(next)...)...)
			var compact bytes.Buffer
			musttest.Succeed(t, json.Compact(&compact, []byte(got.stdout)))
			return compact.Bytes(), a
		}
	}
}

// appendPIDs asks a command of laggard for these processes.
func appendPIDs(args []string, pids []int) []string {
	for _, pid := range pids {
		args = append(args, "--pid", strconv.Itoa(pid))
	}
	return args
}

// attachUntilStill attaches to the ranks of a job, again and again until they stand: each is past MPI_Init, and in one call
// or loop at all looks. It returns the run directory, and how attach ended.
func attachUntilStill(t *testing.T, env []string, program string, ranks int, flags ...string) (dir string, got outcome) {
	t.Helper()
	goesOn := func(r *model.Rank) bool { // without an MPI library it is being started
		return r.QuietSince.IsZero() || r.Phase != model.Running || r.Family == ""
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		dir = filepath.Join(t.TempDir(), "attached")
		args := append([]string{laggardPath(t), "attach", "-o", dir}, flags...)
		got = runCommand(t, env, appendPIDs(args, programPIDs(t, env, program))...)
		run, err := runfiles.Open(dir)
		stands := err == nil && len(run.Ranks) == ranks && !slices.ContainsFunc(run.Ranks, goesOn)
		if stands || time.Now().After(deadline) {
			return dir, got
		}
	}
}

// programPIDs lists the processes of a program that belong to a test by its TMPDIR.
func programPIDs(t *testing.T, env []string, program string) []int {
	t.Helper()
	tmp := env[slices.IndexFunc(env, func(kv string) bool { return len(kv) > 7 && kv[:7] == "TMPDIR=" })]
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	var out []int
	for _, dir := range dirs {
		exe, _ := os.Readlink(filepath.Join(dir, "exe"))
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if pid, _ := strconv.Atoi(filepath.Base(dir)); err == nil && exe == program &&
			bytes.Contains(environ, []byte(tmp+"\x00")) {
			out = append(out, pid)
		}
	}
	return out
}
