#!/usr/bin/env python3
"""Each header of include/fa compiles alone and included twice, without exceptions and run-time type
information and without a warning; all of them, compiled apart, link into one program that runs.

  check_headers.py [--compiler g++] [--include folder] [--jobs N]
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

FLAGS = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
         "-fno-exceptions", "-fno-rtti"]


def main():
    here = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--include", type=pathlib.Path, default=here / "include")
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    headers = sorted(p.relative_to(options.include).as_posix()
                     for p in options.include.rglob("*.hpp"))

    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)

        def build(numbered):
            number, header = numbered
            source = folder / f"header_{number}.cpp"
            source.write_text(f"#include <{header}>\n#include <{header}>\n")
            done = subprocess.run([options.compiler, *FLAGS, "-I", options.include, "-c", source,
                                   "-o", source.with_suffix(".o")],
                                  capture_output=True, text=True)
            return header, source.with_suffix(".o"), done

        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            results = list(pool.map(build, enumerate(headers)))
        failed = [header for header, _, done in results if done.returncode]
        for header, _, done in results:
            if done.returncode:
                print(f"--- <{header}> does not compile alone and twice\n{done.stderr}")
        if not failed:
            program = folder / "program"
            (folder / "main.cpp").write_text("int main() {}\n")
            done = subprocess.run([options.compiler, folder / "main.cpp",
                                   *(o for _, o, _ in results), "-pthread", "-o", program],
                                  capture_output=True, text=True)
            if done.returncode or subprocess.run([program]).returncode:
                failed.append("program")
                print(f"--- the headers do not link together\n{done.stderr}")

    print(f"{options.compiler}: {len(headers)} headers, {len(failed)} failed")
    return 1 if failed or not headers else 0


if __name__ == "__main__":
    sys.exit(main())
