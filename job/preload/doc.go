// Package preload finds the libraries that record a job, and says which of them
// what is to be recorded needs.
package preload
