// Package golden compares what a test made with a file in its testdata, so that
// a reviewer reads the difference. It is for tests only.
package golden
