# SPDX-License-Identifier: MIT
"""Hosts on one machine, through lab.sh; see `lab.sh help`."""
import os
import subprocess
import unittest

from harness import PlayerCase

HERE = os.path.dirname(os.path.abspath(__file__))


class Host:
    """A host of the lab, as a place where players run."""

    def __init__(self, lab, name):
        self.name = name
        self.lab = lab

    @property
    def prefix(self):
        return ("/usr/bin/python3", os.path.join(HERE, "labtool.py"), "exec",
                self.lab("pid", self.name).strip(), "--")

    def run(self, *command, within=20.0, check=True):
        """Runs a command on the host and returns its output."""
        return subprocess.run(
            [*self.prefix, *command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=within, check=check).stdout

    def popen(self, *command):
        return subprocess.Popen(
            [*self.prefix, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)

    @property
    def ipv4(self):
        return self.lab("ip", self.name).strip()

    @property
    def ipv6(self):
        """The link-local address, without the scope."""
        for line in self.run("ip", "-6", "-o", "addr", "show", "dev", "eth0").splitlines():
            return line.split()[3].split("/")[0]
        raise AssertionError(f"{self.name} has no IPv6 address")


class Lab:
    """A lab of this process alone; calling it runs lab.sh."""

    def __init__(self):
        self.environment = {**os.environ, "LAB_NAME": f"ttt-test-{os.getpid()}"}

    def __call__(self, *arguments, check=True):
        done = subprocess.run(
            [os.path.join(HERE, "lab.sh"), *arguments], env=self.environment, text=True,
            stdin=subprocess.DEVNULL, capture_output=True, timeout=60)
        if check and done.returncode:
            raise AssertionError(f"lab.sh {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout if check else done


class LabCase(PlayerCase):
    """A test on several hosts. `hosts` says how many, `mode` is what `lab.sh up` takes."""

    hosts = 2
    mode = ()

    @classmethod
    def setUpClass(cls):
        cls.lab = Lab()
        able = cls.lab("check", check=False)
        if able.returncode:
            raise unittest.SkipTest("the lab cannot run here: " + able.stdout.strip())
        cls.addClassCleanup(cls.lab, "down")
        cls.lab("up", *cls.mode, str(cls.hosts))
        for number in range(1, cls.hosts + 1):
            setattr(cls, f"h{number}", Host(cls.lab, f"h{number}"))
        cls.place = cls.h1
