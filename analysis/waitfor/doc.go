// Package waitfor is the wait-for graph of a job: who waits for whom, what can
// still move, and what is stuck for ever. Hang diagnosis and the check of MPI
// usage ask the same graph.
//
// A node stands for a rank, or for an operation of a rank. It needs all of some
// nodes or any one of them, so that needs of both kinds are built of several
// nodes: a rank needs any of its blocked calls to return, a call all of its
// messages, and a message from any source any of the ranks that may send it. (An
// AND–OR wait-for graph, as in Hilbrich, de Supinski, Schulz and Müller, "A graph
// based approach for MPI deadlock detection", ICS 2009.) Nodes that many wait for
// are shared, which keeps the graph as small as what was recorded.
//
// A node is released once its needs are: one that needs all of nothing is free
// from the start, one that needs any of nothing never is. The questions:
//
//	Stuck      which nodes of a set are never released, if all outside it are
//	Cores      ranks that wait for each other, and stay stuck whatever others do
//	Knots      ranks that wait for each other, and for no other rank
//	Cycle      a shortest cycle to show
//	Reached    what is waited for in the end
//	Heights    how far each is above those that wait for nobody
//
// To see what the release of some nodes would do, ask Stuck about all others.
// Answers depend on the graph only, not on the order of maps; ranks ascend.
package waitfor
