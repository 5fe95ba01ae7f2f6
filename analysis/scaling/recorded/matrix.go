package recorded

import (
	"maps"
	"slices"
)

// RanksColumn is the column of X with the number of ranks. Before it is the rank,
// behind it are the named controls.
const RanksColumn = 1

// ControlNames lists the control features beside rank and ranks, in order.
func (t *Table) ControlNames() []string {
	return slices.Sorted(maps.Keys(t.Rows[0].Controls))
}

// ControlRow is a row of X: rank, ranks, then the named ones.
func (o Observation) ControlRow(names []string) []float64 {
	x := make([]float64, 0, len(names)+2)
	x = append(x, float64(o.Rank), float64(o.Ranks))
	for _, name := range names {
		x = append(x, o.Controls[name])
	}
	return x
}

// behaviourRow is a row of Y, with a column for each site.
func (o Observation) behaviourRow(sites int) []float64 {
	y := make([]float64, sites)
	for site, bytes := range o.Volume {
		y[site] = bytes
	}
	return y
}

// Bytes is what all rows sent.
func (t *Table) Bytes() float64 {
	total := 0.0
	for _, row := range t.Rows {
		for site, sent := range t.Sites { // in order: rounding must not depend on the map
			if sent.Feature == "" {
				total += row.Volume[site]
			}
		}
	}
	return total
}

// Matrices gives X and Y of a table.
func (t *Table) Matrices() (x, y [][]float64) {
	names := t.ControlNames()
	for _, row := range t.Rows {
		x = append(x, row.ControlRow(names))
		y = append(y, row.behaviourRow(len(t.Sites)))
	}
	return x, y
}

// ScaleColumn is the column of X that says how large a run is: the number of
// ranks if it varies, else the first argument that does.
func ScaleColumn(x [][]float64) int {
	for c := 1; c < len(x[0]); c++ {
		for _, row := range x {
			if row[c] != x[0][c] {
				return c
			}
		}
	}
	return 1
}

// Distinct gives the different values of a column, ascending.
func Distinct(x [][]float64, column int) []float64 {
	values := make([]float64, len(x))
	for i, row := range x {
		values[i] = row[column]
	}
	slices.Sort(values)
	return slices.Compact(values)
}
