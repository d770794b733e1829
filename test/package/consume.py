#!/usr/bin/env python3
"""Builds and runs the project in consumer/ against fa as its users get it.

  consume.py WAY --source FOLDER --work FOLDER [--cmake cmake] [--compiler c++]
    install   cmake --install into a prefix, then find_package
    folder    add_subdirectory
    fetch     FetchContent
    deb       the Debian package, unpacked below the work folder, then find_package
    system    the Debian package, installed by dpkg and removed again: for root, on a machine that
              may be changed
"""
import argparse
import pathlib
import shutil
import subprocess
import sys

NO_PROGRAMS = ["-DFA_BUILD_TESTS=OFF", "-DFA_BUILD_EXAMPLES=OFF", "-DFA_BUILD_BENCH=OFF"]


def run(*command, **more):
    print("$", *command, flush=True)
    return subprocess.run([str(c) for c in command], check=True, **more)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("way", choices=["install", "folder", "fetch", "deb", "system"])
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--compiler")
    options = parser.parse_args()
    work, source = options.work.resolve(), options.source.resolve()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    compiler = [f"-DCMAKE_CXX_COMPILER={options.compiler}"] if options.compiler else []

    def consume(*arguments):
        build = work / "consumer"
        run(options.cmake, "-S", source / "test/package/consumer", "-B", build,
            *compiler, *arguments)
        run(options.cmake, "--build", build)
        run(build / "consumer")
        return build

    def package():
        run(options.cmake, "-S", source, "-B", work / "fa", *compiler, *NO_PROGRAMS,
            "-DCMAKE_INSTALL_PREFIX=/usr")
        run(pathlib.Path(options.cmake).with_name("cpack"), "-G", "DEB", "-B", work / "deb",
            "--config", work / "fa/CPackConfig.cmake")
        (deb,) = (work / "deb").glob("*.deb")
        run("dpkg", "--info", deb)
        return deb

    if options.way == "install":
        run(options.cmake, "-S", source, "-B", work / "fa", *compiler, *NO_PROGRAMS,
            f"-DCMAKE_INSTALL_PREFIX={work / 'first'}")
        run(options.cmake, "--install", work / "fa")
        shutil.move(work / "first", work / "prefix")  # an installed tree may be moved
        consume("-DFA_FROM=package", f"-DCMAKE_PREFIX_PATH={work / 'prefix'}")
    elif options.way in ("folder", "fetch"):
        build = consume(f"-DFA_FROM={options.way}", f"-DFA_FOLDER={source}")
        run(options.cmake, "--install", build, "--prefix", work / "prefix")
        installed = [p for p in (work / "prefix").rglob("*") if p.is_file()]
        if installed:
            sys.exit(f"the consumer's install brings files of fa: {installed}")
    elif options.way == "deb":
        run("dpkg", "-x", package(), work / "root")
        consume("-DFA_FROM=package", f"-DCMAKE_PREFIX_PATH={work / 'root/usr'}")
    else:
        deb = package()
        name = run("dpkg-deb", "--field", deb, "Package", capture_output=True,
                   text=True).stdout.strip()
        run("dpkg", "--install", deb)
        try:
            consume("-DFA_FROM=package")
        finally:
            run("dpkg", "--purge", name)
        if pathlib.Path("/usr/include/fa").exists():
            sys.exit("/usr/include/fa is still there after the package was removed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
