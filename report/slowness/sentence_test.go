package slowness

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"laggard/analysis/slowness"
	"laggard/internal/golden"
	"laggard/model"
)

// Each cause has a sentence, for one rank and for several.
func TestSentence(t *testing.T) {
	begin := time.Date(2026, 11, 28, 14, 1, 0, 0, time.UTC)
	var b strings.Builder
	for _, cause := range []slowness.Cause{slowness.RankComputes, slowness.NodeSlow, slowness.MachineSlow, slowness.LinkSlow,
		slowness.IOSlow, slowness.AllCompute, slowness.Unclear} {
		for _, lack := range []slowness.Lack{"", slowness.NoProcessor, slowness.NoMemory, slowness.SlowClock} {
			if lack != "" && cause != slowness.NodeSlow && cause != slowness.MachineSlow {
				continue
			}
			for _, ranks := range []model.RankSet{model.NewRankSet(13), model.NewRankSet(8, 9, 10, 11)} {
				e := slowness.Event{
					Kind: slowness.Slowdown, Begin: begin, Noticed: begin.Add(40 * time.Second), Cause: cause, Evidence: lack, Ranks: ranks,
					Hosts: []string{"n7"}, ComputingRatio: 1.8, Rate: slowness.Rate{Now: 0.62, Before: 0.98}, Confidence: 0.95,
					Now: slowness.Shares{IO: 0.4, Starved: 0.44}, Before: slowness.Shares{IO: 0.05, Starved: 0.02},
				}
				if cause == slowness.LinkSlow || cause == slowness.AllCompute || cause == slowness.Unclear {
					e.Ranks, e.Hosts, e.Confidence = model.RankSet{}, nil, 0.6
				}
				fmt.Fprintf(&b, "%s %s\n  %s\n", cause, lack, Sentence(&e))
			}
		}
	}
	e := slowness.Event{Kind: slowness.Recovery, Begin: begin, Noticed: begin.Add(time.Minute), Rate: slowness.Rate{Now: 123.4}}
	fmt.Fprintf(&b, "recovery\n  %s\n", Sentence(&e))
	for _, kind := range []slowness.EventKind{slowness.OtherLoop, slowness.Settled} {
		e.Kind = kind
		fmt.Fprintf(&b, "%s\n  %s\n", kind, Sentence(&e))
	}
	e.Ranks = model.NewRankSet(13)
	fmt.Fprintf(&b, "settled\n  %s\n", Sentence(&e))
	golden.Check(t, "sentences.golden", []byte(b.String()))
}
