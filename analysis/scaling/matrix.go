package scaling

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// ranksColumn is the column of X with the number of ranks. Before it is the rank,
// behind it are the named controls.
const ranksColumn = 1

// controlNames lists the control features beside rank and ranks, in order.
func (t *Table) controlNames() []string {
	return slices.Sorted(maps.Keys(t.Rows[0].Controls))
}

// control is a row of X: rank, ranks, then the named ones.
func (o Observation) control(names []string) []float64 {
	x := make([]float64, 0, len(names)+2)
	x = append(x, float64(o.Rank), float64(o.Ranks))
	for _, name := range names {
		x = append(x, o.Controls[name])
	}
	return x
}

// behaviour is a row of Y, with a column for each site.
func (o Observation) behaviour(sites int) []float64 {
	y := make([]float64, sites)
	for site, bytes := range o.Volume {
		y[site] = bytes
	}
	return y
}

// matrices gives X and Y of a table.
func (t *Table) matrices() (x, y [][]float64) {
	names := t.controlNames()
	for _, row := range t.Rows {
		x = append(x, row.control(names))
		y = append(y, row.behaviour(len(t.Sites)))
	}
	return x, y
}

// scaler brings columns to mean 0 and standard deviation 1. A column that does
// not vary keeps its scale. The zero scaler changes nothing.
type scaler struct {
	Mean  []float64 `json:"mean,omitempty"`
	Scale []float64 `json:"scale,omitempty"`
}

func newScaler(rows [][]float64) scaler {
	var s scaler
	column := make([]float64, len(rows))
	for c := range rows[0] {
		for i, row := range rows {
			column[i] = row[c]
		}
		mean, sd := column[0], 0.0
		if len(rows) > 1 {
			mean, sd = stat.MeanStdDev(column, nil)
		}
		if sd == 0 {
			sd = 1
		}
		s.Mean, s.Scale = append(s.Mean, mean), append(s.Scale, sd)
	}
	return s
}

func (s scaler) row(row []float64) []float64 {
	if s.Mean == nil {
		return row
	}
	out := make([]float64, len(row))
	for c, v := range row {
		out[c] = (v - s.Mean[c]) / s.Scale[c]
	}
	return out
}

func (s scaler) all(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = s.row(row)
	}
	return out
}
