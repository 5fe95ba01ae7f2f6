// Package inspect says what is in a run directory.
package inspect
