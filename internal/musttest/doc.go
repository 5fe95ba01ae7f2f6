// Package musttest ends a test when a step fails that the test only needs.
package musttest
