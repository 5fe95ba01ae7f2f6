// Package suite follows a suite of tests that runs within one MPI job, so that after a hang
// the rest of it runs in a new job. Each rank's test runner writes a journal of which test it
// is in and what came out of the last (python/laggard_pytest.py does for pytest); a job whose
// ranks write none is one test.
package suite
