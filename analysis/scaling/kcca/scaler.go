package kcca

import "gonum.org/v1/gonum/stat"

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

func (s scaler) scaleRow(row []float64) []float64 {
	if s.Mean == nil {
		return row
	}
	out := make([]float64, len(row))
	for c, v := range row {
		out[c] = (v - s.Mean[c]) / s.Scale[c]
	}
	return out
}

func (s scaler) scaleRows(rows [][]float64) [][]float64 {
	out := make([][]float64, len(rows))
	for i, row := range rows {
		out[i] = s.scaleRow(row)
	}
	return out
}
