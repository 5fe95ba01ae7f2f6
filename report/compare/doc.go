// Package compare puts the differences between a bad run and good ones into words, as text and as JSON. Input is the result
// of [laggard/analysis/compare].
package compare
