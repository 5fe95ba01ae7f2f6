package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"laggard/injector/provoke"
	"laggard/internal/musttest"
)

// TestExpect: a command that rejects the output is told from one that cannot be run.
func TestExpect(t *testing.T) {
	dir := t.TempDir()
	log := musttest.Get(os.Create(filepath.Join(dir, "log.txt")))(t)
	defer log.Close()
	o := &provoke.Outcome{Dir: filepath.Join(dir, "run-0")}
	musttest.Succeed(t, os.WriteFile(o.Dir+".out", []byte("sum = 42\n"), 0o600))
	for expect, want := range map[string]provoke.Failure{"": "", "grep -q 42": "", "grep -q 43": provoke.Rejected, "grepp -q 42": ""} {
		r := perturbedRunner{expect: expect, log: log}
		got, err := r.judge(o, false)
		var usage usageError
		if got != want || errors.As(err, &usage) != (expect == "grepp -q 42") {
			t.Errorf("--expect %q: %q, %v", expect, got, err)
		}
	}
}
