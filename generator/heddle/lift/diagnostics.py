# SPDX-License-Identifier: Apache-2.0
"""Why heddle-lift does not translate something, as nouns; `heddle.lift.schema` writes them for its C++."""

from __future__ import annotations

# The name of Clang's class: the noun.
REASONS = {
    "AtomicExpr": "an atomic operation",
    "CUDAKernelCallExpr": "a kernel launch",
    "CXXBindTemporaryExpr": "a temporary with a destructor",
    "CXXDeleteExpr": "a delete",
    "CXXDynamicCastExpr": "a dynamic_cast",
    "CXXForRangeStmt": "a range-based for loop",
    "CXXNewExpr": "a new",
    "CXXThrowExpr": "a throw",
    "CXXTryStmt": "a try block",
    "CXXTypeidExpr": "a typeid",
    "DoStmt": "a do loop",
    "GCCAsmStmt": "assembly",
    "GotoStmt": "a goto",
    "IndirectGotoStmt": "a goto",
    "LabelStmt": "a label",
    "LambdaExpr": "a lambda",
    "MSAsmStmt": "assembly",
    "OffsetOfExpr": "an offsetof",
    "PredefinedExpr": "a string",
    "StmtExpr": "a statement expression",
    "StringLiteral": "a string",
    "SwitchStmt": "a switch",
    "UserDefinedLiteral": "a user-defined literal",
    "WhileStmt": "a while loop",
}

# What a class does not tell: the name in heddle-lift's C++, the noun.
SITUATIONS = {
    "bit_field": "a bit-field",
    "broken": "code that Clang cannot compile",
    "condition_variable": "a declaration in a condition",
    "destructor": "a variable with a destructor",
    "if_initialiser": "an if with an initialiser",
    "indirect_call": "a call through a pointer",
    "lambda_call": "a call of a lambda",
    "local_class": "a local class",
    "member_pointer": "a pointer to a member",
    "same_key": "an overload that differs only in the name of a type",
    "size_of_class": "the size of a class",
    "static_variable": "a static variable",
    "structured_binding": "a structured binding",
    "too_deep": "an expression nested too deeply",
    "too_deep_statement": "a statement nested too deeply",
    "virtual_call": "a virtual call",
}
