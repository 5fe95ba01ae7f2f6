package main

import (
	"slices"
	"strings"
	"testing"

	"laggard/report/diagnosis"
)

// look is a diagnosis of a running job of eight ranks.
func look(lp ...int) *diagnosis.Result {
	r := &diagnosis.Result{Ranks: 8, Running: true, RankOrder: []string{"0-6", "7"}}
	if len(lp) > 0 {
		r.LeastProgressed = &diagnosis.LeastProgressed{Ranks: lp, Reason: "because"}
	}
	return r
}

func tallyOf(looks ...*diagnosis.Result) *tally {
	t := &tally{}
	for _, r := range looks {
		t.add(r)
	}
	return t
}

func TestTallyNamesTheRankThatIsBehindForLong(t *testing.T) {
	shown := look(5)
	got := tallyOf(look(5), look(2), look(1, 3, 5), shown, look(5), look()).result()
	if got != shown && !slices.Equal(got.LeastProgressed.Ranks, []int{5}) {
		t.Errorf("it shows %+v", got.LeastProgressed)
	}
	if want := []string{"5", "2", "1,3", "0,4,6-7"}; !slices.Equal(got.RankOrder, want) {
		t.Errorf("order %q, want %q", got.RankOrder, want)
	}
	if l := got.LeastProgressed; !strings.Contains(l.Reason, "56 % of the time") || l.Confidence < 0.55 || l.Confidence > 0.56 {
		t.Errorf("%v: %s", l.Confidence, l.Reason)
	}
}

func TestTallyNamesNobodyByChance(t *testing.T) {
	for name, looks := range map[string][]*diagnosis.Result{
		"in turns":  {look(0), look(1), look(2), look(3)},
		"all":       {look(0, 1, 2, 3, 4, 5, 6, 7), look(0, 1, 2, 3, 4, 5, 6, 7)},
		"never":     {look(), look()},
		"once":      {look(3)},
		"not alone": {look(1, 2), look(1, 3), look(1, 4)},
		"seldom":    {look(1), look(0), look(2), look(1), look(4), look(), look()},
	} {
		t.Run(name, func(t *testing.T) {
			before := looks[len(looks)-1]
			if got := tallyOf(looks...).result(); got != before || got.LeastProgressed != nil {
				t.Errorf("it says %+v", got.LeastProgressed)
			}
		})
	}
}
