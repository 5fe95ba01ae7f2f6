// Package diagnosis reports which rank of a run is least progressed. Input is
// one [Result], made by [New] from what package progress concluded and the
// symbols of the program; output are views of it: text ([Text]), the page
// ([HTML]), the progress dependence graph ([DOT]) and the tree of the ranks'
// stacks ([Stacks], [StacksDOT]). [Filter] cuts it to some ranks.
package diagnosis
