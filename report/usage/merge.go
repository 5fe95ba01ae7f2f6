package usage

import (
	"fmt"
	"slices"
	"strings"

	"laggard/report"
)

const mostWays = 3 // of reaching a finding that are named

// mergedFindings are the findings as a person sees them: where only what called whom further out tells some apart, they are
// one, with the ways that lead there.
func (u *Result) mergedFindings() []Finding {
	var out []Finding
	var alike [][]Finding
	at := map[string]int{}
	for _, f := range u.Findings {
		k := f.displayKey()
		i, seen := at[k]
		if !seen {
			i = len(out)
			at[k] = i
			out, alike = append(out, f), append(alike, nil)
		} else {
			out[i].found.Ranks = out[i].found.Ranks.Union(f.found.Ranks)
			out[i].Ranks = out[i].found.Ranks.String()
			out[i].Count += f.Count
		}
		alike[i] = append(alike[i], f)
	}
	for i := range out {
		out[i].Ways = differingCallers(alike[i])
	}
	return out
}

// displayKey is what is shown of a finding, but for its ranks.
func (f Finding) displayKey() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s\n%s", f.Class, f.Severity, f.Message)
	for _, l := range f.Locations {
		fmt.Fprintf(&b, "\n%s\n%s\n%s", l.Role, l.MPI, placeText(l))
	}
	return b.String()
}

// differingCallers are the callers by which findings that look alike differ: those of the first call that was reached in several
// ways, at the innermost frame that is not the same in all.
func differingCallers(alike []Finding) []string {
	for l := range alike[0].Locations {
		for depth := 1; ; depth++ {
			var callers []string
			for _, f := range alike {
				stack := f.Locations[l].Stack
				if depth >= len(stack) {
					continue
				}
				if caller := frameText(stack[depth]); !slices.Contains(callers, caller) {
					callers = append(callers, caller)
				}
			}
			if len(callers) == 0 {
				break
			}
			if len(callers) > 1 {
				return callers
			}
		}
	}
	return nil
}

func frameText(f report.Frame) string {
	if f.Function == "" {
		return f.String()
	}
	return report.Site{Function: f.Function, File: f.File, Line: f.Line}.String()
}

// waysText names the first of the ways: "solve (cg.c:80), smooth (mg.c:31) and 2 more".
func waysText(f Finding) string {
	if len(f.Ways) <= mostWays {
		return strings.Join(f.Ways, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(f.Ways[:mostWays], ", "), len(f.Ways)-mostWays)
}
