package progress

import (
	"slices"
	"strings"
	"testing"

	"laggard/model"
)

// seenAt is a diagnosis of a running job of eight ranks.
func seenAt(lp ...int) *Result {
	r := &Result{Running: true}
	r.Size, r.RankOrder = 8, []model.RankSet{model.NewRankSet(0, 1, 2, 3, 4, 5, 6), model.NewRankSet(7)}
	if len(lp) > 0 {
		r.LeastProgressed = &LeastProgressed{Ranks: model.NewRankSet(lp...)}
	}
	return r
}

func levelTexts(order []model.RankSet) (out []string) {
	for _, level := range order {
		out = append(out, level.String())
	}
	return out
}

func tallyOf(looks ...*Result) *tally {
	t := &tally{}
	for _, r := range looks {
		t.add(r)
	}
	return t
}

func TestTallyNamesTheRankThatIsBehindForLong(t *testing.T) {
	shown := seenAt(5)
	got := tallyOf(seenAt(5), seenAt(2), seenAt(1, 3, 5), shown, seenAt(5), seenAt()).bestLook()
	if got != shown && got.LeastProgressed.Ranks.String() != "5" {
		t.Errorf("it shows %+v", got.LeastProgressed)
	}
	if want := []string{"5", "2", "1,3", "0,4,6-7"}; !slices.Equal(levelTexts(got.RankOrder), want) {
		t.Errorf("order %q, want %q", got.RankOrder, want)
	}
	if l := got.LeastProgressed; !strings.Contains(Say.Reason(l), "in 6 samples of the running job it was behind for 56 % of the time") ||
		l.Confidence < 0.55 || l.Confidence > 0.56 {
		t.Errorf("%v: %s", l.Confidence, Say.Reason(l))
	}
}

func TestTallyNamesNobodyByChance(t *testing.T) {
	for name, looks := range map[string][]*Result{
		"in turns":  {seenAt(0), seenAt(1), seenAt(2), seenAt(3)},
		"all":       {seenAt(0, 1, 2, 3, 4, 5, 6, 7), seenAt(0, 1, 2, 3, 4, 5, 6, 7)},
		"most":      {seenAt(1, 2, 3, 4, 5, 6, 7), seenAt(1, 2, 3, 4, 5, 6, 7), seenAt(1, 2, 3, 4, 5, 6, 7)},
		"never":     {seenAt(), seenAt()},
		"once":      {seenAt(3)},
		"not alone": {seenAt(1, 2), seenAt(1, 3), seenAt(1, 4)},
		"seldom":    {seenAt(1), seenAt(0), seenAt(2), seenAt(1), seenAt(4), seenAt(), seenAt()},
	} {
		t.Run(name, func(t *testing.T) {
			before := looks[len(looks)-1]
			if got := tallyOf(looks...).bestLook(); got != before || got.LeastProgressed != nil {
				t.Errorf("it says %+v", got.LeastProgressed)
			}
		})
	}
}
