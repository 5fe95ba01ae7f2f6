// Package checktest compares, in a test, what came out with what should.
package checktest
