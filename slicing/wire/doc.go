// Package wire has the JSON form of what a slicer is asked and answers, in which frames name their modules by number: package
// isolated sends it to another process, package cached writes it to disk.
package wire
