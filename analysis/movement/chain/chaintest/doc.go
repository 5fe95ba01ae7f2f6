// Package chaintest makes tables of chains from scripts that say what the ranks of
// a job do with their data. [PlayScript] plays a script, [RandomScript] writes one,
// [MustMerge] merges tables in any order and through their encodings. It is for
// tests.
package chaintest
