package progress

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"laggard/analysis/progress/inference"
	"laggard/injector/judgedtest"
	"laggard/internal/musttest"
	"laggard/model"
)

// score is how an algorithm did over many standstills.
type score struct {
	cases, named, exact int // standstills; the frozen rank named; and no other
	pairs, right, wrong int // pairs of ranks that the truth orders
}

func fractionOf(n, of int) float64 { return float64(n) / float64(max(of, 1)) }

func (s score) String() string {
	return fmt.Sprintf("%d cases: named %.4f, exactly %.4f; %d pairs: right %.4f, wrong %.4f",
		s.cases, fractionOf(s.named, s.cases), fractionOf(s.exact, s.cases),
		s.pairs, fractionOf(s.right, s.pairs), fractionOf(s.wrong, s.pairs))
}

// measureAccuracy lets an algorithm judge standstills, with no evidence given.
func measureAccuracy(t testing.TB, algorithm string, h how, seed uint64, runs int) score {
	var s score
	rng := rand.New(rand.NewPCG(seed, 1))
	for range runs {
		st := randomStandstill(rng, h)
		if st == nil || !st.lagIsBehindAll() {
			continue
		}
		s.add(t, algorithm, st)
	}
	return s
}

func (s *score) add(t testing.TB, algorithm string, st *standstill) {
	opts := Options{Algorithm: algorithm}
	sum, part := analyseBlocks(t, [][]*model.Rank{st.ranks}, opts, nil)
	f := musttest.Get(FindLP(sum, part, opts))(t)
	if algorithm == inference.DefaultAlgorithm {
		c := judgedtest.Case{Source: "generated program", Confidence: f.Confidence,
			Right: f.Ranks.Equal(model.NewRankSet(st.lag))}
		musttest.Succeed(t, judgedtest.AppendCase(c))
	}
	s.cases++
	if f.Ranks.Contains(st.lag) {
		s.named++
		if f.Ranks.Len() == 1 {
			s.exact++
		}
	}
	for a := range st.at {
		for b := range a {
			c, known := st.compare(a, b)
			if !known {
				continue
			}
			s.pairs++
			code, _ := f.order.Relate(a, b)
			if code == codeOf(c > 0) {
				s.right++
			}
			if code == codeOf(c < 0) {
				s.wrong++
			}
		}
	}
}

// codeOf is the code of a pair of which the first is ahead, or behind.
func codeOf(ahead bool) inference.Code {
	if ahead {
		return inference.Forward
	}
	return inference.Backward
}

// families are the programs that are measured, and the least shares of cases
// named and of pairs right.
var families = []struct {
	name         string
	how          how
	named, right float64
}{
	{"alike", how{}, 0.99, 0.99},
	{"unequal-trips", how{unequalTrips: true}, 0.99, 0.99},
	{"rank-branches", how{rankBranches: true}, 0.97, 0.98},
	{"random-branches", how{rankBranches: true, randomArms: true}, 0.92, 0.96},
	{"everything", how{true, true, true}, 0.92, 0.96},
}

// From the iterations of loops alone the frozen rank is named, and the others are
// ordered. BenchmarkAccuracy shows the same shares on more programs.
func TestLoopAwareAccuracy(t *testing.T) {
	for _, fam := range families {
		s := measureAccuracy(t, inference.LoopAware, fam.how, 1, 150)
		if fractionOf(s.exact, s.cases) < fam.named || fractionOf(s.right, s.pairs) < fam.right {
			t.Errorf("%s: %v", fam.name, s)
		}
	}
}

// BenchmarkAccuracy compares the algorithms on the same programs:
//
//	go test ./analysis/progress -run '^$' -bench Accuracy -benchtime 1x
func BenchmarkAccuracy(b *testing.B) {
	for _, fam := range families {
		for _, algorithm := range []string{inference.LoopAware, inference.PDI} {
			b.Run(fam.name+"/"+algorithm, func(b *testing.B) {
				var s score
				for range b.N {
					s = measureAccuracy(b, algorithm, fam.how, 3, 2000)
				}
				b.ReportMetric(fractionOf(s.named, s.cases), "named")
				b.ReportMetric(fractionOf(s.exact, s.cases), "exact")
				b.ReportMetric(fractionOf(s.right, s.pairs), "pairs-right")
				b.ReportMetric(fractionOf(s.wrong, s.pairs), "pairs-wrong")
			})
		}
	}
}
