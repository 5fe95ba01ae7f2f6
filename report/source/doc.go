// Package source finds source files on the analysing machine and cuts the parts
// out of them that a report shows.
package source
