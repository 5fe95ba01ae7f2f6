//go:build mpi

package reduce

// Chunked is the same transport with another limit on packets; 0 keeps it.
func Chunked(c Comm, chunk int) Comm {
	if chunk == 0 {
		return c
	}
	p := *c.(*packets)
	p.chunk = chunk
	return &p
}
