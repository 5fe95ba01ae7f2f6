// Package report turns the diagnosis of a run into what people and scripts
// read. Input is one [Result], made by [New] from what package progress
// concluded and the symbols of the program; output are views of it: text
// ([Text]), JSON ([JSON]) and DOT ([DOT]). Everything that comes from a run
// directory is printed without control characters.
package report
