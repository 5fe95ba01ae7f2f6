// Package regression is the scaling model of each call site: how the bytes that a
// rank sends depend on the number of ranks and the arguments, as a sum of c·pⁱ·log₂ʲp
// in the normal form of Extra-P, by classes of ranks that do the same part in a
// pattern of communication (a [Role]).
//
// Input is a table of training runs, made ready as a [Design], output a [Feature]
// for each site, which predicts an [Interval]. A class that it cannot predict is left
// out, as in WuKong.
package regression
