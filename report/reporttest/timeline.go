package reporttest

import (
	"time"

	"laggard/report"
	"laggard/report/timeline"
)

// minutesBefore is what the ranks of [Complete] did until rank 0 hung: all computed for half of the time, then the others wait.
func minutesBefore(hung time.Time) *timeline.Result {
	const columns, before, width = 11, 10, 60
	r := &timeline.Result{
		Ranks: 64, Sampled: "0-63", Begin: hung.Add(-before * width * time.Second), Seconds: width, Columns: columns,
		Places: []timeline.Place{{MPI: "MPI_Barrier", Site: report.Site{Function: "checkpoint", File: "pio.c", Line: 93}}},
		Rows:   []timeline.Row{{Ranks: "0", Count: 1, Hosts: []string{"n1"}}, {Ranks: "1-63", Count: 63, Hosts: []string{"n1", "n2"}}},
		Loops:  []timeline.Loop{{}},
	}
	for i := range columns {
		rate, waiting := 4.0, 50
		if i >= before {
			rate, waiting = 0, 100
		}
		r.Loops[0].Rate = append(r.Loops[0].Rate, rate)
		for k := range r.Rows {
			row := &r.Rows[k]
			row.Computing, row.Waiting = append(row.Computing, 100-waiting), append(row.Waiting, waiting)
			row.IO, row.Absent, row.Starved = append(row.IO, 0), append(row.Absent, 0), append(row.Starved, 0)
			row.Alive, row.Place, row.WaitsFor = append(row.Alive, 100), append(row.Place, 0), append(row.WaitsFor, -1)
		}
	}
	for i := before; i < columns; i++ {
		r.Rows[1].WaitsFor[i] = 0
	}
	return r
}
