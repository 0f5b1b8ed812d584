# SPDX-License-Identifier: Apache-2.0
"""The settings of Sphinx. build.py calls it with pages that it has gathered; see there."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import docstrings
import heddle

project = "Heddle"
author = "the authors of Heddle"
project_copyright = "the authors of Heddle, Apache-2.0"
release = version = heddle.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
root_doc = "index"
smartquotes = False  # code in docstrings stays as it is

myst_heading_anchors = 4
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_default_options = {"members": True, "show-inheritance": True}
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "furo"
html_title = f"Heddle {release}"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
html_show_sourcelink = False
pygments_style = "tango"


def setup(app: object) -> None:
    docstrings.setup(app)
