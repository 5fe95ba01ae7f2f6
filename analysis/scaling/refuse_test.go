package scaling

import (
	"errors"
	"testing"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
)

func TestTrainRefuses(t *testing.T) {
	small := &recorded.Table{Sites: []recorded.Site{{Feature: "f"}}, Rows: []recorded.Observation{{Run: "r", Ranks: 1}}}
	if _, err := trainModel(small, kcca.Options{}); !errors.Is(err, training.ErrFew) {
		t.Errorf("one row: %v", err)
	}
	bad := kcca.DefaultSettings()
	bad.Gamma = 0
	if _, err := trainModel(small, kcca.Options{Settings: &bad}); !errors.Is(err, kcca.ErrSettings) {
		t.Errorf("γ 0: %v", err)
	}
	if _, err := training.Fit(small, kcca.Options{}, 2, 2); !errors.Is(err, kcca.ErrSettings) {
		t.Errorf("part 2 of 2: %v", err)
	}
	m := smallModel(t)
	other := &recorded.Table{Sites: []recorded.Site{{Feature: "f"}}, Rows: []recorded.Observation{{Run: "r", Ranks: 1}}}
	if _, err := judge.Judge(m, other); !errors.Is(err, recorded.ErrControls) {
		t.Errorf("without the control: %v", err)
	}
	if _, err := judge.Conclude(m, small, &judge.Judgement{}, judge.Circumstances{}); !errors.Is(err, training.ErrFew) {
		t.Errorf("not judged: %v", err)
	}
	two := &recorded.Table{Sites: small.Sites, Rows: []recorded.Observation{{Run: "a", Ranks: 1}, {Run: "b", Ranks: 1}}}
	if _, err := judge.Conclude(m, two, &judge.Judgement{}, judge.Circumstances{}); !errors.Is(err, recorded.ErrRow) {
		t.Errorf("two runs: %v", err)
	}
}
