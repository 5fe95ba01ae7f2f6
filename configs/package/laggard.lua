-- A module file for Lmod: copy it to MODULEPATH/laggard/VERSION.lua. The files of make install,
-- or of the tarball, are found beside it as LAGGARD_ROOT says.
help("laggard says which rank of a hung MPI job, which line, and why: laggard --help, man laggard")
whatis("Name: laggard")
whatis("Description: diagnosis of hung MPI jobs")
local root = os.getenv("LAGGARD_ROOT") or "/opt/laggard"
prepend_path("PATH", pathJoin(root, "bin"))
prepend_path("MANPATH", pathJoin(root, "share/man"))
