// Package since answers whether a variable may have been written since a line of the source ran, by the text of the file: the input is
// the line, the line at which a rank stands in the same call of the function, and the name. Blocks are told by how far lines are
// indented. What it cannot tell counts as written; a write through a pointer to the variable itself is seen only as a call that gets its
// address.
package since
