// Package browser tests the page of the report as a reader uses it: in a real
// browser without a window, with every control, at several widths. Input are
// results made for tests and a recorded run; the page must show what they say,
// without an error on the console and without asking for anything over the
// network.
//
// The tests carry the build tag browser and need Chromium:
//
//	go test -tags browser ./mpiapp/browser
//
// With -shots DIR they leave pictures there.
package browser
