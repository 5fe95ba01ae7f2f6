package scaling

import (
	"math"
	"math/rand/v2"
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/internal/musttest"
	"laggard/model"
)

// cubeProgram is a program on a cube of ranks that sends along each axis, from a call site for
// each direction, a face of its arg³ cells.
func cubeProgram() program {
	p := program{}
	for axis := range 3 {
		for up := range 2 {
			site := siteOf(libFrame("isend", 0x60), appFrame("faces", 100+2*axis+up))
			p.sites = append(p.sites, programSite{site: site, bytes: func(rank, ranks int, arg float64) float64 {
				side := int(math.Round(math.Cbrt(float64(ranks))))
				for range axis {
					rank /= side
				}
				if at := rank % side; up == 0 && at > 0 || up == 1 && at < side-1 {
					return 24 * arg * arg
				}
				return 0
			}})
		}
	}
	return p
}

// roughProgram is a program whose volumes wander by a third around a law, differently with
// each way to divide the work: of the many forms some fit a few scales by chance.
func roughProgram(seed uint64) program {
	p := program{}
	for site := range 12 {
		p.sites = append(p.sites, programSite{
			site: siteOf(libFrame("isend", 0x60), appFrame("level", 200+site)),
			bytes: func(rank, ranks int, arg float64) float64 {
				rng := rand.New(rand.NewPCG(seed, uint64(site*1000000+ranks*1000+rank%3)))
				return arg * float64(site+1) * math.Sqrt(float64(ranks)) * (1 + rng.Float64()/3)
			},
		})
	}
	return p
}

// TestChance: good runs of programs that no law predicts, at scales that training did
// not have, are not flagged by laws. The rate of KCCA is another matter: TestFalseAlarms.
func TestChance(t *testing.T) {
	for seed := range 8 * *seeds {
		m, err := trainModel(roughProgram(firstSeed()+seed).trainingTable([]int{2, 4, 8, 12, 16}, []float64{100}, nil), kcca.Options{})
		musttest.Succeed(t, err)
		for _, ranks := range []int{6, 20, 24, 32} {
			v := musttest.Get(judgeRun(m, roughProgram(firstSeed()+seed).runTable(ranks, 100, nil), judge.Circumstances{}))(t)
			if v.Flagged.Len() > 0 && v.Model == judge.ByRegression {
				t.Errorf("seed %d, %d ranks: flagged %s, covered %.2f", seed, ranks, v.Flagged, v.Covered)
			}
		}
	}
}

// TestTwoScales: 1 and 8 ranks do not tell which part a rank has among 27, however many
// sizes were tried.
func TestTwoScales(t *testing.T) {
	m := musttest.Get(trainModel(cubeProgram().trainingTable([]int{1, 8}, []float64{3, 4, 5, 6, 8}, nil), kcca.Options{}))(t)
	for _, c := range []struct {
		ranks   int
		arg     float64
		inRange bool
	}{{8, 7, true}, {27, 4, false}} {
		v := musttest.Get(judgeRun(m, cubeProgram().runTable(c.ranks, c.arg, nil), judge.Circumstances{}))(t)
		if !v.Flagged.Equal(model.RankSet{}) || v.InRange != c.inRange {
			t.Errorf("%d ranks, %g: flagged %s, in range %v", c.ranks, c.arg, v.Flagged, v.InRange)
		}
	}
}
