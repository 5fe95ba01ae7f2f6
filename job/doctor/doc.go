// Package doctor answers what works on a machine, and on a program, of what laggard
// needs: it tries the recorder, the directory of run directories, launchers, debug
// files and slicing, and prints a line for each.
package doctor
