package kccatest

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
)

// Read gives the line of names of a file, and the rows of numbers.
func Read(t testing.TB, path string) (header []string, rows [][]float64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comma = '\t'
	lines, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines[1:] {
		row := make([]float64, len(line))
		for i, text := range line {
			if row[i], err = strconv.ParseFloat(text, 64); err != nil {
				t.Fatal(err)
			}
		}
		rows = append(rows, row)
	}
	return lines[0], rows
}
