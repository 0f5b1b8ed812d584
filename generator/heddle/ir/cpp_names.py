# SPDX-License-Identifier: Apache-2.0
"""Which names C++ takes."""

from __future__ import annotations

import re
from errno import errorcode

RESERVED = frozenset(
    """alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl concept const
    constexpr continue co_await co_return co_yield decltype default delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not
    nullptr operator or private protected public register return short signed sizeof static static_assert
    static_cast struct switch template this throw true try typedef typeid typename union unsigned using
    virtual void volatile while xor heddle std main status unit_stride blockIdx threadIdx blockDim
    gridDim dim3""".split()
)


_MACROS = re.compile(
    r"NULL|EOF|S?NAN([FL]|F\d+X?)?|INFINITY|HUGE_VAL([FL]|_F\d+X?)?|MAXFLOAT|FP_[A-Z0-9_]+|"
    r"MATH_[A-Z]+|math_errhandling|"
    r"M_(E|LOG2E|LOG10E|LN2|LN10|PI|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)(f\d+x?|[fl])?|"
    r"U?INT(_LEAST|_FAST)?\d+_(MIN|MAX|C)|U?INT(MAX|PTR)_(MIN|MAX|C)|"
    r"SIZE_MAX|u?int(_least|_fast)?\d+_t|u?int(max|ptr)_t|size_t|ptrdiff_t|errno|assert|linux|unix|"
    r"((S|U)?CHAR|U?SHRT|U?INT|U?LONG|U?LLONG|U?LONG_LONG|WCHAR|WINT|SSIZE|PTRDIFF|SIG_ATOMIC|SIZE|BOOL|"
    r"U?INT(_LEAST|_FAST)?\d+|U?INT(MAX|PTR))_(MAX|MIN|WIDTH)|"
    r"(FLT|DBL|LDBL)_[A-Z0-9_]+|DECIMAL_DIG|CHAR_BIT|LONG_BIT|WORD_BIT|RAND_MAX|MB_(CUR|LEN)_MAX|"
    r"(ARG|AIO|BC|CHARCLASS|COLL|DELAYTIMER|EXPR|FILENAME|FOPEN|HOST|IOV|LINE|LOGIN|MQ|NAME|NGROUPS|NL|PATH|"
    r"RE_DUP|RTSIG|SEM|TMP|TTY|XATTR)_[A-Z_]*(MAX|MSGMAX|NMAX)|MAX_(CANON|INPUT)|BUFSIZ|WEOF|PIPE_BUF|NZERO|"
    r"(ADJ|ATOMIC|CLOCK|CLOCKS|CLONE|CPU|EXIT|FD|HEDDLE|LC|MOD|PTHREAD|RENAME|SCHED|SEEK|STA|STDERR|STDIN|"
    r"STDOUT|SYS|TIMER)_[A-Za-z]\w*|TIME_UTC|SIG_(DFL|ERR|IGN|ATOMIC_\w+)|CLOSE_RANGE_[A-Z]+|CSIGNAL|NFDBITS|"
    r"TEMP_FAILURE_RETRY|SYS__sysctl|"
    r"(BYTE_ORDER|(BIG|LITTLE|PDP)_ENDIAN)|L_(ctermid|cuserid|tmpnam|INCR|SET|XTND)|P_tmpdir|F_U?LOCK|"
    r"F_TEST|F_TLOCK|[FRWX]_OK|W(CONTINUED|EXITED|EXITSTATUS|IF[A-Z]+|NOHANG|NOWAIT|STOPPED|STOPSIG|TERMSIG|"
    r"UNTRACED)|[bl]e\d\dtoh|hto[bl]e\d\d|stdin|stdout|stderr|alloca|offsetof|strn?dupa|sched_priority|"
    r"pthread_cleanup_\w+|[A-Z0-9_]+_(H|HPP|CUH)|__\w*|_[A-Z]\w*"
)
"""Macros and types of the headers that emitted files include, their guards, macros of compilers, and what
the language keeps for itself."""


_ERRORS = frozenset(errorcode.values()) | {"EDEADLK", "EHWPOISON", "EOPNOTSUPP", "EWOULDBLOCK"}
"""The names of errors of the operating system, EPERM and so on, which are macros, too."""


def is_name(text: str) -> bool:
    """Whether C++ takes a text as a name."""
    return _is_word(text) and not _is_taken(text)


def why_no_name(text: str) -> str:
    """The reason for which a text is no name; nothing if it is one."""
    if not _is_word(text):
        return "it is not a valid C++ identifier"
    return "C++, its headers or emitted files use this word themselves" if _is_taken(text) else ""


def _is_word(text: str) -> bool:
    return text.isascii() and text.isidentifier()


def _is_taken(text: str) -> bool:
    return text in RESERVED or text in _ERRORS or _MACROS.fullmatch(text) is not None
