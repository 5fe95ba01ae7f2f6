package bound

import (
	"errors"
	"testing"

	"laggard/internal/checktest"
)

func TestCatch(t *testing.T) {
	failed := errors.New("failed")
	if err := CatchPanic(func() error { return failed }); err != failed {
		t.Errorf("%v", err)
	}
	if err := CatchPanic(func() error { panic("no such register") }); err == nil || err.Error() != "no such register" {
		t.Errorf("%v", err)
	}
	checktest.ErrorIs(t, nil, CatchPanic(func() error { return nil }))
}
