// Package slowness puts into words what analysis/slowness found.
package slowness
