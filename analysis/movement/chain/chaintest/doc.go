// Package chaintest makes tables of chains from scripts that say what the ranks of
// a job do with their data. [Tables] plays a script, [RandomScript] writes one,
// [Merged] merges tables in any order and through their encodings. It is for
// tests.
package chaintest
