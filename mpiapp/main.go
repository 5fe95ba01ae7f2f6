// Command laggard records what the ranks of an MPI job do, and says after a
// failure which rank is least progressed, where, and who waits for it.
//
// This package is the program: commands, settings and wiring of the other packages.
package main

import "os"

func main() {
	os.Exit(execute(os.Args[1:], os.Stdout, os.Stderr))
}
