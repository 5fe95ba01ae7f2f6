// Package passed finds the calls that a rank went past: by the passages of its Markov model from one call to the next that no other
// rank has which makes those calls.
package passed
