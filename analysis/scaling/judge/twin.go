package judge

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"laggard/analysis/scaling/recorded"
	"laggard/analysis/scaling/regression"
	"laggard/analysis/scaling/training"
)

// twins are the ranks of training runs by what they were told. A rank of a later run
// that was told the same is compared with them: no law of scale is needed for that.
type twins struct {
	m     *training.Model
	rows  map[string][]twin // by told
	noise []noise           // by site
}

// twin is what a rank of a training run sent.
type twin struct {
	run    string
	volume map[int]float64 // by site of the model
}

// noise is how much twins of each other differ: squares of relative differences from
// their means.
type noise struct {
	squares float64
	freedom int
}

// knownNoise is how many degrees of freedom tell how much runs differ.
const knownNoise = 5

// controlsKey identifies a rank and all that it was told.
func controlsKey(x []float64) string { return fmt.Sprint(x) }

func findTwins(m *training.Model) *twins {
	t := &twins{m: m, rows: make(map[string][]twin), noise: make([]noise, len(m.Sites))}
	for _, past := range m.Past {
		for _, row := range past.Rows {
			key := controlsKey(row.ControlRow(m.Controls))
			t.rows[key] = append(t.rows[key], twin{past.Run, row.Volume})
		}
	}
	for site := range t.noise {
		for _, key := range slices.Sorted(maps.Keys(t.rows)) {
			t.noise[site].addGroup(t.rows[key], site)
		}
	}
	return t
}

func (n *noise) addGroup(group []twin, site int) {
	mean := meanOf(group, site)
	if mean == 0 {
		return
	}
	for _, t := range group {
		n.squares += (t.volume[site]/mean - 1) * (t.volume[site]/mean - 1)
	}
	n.freedom += len(group) - 1
}

func meanOf(group []twin, site int) float64 {
	sum := 0.0
	for _, t := range group {
		sum += t.volume[site]
	}
	return sum / float64(len(group))
}

// groupOf gives the twins of a row, by its controls.
func (t *twins) groupOf(x []float64) []twin { return t.rows[controlsKey(x)] }

// canPredict: twins tell what a site sends. Below an MPI call timing decides which call carries
// the bytes of another, so there a run must have been repeated.
func (t *twins) canPredict(site int) bool {
	return !t.m.Sites[site].BelowMPICall() || t.noise[site].freedom >= knownNoise
}

// intervalFor is that of a site by the twins of a row. Where no run was repeated, nothing
// shows how much runs differ: then it is what the site's scaling model says.
func (t *twins) intervalFor(group []twin, site int, r regression.Role, row recorded.Observation, x []float64,
) regression.Interval {
	in := regression.Interval{Expected: meanOf(group, site)}
	n := t.noise[site]
	margin := t.m.Features[site].Margin(r, row.Rank, row.Ranks, x)
	if n.freedom >= knownNoise {
		sigma := math.Sqrt(n.squares / float64(n.freedom) * (1 + 1/float64(len(group))))
		margin = regression.Margin(sigma, n.freedom)
	}
	in.Low, in.High = max(0, (1-margin)*in.Expected), (1+margin)*in.Expected
	return in
}

// runNames names the training runs with twins of a row.
func (t *twins) runNames(x []float64) []string {
	var names []string
	for _, one := range t.groupOf(x) {
		names = append(names, one.run)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
