package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"laggard/report"
)

func TestVerdict(t *testing.T) {
	damaged := &report.Result{DamagedRanks: []int{4}}
	problem := &report.Result{Problems: []string{"manifest.json: bad manifest"}}
	for _, c := range []struct {
		name     string
		exitCode bool
		result   *report.Result
		want     int
	}{
		{"all well", true, &report.Result{}, exitOK},
		{"a hang, not asked", false, &report.Result{Hang: true}, exitOK},
		{"a hang", true, &report.Result{Hang: true}, exitFindings},
		{"a lost rank", true, &report.Result{LostRanks: []int{3}}, exitFindings},
		{"damage", false, damaged, exitDamaged},
		{"damage, asked for findings", true, damaged, exitDamaged},
		{"a problem with no rank", false, problem, exitDamaged},
		{"both, not asked", false, &report.Result{Hang: true, DamagedRanks: []int{4}}, exitDamaged},
		{"both", true, &report.Result{Hang: true, DamagedRanks: []int{4}}, exitFindings},
	} {
		got, exit := exitOK, exitError{}
		if err := verdict(c.exitCode, c.result); errors.As(err, &exit) {
			got = exit.code
		} else if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if got != c.want {
			t.Errorf("%s: exit status %d, want %d", c.name, got, c.want)
		}
	}
}

// TestForward: only OpenMPI's launchers are told which variables to hand on.
func TestForward(t *testing.T) {
	env := map[string]string{"LD_PRELOAD": "l.so", "LAGGARD_DIR": "d"}
	args := []string{"-np", "4", "./app"}
	told := append([]string{"-x", "LAGGARD_DIR", "-x", "LD_PRELOAD"}, args...)
	for _, c := range []struct {
		launcher, version string
		want              []string
	}{
		{"mpirun", "mpirun (Open MPI) 4.1.4", told},
		{"mpiexec.openmpi", "mpiexec.openmpi (OpenRTE) 4.1.4", told},
		{"prterun", "prterun (PRTE) 3.0", told},
		{"mpirun", "HYDRA build details:", args},
		{"mpiexec", "Intel(R) MPI Library for Linux* OS, Version 2021", args},
		{"srun", "mentions Open MPI, but is none of its launchers", args},
		{"app", "Open MPI", args},
	} {
		path := filepath.Join(t.TempDir(), c.launcher)
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho '"+c.version+"'\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		if got := forward(path, args, env); !slices.Equal(got, c.want) {
			t.Errorf("%s, %s: %q, want %q", c.launcher, c.version, got, c.want)
		}
	}
}

func TestMovingNote(t *testing.T) {
	for want, ranks := range map[string][]int{
		"the job is running: rank 3 makes progress":     {3},
		"the job is running: ranks 0-2,7 make progress": {0, 1, 2, 7},
	} {
		if got := movingNote(ranks); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
