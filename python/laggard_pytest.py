"""Tests that hang in MPI, under pytest: each is ended and fails with the diagnosis, and the remaining tests run.

A rank that is stuck in MPI cannot be brought back, so this is not done from inside. `laggard test`
stands before the launcher and watches; this plug-in writes down which test each rank is in, and what
came out of those before (the journal). After a hang `laggard test` starts the same command again:
tests that all ranks had finished are reported as they came out, the one that hung fails with the
diagnosis, and what is left runs, in a new MPI job.

It does nothing unless it is asked to, by `laggard test` or by --laggard:

    laggard test -- mpirun -n 4 python -m pytest      nothing to install
    mpirun -n 4 python -m pytest --laggard            starts that command again, behind laggard test
    python -m pytest --laggard                        for launchers that tests start (mpi-pytest)

Lines of a journal are JSON: {"start"}, {"begin": test, "n": its number, "limit": seconds or null},
{"limit": seconds from then on, 0: none}, {"end": test, "reports", "failed", "xfailed", "skipped", "rerun": where and with what},
{"finish": tests not run}, {"known": which of the lost tests there are in this process}.
Its reader is job/suite of laggard.
"""

import contextlib
import fcntl
import functools
import glob
import hashlib
import json
import os
import pathlib
import re
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

import pytest

JOURNALS = "LAGGARD_TESTS"  # directory of the journals, set by laggard test
PROVOKED = "LAGGARD_PROVOKED"  # set by laggard test in runs of which the reports do not count
RECORDED = "LAGGARD_DIR"  # set in every rank that laggard records
AGAIN = "LAGGARD_STARTED_AGAIN"  # in the environment of a launcher that was started by --laggard
RANKS = ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "PALS_RANKID", "ALPS_APP_PE", "MV2_COMM_WORLD_RANK",
         "FLUX_TASK_RANK")  # as the recorder has them
OWN_STEPS = 4294967000  # the first of the numbers that Slurm keeps for steps of its own
LAUNCHERS = ("mpirun", "mpiexec", "mpirun.openmpi", "mpiexec.openmpi", "mpirun.mpich", "mpiexec.mpich",
             "mpiexec.hydra", "orterun", "prterun", "srun")


def rank():
    """Rank as the launcher has it, without asking MPI; None if there is no launcher."""
    names = RANKS
    if int(os.environ.get("SLURM_STEP_ID") or OWN_STEPS) < OWN_STEPS:
        names += ("SLURM_PROCID",)  # which the script of sbatch and a shell of salloc have as well
    return next((os.environ[name] for name in names if os.environ.get(name)), None)


def pytest_addoption(parser):
    group = parser.getgroup("laggard", "tests that hang in MPI")
    group.addoption("--laggard", action="store_true",
                    help="end MPI tests that hang, with a diagnosis, and run the remaining tests")
    group.addoption("--laggard-timeout", type=float, metavar="SECONDS",
                    help="how long a test may take; without it, no rank may stand still for long")
    group.addoption("--laggard-provoke", type=int, default=0, metavar="N",
                    help="run tests that pass N times more with other choices than MPI makes (laggard provoke)")
    parser.addini("laggard_timeout", "default of --laggard-timeout")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config):
    """Before any conftest.py can initialise MPI, and before pytest captures the output."""
    options = early_config.known_args_namespace
    if options.laggard and rank() is not None and JOURNALS not in os.environ and RECORDED not in os.environ:
        start_again(options.laggard_provoke)
    yield


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    if os.environ.pop(PROVOKED, None):
        config.option.xmlpath = None  # before the plug-in that writes it looks
    if not config.pluginmanager.hasplugin("timeout"):
        config.addinivalue_line("markers", "timeout(seconds): how long the test may take (laggard)")
    journals = os.environ.pop(JOURNALS, None)  # not for what the tests start
    if journals:
        if rank() is not None or claim(journals):
            config.pluginmanager.register(Journal(config, journals, rank() or "0"), "laggard_journal")
    elif config.getoption("--laggard") and rank() is None:
        config.pluginmanager.register(Launchers(config), "laggard_launchers")


def claim(directory):
    """Whether a process whose rank is not known may be rank 0, for as long as it lives. If there are several, none is, as
    laggard test is told."""
    file = os.open(os.path.join(directory, "unranked.lock"), os.O_WRONLY | os.O_CREAT, 0o600)  # the lock goes with the process
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        pathlib.Path(directory, "unranked").touch()
        return False
    return True


def limit_of(item):
    """Seconds that a test may take by its marker or the settings, None: nothing was said; and whether without its fixtures."""
    mark = item.get_closest_marker("timeout")
    func_only = False
    if mark is not None:
        seconds = mark.args[0] if mark.args else mark.kwargs.get("timeout", mark.kwargs.get("seconds"))
        func_only = mark.args[2] if len(mark.args) > 2 else mark.kwargs.get("func_only", False)
    else:
        seconds = item.config.getoption("--laggard-timeout") or item.config.getini("laggard_timeout")
    return (float(seconds) if seconds else None), func_only


