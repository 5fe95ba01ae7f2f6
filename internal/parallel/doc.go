// Package parallel calls a function for many numbers, on all processors.
package parallel
