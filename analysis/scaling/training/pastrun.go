package training

import "laggard/analysis/scaling/recorded"

// PastRun is what is kept of a training run: a later one is shown beside it, and a run
// of the same scale is compared with it.
type PastRun struct {
	Run      string             `json:"run"`
	Ranks    int                `json:"ranks"`
	Controls map[string]float64 `json:"controls,omitempty"` // of its first row
	Volume   []float64          `json:"volume"`             // by site, bytes of all rows
	// Correlation is that of its rows, in order of rank, by KCCA as it was
	// trained.
	Correlation []float64              `json:"correlation"`
	Rows        []recorded.Observation `json:"rows"` // what its ranks were told and sent, in order of rank
}

// Bytes is what all training runs sent.
func (m *Model) Bytes() float64 {
	total := 0.0
	for _, past := range m.Past {
		total += (&recorded.Table{Sites: m.Sites, Rows: past.Rows}).Bytes()
	}
	return total
}

// addPastRuns keeps the runs of a canonical table, whose matrices are x and y.
func (m *Model) addPastRuns(t *recorded.Table, x, y [][]float64) {
	for i, row := range t.Rows {
		if n := len(m.Past); n == 0 || m.Past[n-1].Run != row.Run {
			m.Past = append(m.Past,
				PastRun{Run: row.Run, Ranks: row.Ranks, Controls: row.Controls, Volume: make([]float64, len(t.Sites))})
		}
		p := &m.Past[len(m.Past)-1]
		for site, bytes := range row.Volume {
			p.Volume[site] += bytes
		}
		p.Correlation = append(p.Correlation, m.KCCA.Correlation(x[i], y[i], 0))
		p.Rows = append(p.Rows, row)
	}
}
