package schema

import (
	"bytes"
	"flag"
	"os"
	"strings"
	"testing"

	"laggard/internal/checktest"
	"laggard/internal/musttest"
	"laggard/model/format"
)

var update = flag.Bool("update", false, "write docs/reference/format.md anew")

func parseFormat(t *testing.T) *Table {
	t.Helper()
	return musttest.Get(Parse(format.Table))(t)
}

// TestPageIsCurrent: the tables of docs/reference/format.md are those of the format.
func TestPageIsCurrent(t *testing.T) {
	const path = "../../../docs/reference/format.md"
	old := musttest.Get(os.ReadFile(path))(t)
	page := musttest.Get(parseFormat(t).UpdatePage(string(old)))(t)
	if *update {
		musttest.Succeed(t, os.WriteFile(path, []byte(page), 0o644))
		old = []byte(page)
	}
	checktest.Equal(t, string(old), page, path, "is not current; -update writes it anew")
}

// TestGoIsCurrent: package format has the numbers of its table.
func TestGoIsCurrent(t *testing.T) {
	var b bytes.Buffer
	parseFormat(t).WriteGo(&b)
	got := musttest.Get(os.ReadFile("../layout.go"))(t)
	if _, body, _ := strings.Cut(string(got), "\n"); body != b.String() {
		t.Error("model/format/layout.go differs from the table: go generate ./model/format")
	}
}
