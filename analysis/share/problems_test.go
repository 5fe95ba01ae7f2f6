package share

import (
	"math/rand/v2"
	"testing"

	"laggard/internal/checktest"
	"laggard/model"
	"laggard/reduce/reducetest"
)

func newProblem(rank int, section string, offset int64, err error) model.Problem {
	return model.Problem{File: "n", Rank: rank, Err: &model.FormatError{File: "n", Rank: rank, Slot: -1,
		Section: section, Offset: offset, Err: err}}
}

func TestProblemsOfOneKindAreSummedUp(t *testing.T) {
	a, b := NewProblems(nil), NewProblems(nil)
	for rank := range 2 * maxTexts {
		p := &a
		if rank%2 == 1 {
			p = &b
		}
		p.Add([]model.Problem{newProblem(rank, "STATE record", int64(rank), model.ErrChecksum)})
	}
	a.Add([]model.Problem{newProblem(-1, "chunk", 4096, model.ErrTruncated)})
	ab := MergeProblems(a, b)
	want := []string{
		"STATE record: checksum mismatch: 16 times of 16 ranks, 0-15; first: model: n: rank 0: STATE record at " +
			"0: checksum mismatch",
		"model: n: chunk at 4096: file is cut short",
	}
	checktest.Equal(t, want, ab.Lines(), "problems")
	if !ab.Holes || ab.Damaged.Len() != 2*maxTexts {
		t.Errorf("merged %+v", ab)
	}
}

func TestATornRankIsNotDamaged(t *testing.T) {
	p := NewProblems([]model.Problem{newProblem(3, "OP record", 8, model.ErrTorn)})
	if !p.Torn.Contains(3) || p.Damaged.Len() > 0 || len(p.Lines()) > 0 {
		t.Errorf("it is %+v", p)
	}
}

// TestProblemsLaws: any tree over the shares gives the same problems.
func TestProblemsLaws(t *testing.T) {
	build := func() []Problems {
		var out []Problems
		for i := range 9 {
			p := NewProblems(nil)
			for k := range 5 {
				p.Add([]model.Problem{newProblem(10*i+k, "chunk", int64(k), model.ErrCorrupt)})
			}
			out = append(out, p)
		}
		return out
	}
	checktest.ErrorIs(t, nil, reducetest.Laws(ProblemsMonoid, build, 20, rand.New(rand.NewPCG(1, 2))))
}
