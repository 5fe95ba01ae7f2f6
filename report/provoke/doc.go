// Package provoke prints what laggard provoke found: which failure, the choices of MPI
// that it takes, in a sentence, and how to replay it; or what was tried in vain.
package provoke
