# From the root of the project, in a Spack that has Go 1.26 or newer:
#   spack repo add configs/package/spack && spack dev-build laggard@main
from spack.package import *


class Laggard(Package):
    """Says which rank of a hung MPI job, which line, and why: a recorder that is
    preloaded into the ranks, of whatever MPI, and the program that reads what it left."""

    version("main")

    depends_on("c", type="build")
    depends_on("go@1.26:", type="build")
    depends_on("gmake@4.3:", type="build")

    def setup_build_environment(self, env):
        env.set("GOPATH", join_path(self.stage.path, "go"))
        env.set("GOFLAGS", "-modcacherw")  # so that the stage can be removed

    def install(self, spec, prefix):
        make("install-files", "PREFIX=" + prefix)

    def setup_run_environment(self, env):
        env.prepend_path("MANPATH", self.prefix.share.man)
