package progress

import (
	"strings"
	"testing"

	"laggard/analysis/divergence"
	"laggard/internal/checktest"
	"laggard/model"
)

// TestUnlike: a last collective made from two places is remarkable only where those before
// it were not.
func TestUnlike(t *testing.T) {
	for name, c := range map[string]struct {
		one, other string // a letter for the place of each call
		differs    bool
	}{
		"alike":             {"abcab", "abcab", false},
		"apart at the end":  {"abcab", "abcac", true},
		"apart all along":   {"mmmmm", "wwwww", false},
		"apart once before": {"abcab", "abdac", false},
		"a last call fewer": {"abcab", "abca", false},
	} {
		line := func(rank int, places string) divergence.Line {
			l := divergence.Line{Ranks: model.NewRankSet(rank)}
			for i, place := range strings.Split(places, "") {
				begun := model.Begun{Mark: model.Mark{Number: uint64(i + 1)}}
				l.Latest = append(l.Latest, divergence.Call{
					Begun: begun, Place: place, State: &model.State{Call: "MPI_Bcast"},
				})
			}
			return l
		}
		begun := []divergence.Comm{{ID: 1, Lines: []divergence.Line{line(0, c.one), line(1, c.other)}}}
		checktest.Equal(t, c.differs, unusualSites(begun, 1, begun[0].Lines[0].Latest) != nil, name)
	}
}
