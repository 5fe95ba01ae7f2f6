// Package slice reports backward slices ([laggard/slicing]): for each group of
// ranks the source lines that could have brought it to where it is, with
// excerpts of the files. [New] makes the slice of one group; [Text] and [JSON]
// are views of all of them.
package slice
