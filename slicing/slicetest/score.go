package slicetest

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"laggard/slicing"
)

// Score compares one slice, or the mean of several, with what was expected.
type Score struct {
	Programs  float64 // how many
	Root      float64 // share with the fault in the slice
	First     float64 // share with the fault among the first 20 lines
	Recall    float64
	Precision float64
	Time      time.Duration
}

// first is how many lines a user is thought to look at.
const first = 20

// scoreSlice compares a slice with the markers of a program. Lines of other files
// are none that were expected.
func scoreSlice(p Program, s slicing.Slice) Score {
	lines, found := 0, 0
	out := Score{Programs: 1}
	for n, l := range s.Lines {
		lines++
		if filepath.Base(l.File) != p.Name || !p.Want[l.Line] {
			continue
		}
		found++
		if l.Line == p.Root {
			out.Root = 1
			if n < first {
				out.First = 1
			}
		}
	}
	out.Recall = float64(found) / float64(len(p.Want))
	if lines > 0 {
		out.Precision = float64(found) / float64(lines)
	}
	return out
}

// meanScore adds up scores.
func meanScore(scores []Score) Score {
	var out Score
	for _, s := range scores {
		out.Programs += s.Programs
		out.Root += s.Root
		out.First += s.First
		out.Recall += s.Recall
		out.Precision += s.Precision
		out.Time = max(out.Time, s.Time)
	}
	if n := out.Programs; n > 0 {
		out.Root, out.First, out.Recall, out.Precision = out.Root/n, out.First/n, out.Recall/n, out.Precision/n
	}
	return out
}

// Figures are the scores by set ("tune" or "report") and optimisation, of a
// backend and of the trivial baseline: all lines of the functions on the stack.
type Figures struct {
	Backend  map[string][]Score
	Baseline map[string][]Score
}

// Write prints the figures as a table.
func (f Figures) Write(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 2, 8, 2, ' ', 0)
	fmt.Fprintln(tab, "set\tslices\troot in slice\tin first 20\trecall\tprecision\tslowest\t"+
		"baseline root\tfirst 20\trecall\tprecision")
	keys := slices.Sorted(maps.Keys(f.Backend))
	for _, k := range keys {
		s, b := meanScore(f.Backend[k]), meanScore(f.Baseline[k])
		fmt.Fprintf(tab, "%s\t%.0f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\t%.2f\t%.2f\t%.2f\t%.2f\n", strings.TrimSpace(k),
			s.Programs,
			s.Root, s.First, s.Recall, s.Precision, s.Time.Round(time.Millisecond), b.Root, b.First,
			b.Recall, b.Precision)
	}
	return tab.Flush()
}
