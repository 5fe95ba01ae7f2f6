package main

import (
	"strings"

	"laggard/model/mpi"
)

// collectiveSends says what a rank sends in a collective, by its name without
// the marks of its variants: enum lg_sends in mpi/table.h.
var collectiveSends = map[string]string{
	"Allgather":            "LG_SENDS_ONE | LG_SENDS_OWN_BLOCK",
	"Allgatherv":           "LG_SENDS_ONE | LG_SENDS_OWN_OF_BLOCKS",
	"Allreduce":            "LG_SENDS_ONE | LG_SENDS_SAME",
	"Alltoall":             "LG_SENDS_BLOCKS",
	"Alltoallv":            "LG_SENDS_SUM",
	"Alltoallw":            "LG_SENDS_EACH",
	"Bcast":                "LG_SENDS_ONE | LG_SENDS_FROM_ROOT",
	"Exscan":               "LG_SENDS_ONE | LG_SENDS_SAME | LG_SENDS_EXCLUSIVE",
	"Gather":               "LG_SENDS_ONE | LG_SENDS_TO_ROOT",
	"Gatherv":              "LG_SENDS_ONE | LG_SENDS_TO_ROOT",
	"Neighbor_allgather":   "LG_SENDS_ONE | LG_SENDS_NEAR",
	"Neighbor_allgatherv":  "LG_SENDS_ONE | LG_SENDS_NEAR",
	"Neighbor_alltoall":    "LG_SENDS_BLOCKS | LG_SENDS_NEAR",
	"Neighbor_alltoallv":   "LG_SENDS_SUM | LG_SENDS_NEAR",
	"Neighbor_alltoallw":   "LG_SENDS_EACH | LG_SENDS_NEAR",
	"Reduce":               "LG_SENDS_ONE | LG_SENDS_SAME | LG_SENDS_TO_ROOT",
	"Reduce_scatter":       "LG_SENDS_SUM | LG_SENDS_SAME | LG_SENDS_LOCAL",
	"Reduce_scatter_block": "LG_SENDS_BLOCKS | LG_SENDS_SAME | LG_SENDS_LOCAL",
	"Scan":                 "LG_SENDS_ONE | LG_SENDS_SAME",
	"Scatter":              "LG_SENDS_BLOCKS | LG_SENDS_FROM_ROOT",
	"Scatterv":             "LG_SENDS_SUM | LG_SENDS_FROM_ROOT",
}

// collective is the name of the collective that f begins or prepares, without the
// marks of its variants; "" none.
func collective(f *mpi.Function) string {
	name := strings.TrimSuffix(mpi.Plain(f.Name), "_init")
	switch f.Class {
	case mpi.ClassIcoll:
		return strings.ToUpper(name[1:2]) + name[2:]
	case mpi.ClassColl, mpi.ClassCollInit:
		return name
	}
	return ""
}

// sends says what a rank sends in a call, "" nothing that its arguments tell.
func sends(f *mpi.Function) string {
	name := mpi.Plain(f.Name)
	switch f.Class {
	case mpi.ClassSend, mpi.ClassIsend, mpi.ClassBsend, mpi.ClassIbsend, mpi.ClassSendInit,
		mpi.ClassBsendInit, mpi.ClassSendrecv, mpi.ClassIsendrecv:
		return "LG_SENDS_ONE"
	case mpi.ClassIcoll, mpi.ClassColl, mpi.ClassCollInit:
		return collectiveSends[collective(f)]
	case mpi.ClassRma, mpi.ClassRmaNb:
		if name == "Get" || name == "Rget" {
			return ""
		}
		return "LG_SENDS_ONE"
	case mpi.ClassRmaNow:
		if name == "Compare_and_swap" {
			return "LG_SENDS_TWO"
		}
		return "LG_SENDS_SINGLE"
	}
	return ""
}

// alike says in which count and type the members of a collective must agree, by
// its name as in collectiveSends: enum lg_alike in mpi/table.h. In those with a
// count for each member, and between neighbours, none need agree.
var alike = map[string]string{
	"Allgather":            "LG_ALIKE_SENT",
	"Allreduce":            "LG_ALIKE_SENT",
	"Alltoall":             "LG_ALIKE_SENT",
	"Bcast":                "LG_ALIKE_SENT",
	"Exscan":               "LG_ALIKE_SENT",
	"Gather":               "LG_ALIKE_SENT",
	"Reduce":               "LG_ALIKE_SENT",
	"Reduce_scatter_block": "LG_ALIKE_SENT",
	"Scan":                 "LG_ALIKE_SENT",
	"Scatter":              "LG_ALIKE_RECEIVED",
}
