// Package modeltest makes valid ranks and damaged files for the tests of the packages that read and write them.
package modeltest
