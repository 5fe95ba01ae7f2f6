package reporttest

import (
	"fmt"
	"regexp"
	"strings"

	"laggard/model"
	"laggard/report/diagnosis"
)

// claim is a kind of sentence about where ranks are, and what a result must say for it to be true.
type claim struct {
	sentence *regexp.Regexp // the ranks, and the MPI function if it names one
	holds    func(s diagnosis.State, call string) bool
}

var claims = []claim{
	{regexp.MustCompile(`(?:thread of )?\branks? ([0-9][0-9,-]*) (?:is|are) (?:now )?(?:in|inside) (MPIX?_\w+)`),
		func(s diagnosis.State, call string) bool { return s.Kind == "communication" && s.MPI == call }},
	{regexp.MustCompile(`\branks? ([0-9][0-9,-]*) computes?\b`),
		func(s diagnosis.State, _ string) bool { return s.Kind == "computation" }},
	{regexp.MustCompile(`\branks? ([0-9][0-9,-]*): finished, after (MPI_Finalize)`),
		func(s diagnosis.State, call string) bool { return s.Kind == "computation" && s.MPI == call }},
	{regexp.MustCompile(`\branks? ([0-9][0-9,-]*)(?:: | left )no record`),
		func(s diagnosis.State, _ string) bool { return s.Kind == "unknown" }},
}

// Contradictions lists the sentences of a text form that say of ranks that they are where the result that it was made from does
// not have them.
func Contradictions(text string, r *diagnosis.Result) (wrong []string) {
	states := map[int]diagnosis.State{}
	for _, g := range r.Groups {
		ranks, _ := model.ParseRankSet(g.Ranks)
		ranks.Each(func(rank int) { states[rank] = g.State })
	}
	for _, c := range claims {
		for _, m := range c.sentence.FindAllStringSubmatch(text, -1) {
			ranks, err := model.ParseRankSet(m[1])
			if err != nil || strings.HasPrefix(m[0], "thread of ") {
				continue // it was cut, or the state of the rank is that of another thread
			}
			call := ""
			if len(m) > 2 {
				call = m[2]
			}
			ranks.Each(func(rank int) {
				if s, known := states[rank]; known && !c.holds(s, call) {
					wrong = append(wrong, fmt.Sprintf("%q, but rank %d: %s %s", m[0], rank, s.Kind, s.MPI))
				}
			})
		}
	}
	return wrong
}
