// Package volume turns the judgement of a run by models of smaller ones into
// what people and scripts read (paper Vrisha, §5.3, §5.4, and the pictures of
// §6).
//
// Input is what package scaling concluded, with the models and the volumes it
// came from; output is one [Result] and views of it: [Text], [JSON] and one
// self-contained page ([HTML]). [Training] says what a training came to.
// Everything that comes from a run directory or a model file is printed without
// control characters.
package volume
