#!/usr/bin/env python3
"""Runs shell commands in turn, and prints a row of a table for each: processor time of all its processes, how that differs
from the first command's in the same round, wall time, and the most memory of one process. Medians (quartiles).

    scripts/compare-commands.py 15 'without=mpirun -n 2 ./app' 'null=mpirun -n 2 ./app' 'with=laggard run -- mpirun -n 2 ./app'

With --printed behind the number of rounds the figures are those that the commands print, in lines of "name: number"; each
name has a table of its own. Each round is a directory of its own, which is removed. A command that fails ends the comparison.
"""
import os
import random
import re
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def measure(command, output):
    """Seconds of processor time and of wall time, and the most memory of one process in MB; what is printed goes to output."""
    with tempfile.TemporaryDirectory() as folder, open(output, "w+") as out:
        before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        child = subprocess.Popen(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.PIPE, env=os.environ | {"TMPDIR": folder})
        text = child.stderr.read()
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
        if child.returncode:
            sys.exit(f"{command}\nexited with status {child.returncode}: {text.decode()}")
        cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        out.seek(0)
        return {"cpu": cpu, "wall": wall, "memory": used.ru_maxrss / 1024, "printed": out.read()}


def spread(values, form):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return f"{middle:{form}} ({low:{form}}–{high:{form}})"


def ratios(runs, first):
    return spread([run / one for run, one in zip(runs, first)], ".3f")


def print_costs(results):
    print("| what | CPU s | ratio | more, ms | wall s | MB |\n|---|---|---|---|---|---|")
    column = {name: {key: [run[key] for run in runs] for key in ("cpu", "wall", "memory")} for name, runs in results.items()}
    first = next(iter(column.values()))["cpu"]
    for name, of in column.items():
        more = [1000 * (cpu - one) for cpu, one in zip(of["cpu"], first)]
        print(f"| {name} | {statistics.median(of['cpu']):.3f} | {ratios(of['cpu'], first)} | {spread(more, '.1f')} "
              f"| {statistics.median(of['wall']):.3f} | {statistics.median(of['memory']):.0f} |")


def print_printed(results):
    figures = {name: [dict(re.findall(r"^(.+): ([\d.]+)$", run["printed"], re.M)) for run in runs] for name, runs in results.items()}
    first = next(iter(figures.values()))
    for label in first[0]:
        print(f"{label}\n\n| what | figure | ratio |\n|---|---|---|")
        for name, runs in figures.items():
            values = [float(run[label]) for run in runs]
            print(f"| {name} | {statistics.median(values):.0f} | {ratios(values, [float(run[label]) for run in first])} |")
        print()


def main():
    rounds, words = int(sys.argv[1]), sys.argv[2:]
    printed = words[0] == "--printed"
    commands = [word.split("=", 1) for word in words[printed:]]
    results = {name: [] for name, _ in commands}
    output = os.path.join(tempfile.gettempdir(), f"printed-{os.getpid()}") if printed else os.devnull
    for _, command in commands:
        measure(command, output)  # warms the caches
    for number in range(rounds):
        for name, command in random.Random(number).sample(commands, len(commands)):
            results[name].append(measure(command, output))
    if printed:
        os.remove(output)
    (print_printed if printed else print_costs)(results)
    print(f"\n{rounds} rounds, load {os.getloadavg()[0]:.1f}\n", flush=True)


main()