def lost(item, why, number):
    """Reports of a test that hung, or with which its job died. Rank 0 shows the diagnosis, the others its first screen's head."""
    text = why["text"]
    if number != "0":
        text = text.split("\n\n")[0] + "\n\nRank 0 shows the whole diagnosis."
    for when, outcome, said, seconds in (
        ("setup", "passed", None, 0), ("call", "failed", text, why["seconds"]), ("teardown", "passed", None, 0),
    ):
        yield pytest.TestReport(item.nodeid, item.location, {name: 1 for name in item.keywords},
                                outcome, said, when, duration=seconds)


def reason(report, root):
    """How a test left before its end (failed, xfailed, skipped, rerun: failed, and ran again), and where and with what, in a line; None: it
    did not.
    Root is the directory of the tests."""
    if report.passed:
        return None
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash:
        text = "%s:%s: %s" % (*place(report, root), crash.message)
    else:
        text = "%s:%s: %s" % report.longrepr if isinstance(report.longrepr, tuple) else report.longreprtext
    how = "xfailed" if hasattr(report, "wasxfail") and report.skipped else report.outcome
    return how, (text.strip() or "for no stated reason").splitlines()[0][:300]


def is_in_project(path, root):
    """Whether a file is of the project, and of no virtual environment in it."""
    if root not in path.parents:
        return False
    prefix = pathlib.Path(sys.prefix)
    return not {"site-packages", "dist-packages"}.intersection(path.relative_to(root).parts) \
        and not (prefix in path.parents and root in prefix.parents)


def place(report, root):
    """File and line of the innermost frame in the project: packages and modules in C have frames of their own."""
    trace = getattr(report.longrepr, "reprtraceback", None)
    frames = [entry.reprfileloc for entry in reversed(trace.reprentries) if getattr(entry, "reprfileloc", None)] if trace else []
    for frame in [report.longrepr.reprcrash] + frames:
        path = pathlib.Path(os.path.abspath(frame.path))
        if is_in_project(path, root) and path.exists():
            return path, frame.lineno
    file, line, _ = report.location
    return root / file, (line or 0) + 1


