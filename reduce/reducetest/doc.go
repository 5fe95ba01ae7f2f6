// Package reducetest says what package reduce promises, as checks that can be
// run. Conformance is for transports: it takes a reduce.Comm, is run by all
// its ranks at once, and returns what is wrong with it. Laws is for monoids:
// it takes some values and returns which law they break. Both return errors
// rather than take a *testing.T, because under mpirun there is a process for
// each rank and only failing ranks should speak.
package reducetest
