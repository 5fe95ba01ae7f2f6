package musttest

import "testing"

// Get ends the test if a step failed, and returns what it gave:
//
//	text := musttest.Get(os.ReadFile(name))(t)
func Get[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		Succeed(t, err)
		return value
	}
}

// Succeed ends the test if a step failed.
func Succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
