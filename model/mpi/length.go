package mpi

import "strings"

// countedBy says which parameter holds the number of values of an array, by the
// name of the array: the first one of these that the function has.
var countedBy = map[string][]string{
	"array_of_requests": {"count", "incount"}, "array_of_statuses": {"outcount", "count"},
	"array_of_indices": {"outcount"}, "array_of_blocklengths": {"count"}, "array_of_displacements": {"count"},
	"array_of_types": {"count"}, "array_of_gsizes": {"ndims"}, "array_of_distribs": {"ndims"},
	"array_of_dargs": {"ndims"}, "array_of_psizes": {"ndims"}, "array_of_sizes": {"ndims"},
	"array_of_subsizes": {"ndims"}, "array_of_starts": {"ndims"}, "dims": {"ndims", "maxdims"},
	"periods": {"ndims", "maxdims"}, "coords": {"maxdims"}, "indx": {"nnodes", "maxindex"},
	"neighbors": {"maxneighbors"}, "sources": {"n", "indegree", "maxindegree"}, "degrees": {"n"}, "ranks": {"n"},
	"ranks1": {"n"}, "ranks2": {"n"}, "array_of_partitions": {"length"},
}

func (f *Function) length(p *Param) Length {
	if !strings.Contains(p.Type, "[") || p.Kind == String {
		return Length{}
	}
	switch p.Name {
	case "recvcounts", "recvtypes", "rdispls", "sendcounts", "sendtypes", "sdispls", "displs":
		return f.perMember(p)
	case "ranges":
		return Length{Kind: Triples, By: f.Param("n")}
	case "edges":
		return f.by([]string{"maxedges"}, Length{Kind: LastOf, By: f.Param("indx")})
	case "destinations":
		return f.by([]string{"outdegree", "maxoutdegree"}, Length{Kind: SumOf, By: f.Param("degrees")})
	case "array_of_datatypes":
		return Length{Kind: Contents}
	}
	if p.Kind == Other {
		return Length{Kind: Unrecorded}
	}
	return f.by(countedBy[p.Name], f.ofTopology(p))
}

// by is the length that the first of the names gives that f has.
func (f *Function) by(names []string, otherwise Length) Length {
	for _, n := range names {
		if i := f.Param(n); i >= 0 {
			return Length{Kind: ByParam, By: i}
		}
	}
	return otherwise
}

func (f *Function) ofTopology(p *Param) Length {
	if f.Name == "MPI_Cart_rank" || f.Name == "MPI_Cart_sub" {
		return Length{Kind: Dims}
	}
	return Length{Kind: Unrecorded}
}

// perMember is the length of an array with a value for each member of the
// communicator.
func (f *Function) perMember(p *Param) Length {
	sending := strings.HasPrefix(p.Name, "s")
	switch {
	case strings.Contains(f.Name, "eighbor_"):
		if sending {
			return Length{Kind: Destinations}
		}
		return Length{Kind: Sources}
	case strings.Contains(strings.ToLower(f.Name), "reduce_scatter"):
		return Length{Kind: LocalSize}
	case f.Param("root") >= 0:
		return Length{Kind: GroupSize, By: f.Param("root"), Only: AtRoot}
	case sending:
		return Length{Kind: GroupSize, By: f.Param("sendbuf"), Only: UnlessInPlace}
	}
	return Length{Kind: GroupSize}
}
