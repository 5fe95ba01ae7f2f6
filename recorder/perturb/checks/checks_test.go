package checks

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/musttest"
	"laggard/model/mpi"
)

const recorder = "../.."

// build makes testdata/follow.c with the recorder's own files.
func build(t *testing.T) string {
	t.Helper()
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler: ", err)
	}
	dir := t.TempDir()
	musttest.Run(t, exec.Command("go", "run", "../../gen", dir))
	program := filepath.Join(dir, "follow")
	cmd := exec.Command(cc, "-std=gnu11", "-Wall", "-Werror", "-fsanitize=undefined", "-I"+recorder, "-I"+dir, "-o", program,
		"testdata/follow.c", recorder+"/perturb/schedule.c", recorder+"/base/pages.c")
	musttest.Run(t, cmd)
	return program
}

// follow gives what a program makes of choices that are open, and its exit status.
func follow(t *testing.T, program, schedule string, open []string) (made []string, status int) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "schedule")
	musttest.Succeed(t, os.WriteFile(name, []byte(schedule), 0o600))
	cmd := exec.Command(program, name)
	cmd.Stdin = strings.NewReader(strings.Join(open, "\n"))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return strings.Fields(string(out)), cmd.ProcessState.ExitCode()
}

func choice(c mpi.Choice, rank int, site, count uint64) string {
	return fmt.Sprintf("%d %d %x %d", c, rank, site, count)
}

const head = "laggard-schedule 1 seed 7 longest 300000 budget 2500000\n"

func TestBrokenSchedulesAreNotFollowed(t *testing.T) {
	program := build(t)
	for _, text := range []string{
		"", "x", "laggard-schedule 2 seed 1 longest 1 budget 1\n", "laggard-schedule 1 seed 1 longest 1\n", head + "rule luck 0 0 0 1 1\n",
		head + "rule send 0 0 0 1\n", head + "rule send 0 0 0 1 1\nmore\n", head + strings.Repeat("rule send 0 1 0 1 1\n", 5000),
		head + strings.Repeat("x", 1<<20), head + "rule " + strings.Repeat("s", 100) + " 0 0 0 1 1\n",
	} {
		if made, status := follow(t, program, text, []string{choice(mpi.SendMode, 0, 1, 1)}); status != 1 || len(made) > 0 {
			t.Errorf("%.60q: status %d, made %v", text, status, made)
		}
	}
}

func TestSingleChoices(t *testing.T) {
	program := build(t)
	got, _ := follow(t, program, head+"rule delay 2 ab 3 1000000 42\nrule send -1 0 0 1000000 0\n", []string{
		choice(mpi.Delay, 2, 0xab, 3), choice(mpi.Delay, 2, 0xab, 4), choice(mpi.Delay, 1, 0xab, 3), choice(mpi.Delay, 2, 0xac, 3),
		choice(mpi.Match, 2, 0xab, 3), choice(mpi.SendMode, 5, 1, 9),
	})
	if want := []string{"42", "-", "-", "-", "-", "0"}; !slices.Equal(got, want) {
		t.Errorf("made are %v, want %v", got, want)
	}
}

// TestLeavingOutRulesChangesNoOtherChoice: a reduction relies on it.
func TestLeavingOutRulesChangesNoOtherChoice(t *testing.T) {
	program := build(t)
	var open []string
	for site := range uint64(4) {
		for count := range uint64(500) {
			open = append(open, choice(mpi.Delay, int(count%4), site+1, count+1))
		}
	}
	all, _ := follow(t, program, head+"rule send -1 0 0 500000 9\nrule match 0 7 0 500000 9\nrule delay -1 0 0 250000 1000\n", open)
	one, _ := follow(t, program, head+"rule delay 2 3 0 250000 1000\n", open)
	taken := 0
	for i, o := range open {
		if all[i] != "-" {
			taken++
		}
		var kind, rank, site int
		_, _ = fmt.Sscanf(o, "%d %d %x", &kind, &rank, &site)
		if want := all[i]; rank == 2 && site == 3 && one[i] != want || (rank != 2 || site != 3) && one[i] != "-" {
			t.Errorf("choice %s: %s by itself, %s with the others", o, one[i], want)
		}
	}
	if share := float64(taken) / float64(len(open)); share < 0.2 || share > 0.3 {
		t.Errorf("%.2f of the choices are made, want a quarter", share)
	}
}
