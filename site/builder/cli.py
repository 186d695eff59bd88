"""The commands of build.py, once its environment is there."""

import argparse
from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="build.py", description="Build, serve, test and measure Ridgepoint.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    serving = commands.add_parser("serve", help="build the site and serve it on this machine")
    serving.add_argument("--port", type=int, help="the port to use; by default 8000, or a free one when that is taken")
    commands.add_parser("build", help="build the site into dist/")
    commands.add_parser("test", help="run every check and every test, those in a browser too")
    measuring = commands.add_parser("bench", help="measure start, size and response of the site in a browser")
    measuring.add_argument("--rounds", type=int, default=5, help="visits of each kind; medians are reported (5)")
    commands.add_parser("check", help="run the checks that need no browser, and build the site")
    wanted = parser.parse_args(arguments)
    # What a command does not need is not loaded: the first word should come at once.
    if wanted.command == "serve":
        from builder.serve import serve

        serve(wanted.port)
    elif wanted.command == "build":
        from builder.build import build

        build()
    elif wanted.command == "bench":
        from builder.bench import bench

        bench(wanted.rounds)
    else:
        from builder import checks

        return checks.test() if wanted.command == "test" else checks.check()
    return 0
