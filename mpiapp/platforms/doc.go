// Package platforms runs the end-to-end tests on other releases of Debian, with
// the binaries that were built here: does one recorder serve every C library and
// every MPI? Each release is a root file system in build/platforms, made by
// debootstrap; the compilers, MPI libraries and Python are its own.
//
// The tests have the build tag platforms, need root and the network, and take
// about ten minutes a release:
//
//	make test-long RUN=platforms
//
// A column alone, of one release:
//
//	go test -tags platforms ./mpiapp/platforms -v -timeout 6h -run 'TestPlatforms/bookworm-arm64/tests/usage'
//
// The table that is printed at the end stands in docs/results/platforms.md.
package platforms