class Journal:
    """Writes one rank's journal, and reports what earlier jobs of the suite had come to."""

    def __init__(self, config, directory, number):
        self.config = config
        self.directory, self.number = directory, number
        self.running = None  # node id of the test that runs
        self.limit = None  # of the test that comes, in seconds, as pytest-timeout has it
        self.reports = []  # of it
        self.reasons = {}  # why it left before its end: the first by which it failed, xfailed, was skipped, ran again
        self.numbers = {}  # of tests, in the order in which they run
        self.left = 0  # tests that were not begun
        self.has_timeouts = config.pluginmanager.hasplugin("timeout")  # pytest-timeout
        name = os.path.join(directory, "rank-%s.jsonl" % number)
        self.earlier = self.read(directory, name)
        self.file = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
        os.write(self.file, b"\n")  # behind a line that is torn
        self.write(start=os.getpid())

    def write(self, **line):
        os.write(self.file, json.dumps(line, default=repr).encode() + b"\n")

    @staticmethod
    def read(directory, name):
        """Tests that are not to be run again: their reports, or what is to be said of a lost one."""
        try:
            with open(os.path.join(directory, "resume.json"), encoding="utf-8") as file:
                resume = json.load(file)
        except FileNotFoundError:
            return {}
        earlier = {test: [] for test in resume["done"]}  # without reports where this rank came to no test
        with contextlib.suppress(FileNotFoundError), open(name, encoding="utf-8", errors="replace") as file:
            for text in file:
                try:
                    line = json.loads(text)
                except ValueError:  # torn: that job was ended then
                    continue
                if line.get("end") in earlier:
                    earlier[line["end"]] = line["reports"]  # the last: a rank that was ahead ran it again
        earlier.update(resume["lost"])
        return earlier

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_finish(self, session):
        # Those that do not run come first, so the fixtures of those that do are set up as ever.
        session.items.sort(key=lambda item: item.nodeid not in self.earlier)
        self.numbers = {item.nodeid: n for n, item in enumerate(session.items)}
        self.left = len(session.items)
        lost = [test for test, why in self.earlier.items() if isinstance(why, dict)]
        if lost:
            self.write(known=[test for test in lost if test in self.numbers])

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item):
        self.left -= 1
        earlier = self.earlier.get(item.nodeid)
        if earlier is None:
            self.running, self.reports, self.reasons = item.nodeid, [], {}
            limit, func_only = limit_of(item)
            if func_only or self.has_timeouts and item.get_closest_marker("timeout"):
                limit = None  # is said later, or by that plug-in
            self.write(begin=item.nodeid, n=self.numbers.get(item.nodeid, 0), limit=self.limit or limit)
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in lost(item, earlier, self.number) if isinstance(earlier, dict) else map(self.revive, earlier):
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_call(self, item):
        limit, func_only = limit_of(item)
        limited = limit and func_only and self.running and not self.has_timeouts
        if limited:
            self.write(limit=limit)
        yield
        if limited:
            self.write(limit=0)

    def revive(self, data):
        for name in "location", "longrepr":  # tuples to pytest, lists to JSON
            if isinstance(data.get(name), list):
                data[name] = tuple(data[name])
        return self.config.hook.pytest_report_from_serializable(config=self.config, data=data)

    def pytest_runtest_logreport(self, report):
        if report.nodeid == self.running:
            why = reason(report, self.config.rootpath)
            if why:
                self.reasons.setdefault(*why)
            self.reports.append(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))

    def pytest_runtest_logfinish(self, nodeid):
        if nodeid == self.running:
            self.write(end=nodeid, reports=self.reports, **self.reasons)
            self.running = None

    @pytest.hookimpl(hookwrapper=True)
    def pytest_sessionfinish(self):
        self.write(finish=self.left)
        for hook in self.config.hook.pytest_sessionfinish.get_hookimpls():
            if type(hook.plugin).__name__ == "LogXML":  # merged at once: another plug-in may end the process next
                hook.function = functools.partial(self.write_junit, hook.plugin, hook.function)
        yield

    def write_junit(self, report, write, *args):
        shared = report.logfile  # of all ranks, by the same option: each would write over the others'
        name = os.path.join(self.directory, "junit-" + hashlib.sha256(os.fsencode(shared)).hexdigest())
        own = "%s-%s.xml" % (name, self.number)
        report.logfile = own + ".part"  # another rank may merge meanwhile
        try:
            write(*args)
        finally:
            report.logfile = shared
        os.replace(own + ".part", own)
        with locked(name + ".lock"):
            merge_junit(sorted(glob.glob(name + "-*.xml")), shared)

    # pytest-timeout ends the process in which a test is late. Its limits are kept from outside instead.

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_set_timer(self, settings):
        if self.running:
            self.write(limit=settings.timeout)
        else:
            self.limit = settings.timeout
        return True

    @pytest.hookimpl(tryfirst=True, optionalhook=True)
    def pytest_timeout_cancel_timer(self):
        self.limit = None
        if self.running:
            self.write(limit=0)
        return True


@contextlib.contextmanager
def locked(name):
    """Keeps the other ranks out."""
    with open(name, "w", encoding="utf-8") as file:
        fcntl.lockf(file, fcntl.LOCK_EX)  # works over NFS, too
        yield


# What a test has in a JUnit file, in this order.
IN_CASE = ("properties", "skipped", "error", "failure", "system-out", "system-err")


def add_properties(properties, to):
    """Adds the properties of a test or suite to those of another."""
    if properties is None:
        return
    there = to.find("properties")
    if there is None:
        there = ElementTree.SubElement(to, "properties")
    known = [one.attrib for one in there]
    there.extend(one for one in properties if one.attrib not in known)


def add_failure(case, number, first):
    """Adds what a rank failed with to the test of the first rank, with its properties and output."""
    first.extend(case.findall("failure") + case.findall("error"))
    add_properties(case.find("properties"), first)
    for tag in "system-out", "system-err":
        said = case.findtext(tag)
        if said:
            there = first.find(tag)
            if there is None:
                there = ElementTree.SubElement(first, tag)
            there.text = "%s\nrank %s:\n%s" % (there.text or "", number, said)


