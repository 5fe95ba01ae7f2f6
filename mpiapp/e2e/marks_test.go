//go:build e2e

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// span is a range of lines, both included.
type span struct{ first, last int }

// Names of marks that are not of the form "here NAME".
const (
	inLoop    = "loop"
	afterCall = "last call"
)

// readMarks reads the comments of a program that say where its fault is.
func readMarks(t *testing.T, source string) map[string][]span {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(programs, source))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]span{}
	begin := 0
	for i, line := range strings.Split(string(text), "\n") {
		_, mark, ok := strings.Cut(line, "LAGGARD: ")
		if !ok {
			continue
		}
		mark = strings.TrimSpace(strings.TrimSuffix(mark, "*/"))
		switch mark {
		case "loop begin":
			begin = i + 1
		case "loop end":
			found[inLoop] = append(found[inLoop], span{begin, i + 1})
		default:
			found[mark] = append(found[mark], span{i + 1, i + 1})
		}
	}
	return found
}

// coversLine reports whether one of the spans has the line.
func coversLine(spans []span, line int) bool {
	for _, s := range spans {
		if line >= s.first && line <= s.last {
			return true
		}
	}
	return false
}
