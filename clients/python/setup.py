"""What pyproject.toml cannot say: type checkers read the types of one installed file from a package of stubs."""

import os
import shutil

from setuptools import setup
from setuptools.command.build_py import build_py


class Build(build_py):
    def run(self):
        super().run()
        stubs = os.path.join(self.build_lib, "popbench-stubs")
        os.makedirs(stubs, exist_ok=True)
        shutil.copyfile("popbench.py", os.path.join(stubs, "__init__.pyi"))


setup(cmdclass={"build_py": Build})
