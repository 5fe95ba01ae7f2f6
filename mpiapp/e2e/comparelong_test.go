//go:build e2e && long

package e2e

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"laggard/internal/musttest"
)

// leastFound is the part of the seeded changes that must be among the first three differences.
const leastFound = 0.85

// TestCompareLong: of the pairs in testdata/compare.tsv, seeded changes are among the first three differences, and runs of
// equal programs have none.
func TestCompareLong(t *testing.T) {
	pairs := readPairs(t)
	eachFamily(t, func(t *testing.T, f family) {
		changed, found := 0, 0
		for _, p := range pairs {
			if f.compilerFor(p.program) == "" {
				continue // the standard ABI has no Fortran
			}
			good, bad := f.recordPair(t, p)
			c := compareRuns(t, good, bad)
			if p.truth == "-" {
				if len(c.Differences) > 0 {
					t.Errorf("%s: %+v", p.name, c)
				}
				continue
			}
			changed++
			if hasTruth(c, regexp.MustCompile(p.truth)) {
				found++
			} else {
				t.Logf("%s: not found: %+v", p.name, c)
			}
		}
		t.Logf("%d of %d found", found, changed)
		if float64(found) < leastFound*float64(changed) {
			t.Errorf("%d of %d found", found, changed)
		}
	})
}

func hasTruth(c comparisonJSON, truth *regexp.Regexp) bool {
	first := c.Differences[:min(3, len(c.Differences))]
	return slices.ContainsFunc(first, func(d differenceJSON) bool { return truth.MatchString(d.Text) })
}

func readPairs(t *testing.T) (pairs []pairOfRuns) {
	t.Helper()
	text := musttest.Get(os.ReadFile("testdata/compare.tsv"))(t)
	for line := range strings.Lines(string(text)) {
		words := strings.Split(strings.TrimSpace(line), "\t")
		if strings.HasPrefix(line, "#") || len(words) != 7 {
			continue
		}
		p := pairOfRuns{name: words[0], program: words[1], change: words[2], option: words[5], truth: words[6]}
		p.goodRanks, _ = strconv.Atoi(words[3])
		p.badRanks, _ = strconv.Atoi(words[4])
		pairs = append(pairs, p)
	}
	if len(pairs) == 0 {
		t.Fatal("testdata/compare.tsv has no pairs")
	}
	return pairs
}
