#%Module
# A module file for Environment Modules: copy it to MODULEPATH/laggard/VERSION.
proc ModulesHelp {} {
    puts stderr "laggard says which rank of a hung MPI job, which line, and why: laggard --help, man laggard"
}
module-whatis "diagnosis of hung MPI jobs"
set root [expr {[info exists env(LAGGARD_ROOT)] ? $env(LAGGARD_ROOT) : "/opt/laggard"}]
prepend-path PATH $root/bin
prepend-path MANPATH $root/share/man
