#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The counting behind the last line of ./test.sh: what ctest and pytest write, case by case.
# shellcheck source=common.sh
. "$(dirname "$0")/common.sh"
count="$HEDDLE_SOURCE/.ci/results.py"
mkdir project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(results NONE)
enable_testing()
add_test(NAME passes COMMAND "${CMAKE_COMMAND}" -E true)
add_test(NAME fails COMMAND "${CMAKE_COMMAND}" -E false)
add_test(NAME has_no_program COMMAND no-such-program)
add_test(NAME skips COMMAND "${CMAKE_COMMAND}" -E false)
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 1)
add_test(NAME is_off COMMAND "${CMAKE_COMMAND}" -E true)
set_tests_properties(is_off PROPERTIES DISABLED ON)
add_test(NAME takes_too_long COMMAND "${CMAKE_COMMAND}" -E sleep 5)
set_tests_properties(takes_too_long PROPERTIES TIMEOUT 1)
END
"$CMAKE" -S project -B build >configure.log
"$CTEST" --test-dir build --output-junit "$WORK/ctest.xml" >ctest.log 2>&1 && refuse "ctest passed"
# passes | fails, has no program, takes too long | skips, is off
expect "1 3 2" "$PYTHON" "$count" ctest.xml

cat >test_sample.py <<'END'
import pytest

def test_passes(): pass
def test_fails(): assert False
def test_skips(): pytest.skip("not here")
@pytest.fixture
def broken(): raise RuntimeError
def test_has_an_error(broken): pass
END
"$PYTHON" -m pytest -q --junitxml pytest.xml -p no:cacheprovider test_sample.py >pytest.log 2>&1 &&
  refuse "pytest passed"
expect "1 2 1" "$PYTHON" "$count" pytest.xml
expect "2 5 3" "$PYTHON" "$count" ctest.xml pytest.xml
expect_refusal "no test counts" "$PYTHON" "$count" absent.xml
head -c 200 ctest.xml >cut.xml
expect_refusal "no test counts" "$PYTHON" "$count" cut.xml
