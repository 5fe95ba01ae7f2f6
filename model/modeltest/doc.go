// Package modeltest makes valid ranks, states and damaged files for the tests of the packages that read, write and analyse them.
package modeltest
