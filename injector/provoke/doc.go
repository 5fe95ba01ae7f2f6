// Package provoke makes failures happen that depend on choices which MPI leaves open:
// whether a send is buffered, which sender a wildcard matches, how long a poll says no.
// A correct program works whichever is made; the recorder makes others than the library
// would (recorder/perturb), as a Schedule says.
//
// Search runs the program once as it is, finds in that record where choices are open
// (FindOpen), draws schedules (random subsets of kinds and sites: swarm testing, Groce
// and others, ISSTA 2012) until a run fails, and then reduces what was chosen to a
// minimal set (QuickXplain: Junker, AAAI 2004; after delta debugging: Zeller and Hildebrandt,
// IEEE TSE 28(2), 2002). Who runs the program is for the caller to say (Runner).
package provoke
