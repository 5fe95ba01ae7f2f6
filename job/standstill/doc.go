// Package standstill judges whether a running job hangs, from what its ranks
// have recorded of their own progress.
package standstill
