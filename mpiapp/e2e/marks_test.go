//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"laggard/internal/musttest"
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
	text := musttest.Get(os.ReadFile(filepath.Join(programs, source)))(t)
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

// readCases reads what the programs of a folder of testdata/programs say of themselves.
func readCases[T any](t *testing.T, folder string, read func(source, text string) (T, error)) (cases []T) {
	t.Helper()
	for _, path := range musttest.Get(filepath.Glob(filepath.Join(programs, folder, "*.*")))(t) {
		if filepath.Ext(path) != ".md" {
			text := musttest.Get(os.ReadFile(path))(t)
			cases = append(cases, musttest.Get(read(filepath.Join(folder, filepath.Base(path)), string(text)))(t, path))
		}
	}
	return cases
}

// eachComment takes the lines "// KEY: VALUE" that a program begins with, in Fortran "! KEY: VALUE".
func eachComment(text string, take func(key, value string) error) error {
	for line := range strings.Lines(text) {
		key, value, is := strings.Cut(strings.TrimLeft(strings.TrimSpace(line), "/! "), ": ")
		if !is || !strings.HasPrefix(line, "//") && !strings.HasPrefix(line, "!") {
			break
		}
		if err := take(key, value); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
	}
	return nil
}

// coversLine reports whether one of the spans has the line.
func coversLine(spans []span, line int) bool {
	return slices.ContainsFunc(spans, func(s span) bool { return line >= s.first && line <= s.last })
}
