// Package timelinetest makes run directories whose ranks sampled themselves: for tests of how they are shown.
package timelinetest
