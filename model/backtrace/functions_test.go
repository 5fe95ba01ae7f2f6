package backtrace

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var inTable = regexp.MustCompile(`(?m)^\w.*\b(MPIX?_\w+)\(`)

// TestFunctionsAreThoseOfTheRecorder: functions.txt has the names of the
// recorder's table.
func TestFunctionsAreThoseOfTheRecorder(t *testing.T) {
	table, err := os.ReadFile("../../recorder/functions.tbl")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range inTable.FindAllStringSubmatch(string(table), -1) {
		want = append(want, m[1])
	}
	slices.Sort(want)
	if diff := cmp.Diff(slices.Compact(want), strings.Fields(functionsText)); diff != "" {
		t.Errorf("recorder/functions.tbl (-) and functions.txt (+) differ:\n%s", diff)
	}
}
