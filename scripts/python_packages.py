"""Programs that come as Python packages, in versions that the project names: in build/<package>."""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def program(package, version, install=True):
    """The path of the program that a package is named after. Where it is not there in that version,
    it is installed from PyPI; if that is not wanted (install, or FA_INSTALL_PACKAGES=0 in the
    environment), the script says what is missing and ends with 77, the code of a skipped test."""
    venv = ROOT / "build" / package
    python = venv / "bin/python"
    check = f"import importlib.metadata as m; assert m.version('{package}') == '{version}'"
    if not python.exists() or subprocess.run([python, "-c", check], capture_output=True).returncode:
        if not install or os.environ.get("FA_INSTALL_PACKAGES") == "0":
            print(f"missing: the Python package {package}=={version} in {venv}")
            sys.exit(77)
        print(f"installing {package}=={version} in {venv}", flush=True)
        run([sys.executable, "-m", "venv", venv], "Debian: apt-get install python3-venv")
        run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check",
             f"{package}=={version}"], "it comes from PyPI")
    return venv / "bin" / package


def run(command, remedy):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        words = " ".join(map(str, command))
        sys.exit(f"{done.stdout}{done.stderr}error: {words} failed ({remedy})")