def merge_junit(names, out):
    """Makes one JUnit file of those of ranks: a test failed if it failed on any rank, and was skipped if it was on all."""
    merged, results, attributes = {}, {}, {}
    suite = ElementTree.Element("testsuite")
    for name in names:
        number = re.search(r"-([^-]*)\.xml$", name).group(1)
        root = ElementTree.parse(name).getroot()
        own = next(root.iter("testsuite"))
        attributes = attributes or own.attrib
        add_properties(own.find("properties"), suite)
        for case in root.iter("testcase"):
            key = case.get("classname"), case.get("name")
            first = merged.setdefault(key, case)
            results.setdefault(key, []).append(case)
            first.set("time", str(max(float(first.get("time") or 0), float(case.get("time") or 0))))
            failures = case.findall("failure") + case.findall("error")
            for bad in failures:
                bad.set("message", "rank %s: %s" % (number, (bad.get("message") or "").split("\n")[0]))
            if failures and case is not first:
                add_failure(case, number, first)
    count = {"tests": len(merged), "failures": 0, "errors": 0, "skipped": 0}
    for key, case in merged.items():
        skips = case.findall("skipped")
        if any(other.find("skipped") is None for other in results[key]):
            for skip in skips:
                case.remove(skip)
        for kind, tag in ("failures", "failure"), ("errors", "error"), ("skipped", "skipped"):
            count[kind] += len(case.findall(tag)) > 0
        case[:] = sorted(case, key=lambda part: IN_CASE.index(part.tag) if part.tag in IN_CASE else len(IN_CASE))
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    suite.attrib.update({**attributes, **{k: str(n) for k, n in count.items()}})
    suite.set("time", "%.3f" % sum(float(case.get("time")) for case in merged.values()))
    suite.extend(merged.values())
    os.makedirs(os.path.dirname(os.path.abspath(out)), exist_ok=True)
    temporary = out + ".laggard"
    ElementTree.ElementTree(suites).write(temporary, encoding="utf-8", xml_declaration=True)
    os.replace(temporary, out)


def laggard():
    found = shutil.which(os.environ.get("LAGGARD", "laggard"))
    if found is None:
        raise pytest.UsageError("--laggard: the program laggard is not in PATH; set LAGGARD to its path")
    return found


def test_words(provoke):
    """laggard test, with its options."""
    return ["test"] + (["--provoke", str(provoke)] if provoke else []) + ["--"]


def start_again(provoke):
    """Ends the ranks before MPI begins; the first becomes laggard test before the same launcher."""
    if "mpi4py.MPI" in sys.modules:
        raise pytest.UsageError("--laggard: another plug-in has initialised MPI; put 'laggard test --' before the launcher")
    program = laggard()
    launcher = find_launcher()
    if launcher is None:
        raise pytest.UsageError("--laggard: the launcher does not run on the node of rank 0; put 'laggard test --' before it")
    with open("/proc/%d/cmdline" % launcher, "rb") as file:
        command = file.read().split(b"\0")[:-1]
    with open("/proc/%d/environ" % launcher, "rb") as file:
        environ = dict(entry.split(b"=", 1) for entry in file.read().split(b"\0") if b"=" in entry)
    if AGAIN.encode() in environ:
        raise pytest.UsageError("--laggard: the variables of laggard test do not reach the ranks")
    if rank() != "0":
        sys.exit(0)
    environ[AGAIN.encode()] = b"1"
    os.chdir("/proc/%d/cwd" % launcher)
    os.sched_setaffinity(0, os.sched_getaffinity(launcher))  # that of a rank may be one core
    os.execve(program, [program] + test_words(provoke) + command, environ)


def find_launcher():
    """The process among those above this one that is a launcher by its name; None: there is none."""
    process = os.getppid()
    while process > 1:
        with open("/proc/%d/cmdline" % process, "rb") as file:
            name = os.path.basename(os.fsdecode(file.read().split(b"\0")[0]))
        if name in LAUNCHERS or re.match(r"(mpirun|mpiexec|orterun|prterun)[-.]", name):
            return process
        with open("/proc/%d/stat" % process, encoding="utf-8", errors="replace") as file:
            process = int(file.read().rsplit(")", 1)[1].split()[1])
    return None


class Launchers:
    """Puts laggard test before each launcher that tests start by its name: mpi-pytest, subprocess."""

    def __init__(self, config):
        self.directory = tempfile.mkdtemp(prefix="laggard-pytest-")
        self.path = os.environ.get("PATH", os.defpath)
        program = laggard()
        words = " ".join(test_words(config.getoption("--laggard-provoke")))
        for name in LAUNCHERS:
            real = shutil.which(name)
            if real is None:
                continue
            script = os.path.join(self.directory, name)
            with open(script, "w", encoding="utf-8") as file:
                file.write('#!/bin/sh\n[ -z "$%s" ] || exec %s "$@"\nexec %s %s %s "$@"\n'
                           % (RECORDED, quoted(real), quoted(program), words, quoted(real)))
            os.chmod(script, 0o700)
        os.environ["PATH"] = self.directory + os.pathsep + self.path

    def pytest_unconfigure(self):
        os.environ["PATH"] = self.path
        shutil.rmtree(self.directory, ignore_errors=True)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item):
        before, (seconds, _) = os.environ.get("LAGGARD_TIMEOUT"), limit_of(item)
        if seconds is not None:
            os.environ["LAGGARD_TIMEOUT"] = ("%.3f" % seconds).rstrip("0").rstrip(".") + "s"  # Go knows no exponents
        yield
        if seconds is not None:
            os.environ.pop("LAGGARD_TIMEOUT")
            if before is not None:
                os.environ["LAGGARD_TIMEOUT"] = before


def quoted(word):
    return "'%s'" % word.replace("'", "'\\''")
