package scaling_test

import (
	"fmt"

	"laggard/analysis/scaling/judge"
	"laggard/analysis/scaling/kcca"
	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/training"
)

// A program sends 100 bytes to each other rank, from a loop. At 16 ranks it
// takes another way.
func Example() {
	loop := recorded.Site{Frames: []recorded.Frame{{Function: "send_all", File: "a.c", Line: 10},
		{Function: "main", File: "a.c", Line: 3}}}
	other := recorded.Site{Frames: []recorded.Frame{{Function: "send_some", File: "a.c", Line: 20},
		{Function: "main", File: "a.c", Line: 3}}}
	run := func(t *recorded.Table, name string, ranks int, site recorded.Site) {
		for rank := range ranks {
			t.Rows = append(t.Rows, recorded.Observation{
				Run: name, Rank: rank, Ranks: ranks,
				Volume: map[int]float64{t.Site(site): float64(100 * (ranks - 1))},
			})
		}
	}
	var small, production recorded.Table
	for ranks := 4; ranks <= 12; ranks++ {
		run(&small, fmt.Sprint("good", ranks), ranks, loop)
	}
	run(&production, "large", 16, other)

	part, err := training.Fit(&small, kcca.Options{}, 0, 1) // a rank of several fits its part
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := training.Assemble(&small, kcca.Options{}, part)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Features[0].Classes[0].Forms[0].Text([]string{"rank", "ranks"}))
	rows, err := judge.Judge(m, &production)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := judge.Conclude(m, &production, rows, judge.Circumstances{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(v.Flagged, v.Model, v.Localisation[0].Divergence)
	// Output:
	// 0 + 100·(ranks-1)
	// 0-15 regression send_some (a.c:20)
}
