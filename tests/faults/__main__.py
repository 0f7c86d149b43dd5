"""python -m tests.faults MODULE ARGUMENTS: runs a module of this folder in a process like a web server's."""

import sys
from importlib import import_module

import wsd_site.wsgi  # noqa: F401 - makes the site ready, as a server does

import_module(f"tests.faults.{sys.argv[1]}").main(*sys.argv[2:])
