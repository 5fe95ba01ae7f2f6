// Package divergence answers which collective the members of a communicator, window
// or file did not begin alike, first: who called what, where, and what they last
// did in common. It compares the histories that the recorder keeps
// ([model.History]): members whose histories are the same are one [Line]; two lines
// part at the first call where their hashes differ. Calls that agree again after a
// shift tell that one line skipped calls of the other, or made more.
//
// It sees no further back than the latest calls that are kept one by one; before
// these it tells only between which two checkpoints the lines part.
package divergence
