# SPDX-License-Identifier: Apache-2.0
"""The modules of runtime/fortran take the arguments of WRF's routines: names, order, types, bounds, intents.

The facts are those of WRF 4.7.1 (wrf-model/WRF, commit f15568ccc1447780e3bd664b9f0196edd784bf33):
phys/module_mp_wsm3.F, phys/module_mp_wsm5.F, dyn_em/module_advect_em.F, phys/module_ra_rrtm.F, and the
constants of share/module_model_constants.F that phys/module_microphysics_driver.F passes.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from heddle.build import load

FOLDER = Path(__file__).resolve().parents[3] / "runtime" / "fortran"
CELLS, PLANE, LEVELS = "ims:ime,kms:kme,jms:jme", "ims:ime,jms:jme", "kms:kme"
LAYERS, FACES = "kts:ktep1", "0:ktep1"
TILE = "ids ide jds jde kds kde ims ime jms jme kms kme its ite jts jte kts kte"
NUMBERS = "delt g cpd cpv rd rv t0c ep1 ep2 qmin xls xlv0 xlf0 den0 denr cliq cice psat"
RADII = "has_reqc has_reqi has_reqs re_cloud re_ice re_snow"

Argument = tuple[str, str, str]
"""Type; bounds, "" for a number; intent, with "optional" where it may be left out."""

ORDER = {
    "wsm3": f"th q qci qrs w den pii p delz {NUMBERS} rain rainncv snow snowncv sr {RADII} {TILE}",
    "wsm5": f"th q qc qr qi qs den pii p delz {NUMBERS} rain rainncv snow snowncv sr refl_10cm "
    f"diagflag do_radar_ref {RADII} {TILE}",
    "advect_scalar_pd": "field field_old tendency h_tendency z_tendency ru rv rom c1 c2 mut mub mu_old "
    "time_step config_flags tenddec msfux msfuy msfvx msfvy msftx msfty fzm fzp rdx rdy rdzw dt " + TILE,
    "rtrn": "kts ktep1 tavel pz tz cldfrac taucloud totdflux totuflux htr htrc icldlyr itr pfrac tbound "
    "semiss",
}
WSM: dict[str, Argument] = {
    "w den pii p delz": ("real", CELLS, "in"),
    NUMBERS: ("real", "", "in"),
    "rain rainncv": ("real", PLANE, "inout"),
    "snow snowncv": ("real", PLANE, "inout optional"),
    "has_reqc has_reqi has_reqs": ("integer", "", "in"),
    "re_cloud re_ice re_snow": ("real", CELLS, "inout"),
    TILE: ("integer", "", "in"),
}
ARGUMENTS: dict[str, dict[str, Argument]] = {
    "wsm3": {
        "th q qci qrs": ("real", CELLS, "inout"),
        "sr": ("real", PLANE, "inout optional"),
        **WSM,
    },
    "wsm5": {
        "th q qc qr qi qs refl_10cm": ("real", CELLS, "inout"),
        "sr": ("real", PLANE, "inout"),
        "diagflag": ("logical", "", "in optional"),
        "do_radar_ref": ("integer", "", "in optional"),
        **WSM,
    },
    "advect_scalar_pd": {
        "field field_old ru rv rom": ("real", CELLS, "in"),
        "tendency": ("real", CELLS, "inout"),
        "h_tendency z_tendency": ("real", CELLS, "out"),
        "mut mub mu_old msfux msfuy msfvx msfvy msftx msfty": ("real", PLANE, "in"),
        "c1 c2 fzm fzp rdzw": ("real", LEVELS, "in"),
        "rdx rdy dt": ("real", "", "in"),
        "config_flags": ("type(grid_config_rec_type)", "", "in"),
        "tenddec": ("logical", "", "in"),
        f"time_step {TILE}": ("integer", "", "in"),
    },
    "rtrn": {
        "tavel cldfrac taucloud": ("real", LAYERS, "in"),
        "pz tz": ("real", FACES, "in"),
        "totdflux totuflux htr htrc": ("real", FACES, "inout"),
        "icldlyr": ("integer", LAYERS, "in"),
        "itr": ("integer", f"ngpt,{LAYERS}", "in"),
        "pfrac": ("real", f"ngpt,{LAYERS}", "in"),
        "semiss": ("real", "nbands", "in"),
        "tbound": ("real", "", "in"),
        "kts ktep1": ("integer", "", "in"),
    },
}
CONSTANTS = {
    "g": "9.81",
    "cpd": "1004.5",  # 7 r_d / 2
    "cpv": "1846.4",  # 4 r_v
    "rd": "287.0",
    "rv": "461.6",
    "t0c": "273.15",
    "ep1": "461.6 / 287.0 - 1",
    "ep2": "287.0 / 461.6",
    "qmin": "1e-15",
    "xls": "2.85e6",
    "xlv0": "2.5e6",
    "xlf0": "3.5e5",
    "den0": "1.28",
    "denr": "1000.0",
    "cliq": "4190.0",
    "cice": "2106.0",
    "psat": "610.78",
}


def declarations(text: str, routine: str) -> tuple[list[str], dict[str, Argument]]:
    """The arguments of a routine in their order, and what its text declares of them. Fortran, free form."""
    text = re.sub(r"!.*|^#.*", "", text.lower(), flags=re.MULTILINE)
    text = re.sub(r"&\s*&?", " ", text)
    head = re.search(rf"subroutine\s+{routine}\s*\(([^)]*)\)", text)
    assert head, routine
    names = re.findall(r"\w+", head[1])
    body = text[head.end() :].split("end subroutine")[0].split(f"end  subroutine {routine}")[0]
    found: dict[str, Argument] = {}
    for left, right in re.findall(r"^ *(.+?) *:: *(.+)$", body, re.MULTILINE):
        kind = re.match(r"type\s*\(\s*\w+\s*\)|\w+", left)
        intent = re.search(r"intent\s*\(\s*(in\s*out|in|out)\s*\)", left)
        if not kind or not intent:
            continue
        shape = re.search(r"dimension\s*\(([^)]*)\)", left)
        words = re.sub(r"\s", "", intent[1]) + (" optional" if "optional" in left else "")
        for name, own in re.findall(r"(\w+)\s*(?:\(([^)]*)\))?", right):
            bounds = own or (shape[1] if shape else "")
            found[name] = (re.sub(r"\s", "", kind[0]), re.sub(r"\s", "", bounds), words)
    return names, {name: found[name] for name in names}


@pytest.mark.parametrize("routine", ORDER)
def test_arguments_are_those_of_wrf(routine: str) -> None:
    names, found = declarations((FOLDER / f"heddle_{routine}.f90").read_text(), routine)
    assert names == ORDER[routine].split()
    expected = {name: facts for group, facts in ARGUMENTS[routine].items() for name in group.split()}
    assert found == {name: expected[name] for name in names}


def test_constants_are_those_of_wrf() -> None:
    text = (FOLDER / "heddle_wrf_constants.f90").read_text()
    pairs = re.findall(r"call expect\('(\w+)', (\w+), (.+)\)", text)
    assert {variable: value for _, variable, value in pairs} == CONSTANTS
    assert all(name.lower() == variable for name, variable, _ in pairs)


@pytest.mark.parametrize("routine", ["wsm3", "wsm5", "advect_scalar_pd", "rtrn"])
def test_arrays_on_a_device(routine: str) -> None:
    """With OpenACC what a routine declares for its kernels is made on the device, or copied to it, and each
    statement on arrays runs there, on arrays that are known to be there. gfortran, whose device is the host,
    sees neither."""
    text = re.sub(r" *&\n *!\$acc", "", (FOLDER / f"heddle_{routine}.f90").read_text())
    text = re.sub(r" *&\n *", " ", text)
    local = re.findall(
        r"^ *(?:real|integer\(\w+\)), dimension\((?![ik]ms)[^)]*\)(?:, allocatable)? :: (.*)$", text, re.M
    )
    names = {name for line in local for name in line.split(", ")}
    (data,) = re.findall(r"^ *!\$acc data (.*)$", text, re.M)
    kept = re.findall(r"^ *!\$acc enter data create\((.*)\) if\(on_device\)$", text, re.M)
    assert kept == re.findall(r"^ *!\$acc update device\((.*)\) if\(on_device\)$", text, re.M)
    made = {
        name
        for clause in [*re.findall(r"(?:create|copyin)\(([^)]*)\)", data), *kept]
        for name in clause.split(", ")
    }
    assert len(names) > 6
    assert names == made
    blocks = re.findall(
        r"^ *!\$acc kernels present\(([^)]*)\)(?: copyin\((.*)\))?( if.*)\n((?:(?! *!\$acc).*\n)*)",
        text,
        re.M,
    )
    assert len(blocks) > 0
    for present, numbers, condition, body in blocks:
        # Numbers would be copied back, and those that a caller gives as constants cannot be written.
        assert set(re.findall(r"\b(?:[ijk]t[se]|n)\b", body)) == set(filter(None, numbers.split(", "))), body
        used = set(re.findall(r"(?:^ *|= |\+ )([a-z]\w*)", body, re.M))
        assert used == set(present.split(", ")), body
        assert condition == " if(on_device)"
    loops = re.findall(
        r"^ *!\$acc parallel loop.* present\((.*)\) if\(on_device\)\n((?: *do .*\n)+.*\n.*\n)", text, re.M
    )
    for present, body in loops:
        assert set(re.findall(r"(\w+)\([gijk](?:, [gijk])?\)", body)) == set(present.split(", ")), body
    assert text.count("!$acc parallel") == len(loops)
    assert text.count("!$acc end kernels") == len(blocks)
    assert text.count(" if(on_device)") == len(blocks) + len(loops) + 1 + 2 * len(kept)


def test_a_block_of_threads_holds_the_g_points() -> None:
    """A sum over a row wants the whole row in a block: a GPU refuses a launch with fewer threads."""
    module = load(FOLDER / "wrf_columns.py")
    (points,) = re.findall(r"ngpt = (\d+)", (FOLDER / "heddle_rtrn.f90").read_text())
    schedule = module.kernels["fluxes"].schedule
    assert not isinstance(schedule, dict)
    assert schedule.gpu.block[0] >= int(points)
