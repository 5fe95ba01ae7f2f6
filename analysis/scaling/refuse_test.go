package scaling

import (
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
	"laggard/internal/checktest"
)

func TestTrainRefuses(t *testing.T) {
	small := &recorded.Table{Sites: []recorded.Site{{Feature: "f"}}, Rows: []recorded.Observation{{Run: "r", Ranks: 1}}}
	checktest.Fails(trainModel(small, kcca.Options{}))(t, training.ErrFew, "one row")
	bad := kcca.DefaultSettings()
	bad.Gamma = 0
	checktest.Fails(trainModel(small, kcca.Options{Settings: &bad}))(t, kcca.ErrSettings, "γ 0")
	checktest.Fails(training.Fit(small, kcca.Options{}, 2, 2))(t, kcca.ErrSettings, "part 2 of 2")
	m := smallModel(t)
	other := &recorded.Table{Sites: []recorded.Site{{Feature: "f"}}, Rows: []recorded.Observation{{Run: "r", Ranks: 1}}}
	checktest.Fails(judge.Judge(m, other))(t, recorded.ErrControls, "without the control")
	checktest.Fails(judge.Conclude(m, small, &judge.Judgement{}, judge.Circumstances{}))(t, training.ErrFew, "not judged")
	two := &recorded.Table{Sites: small.Sites, Rows: []recorded.Observation{{Run: "a", Ranks: 1}, {Run: "b", Ranks: 1}}}
	checktest.Fails(judge.Conclude(m, two, &judge.Judgement{}, judge.Circumstances{}))(t, recorded.ErrRow, "two runs")
}
