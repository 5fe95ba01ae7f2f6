// Package cpython knows where each version of CPython keeps what a stack is read from. The recorder has the
// same table in C.
package cpython
