package recorded

import (
	"fmt"
	"path"
	"slices"
)

// TransportModules are the modules below MPI in common builds: what they do on
// the way to the wire depends on the network and on timing, not on the program.
var TransportModules = []string{
	"libc.so*", "libc-*.so", "libpthread*", "ld-linux*",
	"libopen-pal*", "mca_btl_*", "mca_pml_*", "mca_mtl_*", "mca_bml_*", "mca_rcache_*",
	"libevent*", "libucp*", "libuct*", "libucs*", "libfabric*", "libpsm*", "libibverbs*", "libmlx*",
}

// LibraryModules are modules of MPI libraries themselves.
var LibraryModules = []string{"libmpi*", "libmpich*", "libpmpi*", "mca_*", "libopen-rte*", "libpmix*", "mca_coll_*"}

// InModules gives a predicate: whether the file name of a frame's module
// matches one of the patterns, as path.Match does; never that of a Python program's
// function. Errors wrap path.ErrBadPattern.
func InModules(patterns ...string) (func(Frame) bool, error) {
	for _, p := range patterns {
		if _, err := path.Match(p, ""); err != nil {
			return nil, fmt.Errorf("scaling: module pattern %q: %w", p, err)
		}
	}
	return func(f Frame) bool {
		name := path.Base(f.Module)
		if _, ok := f.Python(); ok {
			return false
		}
		return f.Module != "" && slices.ContainsFunc(patterns, func(p string) bool {
			matched, _ := path.Match(p, name)
			return matched
		})
	}, nil
}

// trimTransport takes the innermost frames off a stack as long as they are transport
// frames; the outermost frame always stays (paper, §5.1).
func trimTransport(frames []Frame, transport func(Frame) bool) []Frame {
	for len(frames) > 1 && transport(frames[0]) {
		frames = frames[1:]
	}
	return frames
}
