package checktest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Equal reports how a value differs from the wanted one, and whether it is equal. Where says which value it is, if the test compares
// several on that line.
func Equal[T any](t testing.TB, want, got T, where ...any) bool {
	t.Helper()
	return EqualBy(t, everyField, want, got, where...)
}

// everyField compares also those that are not exported.
var everyField = cmp.Exporter(func(reflect.Type) bool { return true })

// EqualBy is Equal with an option of the comparison.
func EqualBy[T any](t testing.TB, option cmp.Option, want, got T, where ...any) bool {
	t.Helper()
	diff := cmp.Diff(want, got, option)
	if diff != "" {
		t.Errorf("%s(-want +got):\n%s", fmt.Sprintln(where...), diff)
	}
	return diff == ""
}

// ErrorIs reports an error that does not wrap the wanted one.
func ErrorIs(t testing.TB, want, got error, where ...any) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Errorf("%s%v, want %v", fmt.Sprintln(where...), got, want)
	}
}

// Fails reports a step that did not fail with an error that wraps the wanted one:
//
//	checktest.Fails(ParseIgnore(text))(t, ErrIgnore)
func Fails[T any](_ T, err error) func(t testing.TB, want error, where ...any) {
	return func(t testing.TB, want error, where ...any) {
		t.Helper()
		ErrorIs(t, want, err, where...)
	}
}

// Contains reports the texts that are not in a text.
func Contains(t testing.TB, text string, wants ...string) {
	t.Helper()
	for _, want := range wants {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// EqualList is Equal for lists, of which none is as good as an empty one.
func EqualList[E any](t testing.TB, want, got []E, where ...any) bool {
	t.Helper()
	return len(want)+len(got) == 0 || Equal(t, want, got, where...)
}
