// Package hostile holds the test of what reads the structures of a Python interpreter: that
// it finds the stack in sound ones, and survives those that are torn or made up.
package hostile
