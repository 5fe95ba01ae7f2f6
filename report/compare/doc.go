// Package compare puts the differences between a bad run and good ones into words, as text, as JSON and as a page. Input is the
// result of [laggard/analysis/compare].
package compare
