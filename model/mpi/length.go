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

func (f *Function) arrayLength(p *Param) Length {
	if !strings.Contains(p.Type, "[") || p.Kind == String {
		return Length{}
	}
	switch p.Name {
	case "recvcounts", "recvtypes", "rdispls", "sendcounts", "sendtypes", "sdispls", "displs":
		return f.memberLength(p)
	case "ranges":
		return Length{Kind: Triples, By: f.ParamIndex("n")}
	case "edges":
		return f.lengthByParam([]string{"maxedges"}, Length{Kind: LastOf, By: f.ParamIndex("indx")})
	case "destinations":
		return f.lengthByParam([]string{"outdegree", "maxoutdegree"}, Length{Kind: SumOf, By: f.ParamIndex("degrees")})
	case "array_of_datatypes":
		return Length{Kind: Contents}
	}
	if p.Kind == Other {
		return Length{Kind: Unrecorded}
	}
	return f.lengthByParam(countedBy[p.Name], f.topologyLength(p))
}

// lengthByParam is the length that the first of the names gives that f has.
func (f *Function) lengthByParam(names []string, otherwise Length) Length {
	for _, n := range names {
		if i := f.ParamIndex(n); i >= 0 {
			return Length{Kind: ByParam, By: i}
		}
	}
	return otherwise
}

func (f *Function) topologyLength(p *Param) Length {
	if f.Name == "MPI_Cart_rank" || f.Name == "MPI_Cart_sub" {
		return Length{Kind: Dims}
	}
	return Length{Kind: Unrecorded}
}

// memberLength is the length of an array with a value for each member of the
// communicator.
func (f *Function) memberLength(p *Param) Length {
	sending := strings.HasPrefix(p.Name, "s")
	switch {
	case f.HasTrait(Neighbours):
		if sending {
			return Length{Kind: Destinations}
		}
		return Length{Kind: Sources}
	case f.HasTrait(Local):
		return Length{Kind: LocalSize}
	case f.ParamIndex("root") >= 0:
		return Length{Kind: GroupSize, By: f.ParamIndex("root"), Only: AtRoot}
	case sending:
		return Length{Kind: GroupSize, By: f.ParamIndex("sendbuf"), Only: UnlessInPlace}
	}
	return Length{Kind: GroupSize}
}
