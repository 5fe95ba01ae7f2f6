package musttest

import (
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"

	"laggard/internal/checktest"
)

// Get ends the test if a step failed, and returns what it gave. Where says which step it was, if the test makes several on that line:
//
//	text := musttest.Get(os.ReadFile(name))(t)
func Get[T any](value T, err error) func(t testing.TB, where ...any) T {
	return func(t testing.TB, where ...any) T {
		t.Helper()
		Succeed(t, err, where...)
		return value
	}
}

// Succeed ends the test if a step failed.
func Succeed(t testing.TB, err error, where ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(append(where, err)...)
	}
}

// Equal ends the test if a value is not the wanted one, as checktest.Equal reports it.
func Equal[T any](t testing.TB, want, got T, where ...any) {
	t.Helper()
	if !checktest.Equal(t, want, got, where...) {
		t.FailNow()
	}
}

// EqualBy is Equal with an option of the comparison.
func EqualBy[T any](t testing.TB, option cmp.Option, want, got T, where ...any) {
	t.Helper()
	if !checktest.EqualBy(t, option, want, got, where...) {
		t.FailNow()
	}
}

// Run runs a command that has to succeed, and returns what it printed.
func Run(t testing.TB, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	Succeed(t, err, cmd, string(out))
	return string(out)
}
