//go:build e2e

package e2e

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// What the checks must reach, of the runs of each line of the table.
const (
	recallBar      = 0.95
	specificityBar = 0.97
	conclusiveBar  = 0.99
	lineBar        = 0.95
)

// usageScore counts runs.
type usageScore struct {
	runs, conclusive    int
	faulty, found, line int
	correct, clean      int
	strays              int // findings of another class in faulty programs
}

func (s *usageScore) addRun(r usageRun) {
	s.runs++
	s.conclusive += boolToInt(r.conclusive)
	if r.faulty {
		s.faulty++
		s.found += boolToInt(r.found)
		s.line += boolToInt(r.line)
		s.strays += r.strays
		return
	}
	s.correct++
	s.clean += boolToInt(r.conclusive && r.strays == 0)
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// shareOf is n of m; of nothing, all.
func shareOf(n, m int) float64 {
	if m == 0 {
		return 1
	}
	return float64(n) / float64(m)
}

func (s usageScore) tableRow(name string) string {
	return fmt.Sprintf("%-24s %4d  %5.3f  %5.3f  %5.3f  %5.3f  %3d\n", name, s.runs,
		shareOf(s.found, s.faulty), shareOf(s.line, s.found), shareOf(s.clean, s.correct), shareOf(s.conclusive,
			s.runs), s.strays)
}

// scoreUsage prints the table and fails for what is below its bar, with the runs
// that were judged wrong.
func scoreUsage(t *testing.T, runs []usageRun) {
	slices.SortFunc(runs, func(a, b usageRun) int {
		return cmp.Or(cmp.Compare(a.source, b.source), cmp.Compare(a.family, b.family),
			cmp.Compare(boolToInt(b.faulty), boolToInt(a.faulty)))
	})
	var all usageScore
	classes, parts := map[string]*usageScore{}, map[string]*usageScore{}
	for _, r := range runs {
		all.addRun(r)
		scoreIn(classes, r.classes[0]).addRun(r)
		scoreIn(parts, r.family).addRun(r)
		scoreIn(parts, partOf(r)).addRun(r)
	}
	t.Log("\n" + usageTable(all, classes, parts))
	failing := belowBar(all, classes)
	if len(failing) > 0 {
		t.Errorf("below the bar: %s\n%s", strings.Join(failing, ", "), wrongRuns(runs))
	} else if wrong := wrongRuns(runs); wrong != "" {
		t.Log("\n" + wrong)
	}
}

func scoreIn(of map[string]*usageScore, key string) *usageScore {
	if of[key] == nil {
		of[key] = &usageScore{}
	}
	return of[key]
}

func partOf(r usageRun) string {
	if r.heldOut {
		return "held out"
	}
	return "tuned on"
}

func usageTable(all usageScore, classes, parts map[string]*usageScore) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-24s %4s  %5s  %5s  %5s  %5s  %3s\n", "", "runs", "class", "line", "clean", "concl", "stray")
	for _, of := range []map[string]*usageScore{classes, parts} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			b.WriteString(of[name].tableRow(name))
		}
	}
	b.WriteString(all.tableRow("all"))
	return b.String()
}

func belowBar(all usageScore, classes map[string]*usageScore) []string {
	var out []string
	check := func(name string, got, bar float64) {
		if got < bar {
			out = append(out, fmt.Sprintf("%s %.3f < %.2f", name, got, bar))
		}
	}
	check("class", shareOf(all.found, all.faulty), recallBar)
	check("line", shareOf(all.line, all.found), lineBar)
	check("clean", shareOf(all.clean, all.correct), specificityBar)
	check("conclusive", shareOf(all.conclusive, all.runs), conclusiveBar)
	for _, name := range slices.Sorted(maps.Keys(classes)) {
		check("class "+name, shareOf(classes[name].found, classes[name].faulty), recallBar)
	}
	return out
}

// wrongRuns lists what was judged wrong, and why.
func wrongRuns(runs []usageRun) string {
	var b strings.Builder
	for _, r := range runs {
		var wrong string
		switch {
		case !r.conclusive:
			wrong = "inconclusive"
		case r.faulty && !r.found:
			wrong = "not found: " + strings.Join(r.classes, " or ")
		case r.faulty && !r.line:
			wrong = fmt.Sprintf("another line than %v", r.lines)
		case !r.faulty && r.strays > 0:
			wrong = "false"
		default:
			continue
		}
		fmt.Fprintf(&b, "%s (%s) %s %s: %s: %s\n", r.source, partOf(r), r.family, r.programMode(), wrong, r.why)
	}
	return b.String()
}
