// Package kccatest reads the data sets that KCCA is tested with: tables of numbers
// under a line of names, separated by tabs. It is for tests.
package kccatest
