"""Builds the plug-in's wheel with the standard library alone (PEP 517), so that `pip install ./python` needs no network."""

import base64
import hashlib
import os
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
VERSION = "0.1.0"
INFO = "laggard_pytest-%s.dist-info" % VERSION
METADATA = """\
Metadata-Version: 2.1
Name: laggard-pytest
Version: %s
Summary: pytest plug-in: an MPI test that hangs is ended, says which rank and line, and the rest runs
Classifier: Framework :: Pytest
Classifier: Operating System :: POSIX :: Linux
Requires-Python: >=3.8
Requires-Dist: pytest>=6.2
Description-Content-Type: text/markdown

""" % VERSION


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel, and returns its name."""
    files = {
        "laggard_pytest.py": read("laggard_pytest.py"),
        INFO + "/METADATA": METADATA + read("README.md"),
        INFO + "/WHEEL": "Wheel-Version: 1.0\nGenerator: laggard\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        INFO + "/entry_points.txt": "[pytest11]\nlaggard_pytest = laggard_pytest\n",
    }
    record = ""
    for name, text in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
        record += "%s,sha256=%s,%d\n" % (name, digest, len(text.encode()))
    files[INFO + "/RECORD"] = record + INFO + "/RECORD,,\n"
    wheel = "laggard_pytest-%s-py3-none-any.whl" % VERSION
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in files.items():
            out.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    raise NotImplementedError("install from the directory: pip install ./python")
