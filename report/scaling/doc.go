// Package scaling reports the judgement of a run by models of smaller ones
// (paper Vrisha, §5.3, §5.4, and the pictures of §6).
//
// Input is what [laggard/analysis/scaling] concluded, with the models and the
// volumes it came from; output is one [Result] and its views [Text] and [HTML].
// [Training] says what a training came to.
package scaling
