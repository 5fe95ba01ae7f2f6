package rundir

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"os"
	"strconv"
)

// NewID draws the number that tells the files of one run from another's.
func NewID() (uint64, error) {
	var b [8]byte
	_, err := rand.Read(b[:])
	return binary.LittleEndian.Uint64(b[:]), err
}

// IDOf derives the number of a run from the job's name, so that all ranks agree;
// LAGGARD_RUN_ID sets another.
func IDOf(job string) (uint64, error) {
	if text := os.Getenv("LAGGARD_RUN_ID"); text != "" {
		id, err := strconv.ParseUint(text, 16, 64)
		if err != nil {
			err = fmt.Errorf("LAGGARD_RUN_ID=%s: must be a hexadecimal number of up to 16 digits", text)
		}
		return id, err
	}
	h := fnv.New64a()
	h.Write([]byte(job))
	return h.Sum64(), nil
}
