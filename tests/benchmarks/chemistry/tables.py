# SPDX-License-Identifier: Apache-2.0
"""tables.py FILE: the reactions of Carbon Bond 2005 as tables of C++."""

import sys
from pathlib import Path

from heddle import chemistry

mechanism = chemistry.cb05()
number = {name: n for n, name in enumerate(mechanism.variable)}
rows = []
for reaction in mechanism.reactions:
    unknown = [number[s] for s, order in reaction.reactants.items() if s in number for _ in range(order)]
    names = dict.fromkeys((*reaction.reactants, *reaction.products))
    changes = [(number[s], reaction.change(s)) for s in names if s in number and reaction.change(s)]
    pairs = ", ".join(f"{{{s}, {change!r}}}" for s, change in changes)
    rows.append(f"    {{{{{', '.join(map(str, unknown))}}}, {{{pairs}}}}},")
Path(sys.argv[1]).write_text(
    '// Written by tables.py.\n#pragma once\n#include "mass_action.hpp"\n'
    f"inline const std::vector<Reaction> cb05_reactions{{\n{chr(10).join(rows)}\n}};\n"
)
