// Package typemap answers which bytes a datatype describes and of which basic types
// they are (MPI-3.1 §4.1). Input is the datatypes that a rank recorded; output is the
// Layout of each, or of a buffer of several elements. A Layout reports whether it
// overlaps another, and whether its type signature is that of another (§3.3.1).
package typemap
