"""What Python's own exceptions mean, in plain words, and what to look at first. Lives in the jail.

The words of a message say more than its class, so they are read first.
"""

from __future__ import annotations

import re

# Patterns over the last line of a traceback; what they catch is filled into the words.
_SAID = (
    (
        r"ModuleNotFoundError: No module named '(?P<what>[\w.]+)'",
        "the module {what} is neither installed nor a file here",
    ),
    (r"ImportError: cannot import name '(?P<what>\w+)' from '(?P<where>[\w.]+)'", "{where} has nothing called {what}"),
    (r"FileNotFoundError: .*'(?P<what>[^']+)'$", "there is no file or folder {what} where the script looks for it"),
    (r"IsADirectoryError: .*'(?P<what>[^']+)'$", "{what} is a folder, and a file is needed"),
    (r"NotADirectoryError: .*'(?P<what>[^']+)'$", "a part of {what} is a file, and a folder is needed"),
    (r"FileExistsError: .*'(?P<what>[^']+)'$", "{what} is there already"),
    (r"UnboundLocalError: .*variable '(?P<what>\w+)'", "{what} is used in its function before it gets a value there"),
    (r"NameError: name '(?P<what>\w+)'", "the name {what} is used before anything has that name; it may be misspelt"),
    (
        r"AttributeError: 'NoneType' object has no attribute '(?P<what>\w+)'",
        "the value is None, which has no {what}: what should have made it gave nothing",
    ),
    (
        r"AttributeError: .*has no attribute '(?P<what>\w+)'",
        "the value does not have {what}; it may be of another kind",
    ),
    (r"KeyError: (?P<what>.+)$", "there is no entry {what} in the dictionary"),
    (r"IndexError: pop from empty", "something is taken out of a list that is empty"),
    (r"TypeError: 'NoneType' object is not (?P<what>\w+)", "the value is None: what should have made it gave nothing"),
    (
        r"TypeError: '(?P<what>\w+)' object is not callable",
        "a value of the kind {what} is called as if it were a function",
    ),
    (
        r"TypeError: can only concatenate str \(not \"(?P<what>\w+)\"\) to str",
        "a text and a value of the kind {what} are joined; turn it into a text with str() first",
    ),
    (
        r"TypeError: unsupported operand type\(s\) for (?P<how>.+): '(?P<one>\w+)' and '(?P<other>\w+)'",
        "{how} cannot be done with {one} and {other}",
    ),
    (r"TypeError: .*missing \d+ required .*: (?P<what>.+)$", "the function is called without {what}, which it needs"),
    (r"TypeError: .*takes .* positional arguments? but", "the function is called with more values than it takes"),
    (r"TypeError: .*unexpected keyword argument '(?P<what>\w+)'", "the function takes nothing called {what}"),
    (r"ValueError: invalid literal for int\(\) with base 10: (?P<what>.+)$", "{what} is no whole number"),
    (r"ValueError: could not convert string to float: (?P<what>.+)$", "{what} is no number"),
    (r"ValueError: not enough values to unpack", "there are fewer values than names to give them to"),
    (r"ValueError: too many values to unpack", "there are more values than names to give them to"),
    (r"JSONDecodeError: Expecting value: line 1 column 1", "the text is empty or no JSON at all"),
    (r"JSONDecodeError: .*line (?P<line>\d+)", "the text is no JSON from its line {line} on"),
    (r"SyntaxError: .*was never closed", "a bracket is opened and never closed"),
    (r"SyntaxError: unterminated string", "a text begins with a quotation mark and does not end with one"),
    (r"SyntaxError: expected ':'", "a colon is missing at the end of the line"),
    (r"SyntaxError: invalid syntax\. Perhaps you forgot a comma", "a comma may be missing"),
    (r"OSError: .*Read-only", "it writes where the sandbox allows no writing"),
    (r"(?:ConnectionError|URLError|gaierror)", "it reaches another machine, which this step may not"),
)
# Every exception that Python itself has and a script can end with, by its class.
CLASSES = {
    "ArithmeticError": "a calculation has no result",
    "AssertionError": "an assertion of the script failed: something that it checks (assert) is not true",
    "AttributeError": "the value does not have what is asked of it; it may be of another kind than expected",
    "BaseException": "the script ended itself",
    "BaseExceptionGroup": "several things failed at once; each stands in the traceback",
    "BlockingIOError": "something that should not be waited for is not ready yet",
    "BrokenPipeError": "what should read its output has ended already",
    "BufferError": "memory that something else still uses is to be changed",
    "BytesWarning": "bytes and text are mixed",
    "ChildProcessError": "a program that it started is gone already",
    "ConnectionAbortedError": "the other side ended the connection",
    "ConnectionError": "it reaches another machine, which this step may not",
    "ConnectionRefusedError": "nothing answers at that address and port",
    "ConnectionResetError": "the other side ended the connection",
    "DeprecationWarning": "it uses something that goes away in a later version",
    "EOFError": "it waits for input, and gets none here",
    "EncodingWarning": "it opens a text without saying its encoding",
    "EnvironmentError": "the system refuses it; the words behind say why",
    "Exception": "the script raised it itself; the words behind are its own",
    "ExceptionGroup": "several things failed at once; each stands in the traceback",
    "FileExistsError": "the file or folder is there already",
    "FileNotFoundError": "there is no such file or folder where the script looks for it",
    "FloatingPointError": "a calculation has no result",
    "FutureWarning": "it will do something else in a later version",
    "GeneratorExit": "a generator was ended from outside",
    "IOError": "the system refuses it; the words behind say why",
    "ImportError": "a module is there and does not have what is imported from it",
    "ImportWarning": "a module could not be imported as it should",
    "IndentationError": "the spaces at the beginning of this line do not fit those of the lines around it",
    "IndexError": "a list is shorter than the place that is asked for; the first place is 0",
    "InterruptedError": "a call of the system was interrupted",
    "IsADirectoryError": "it is a folder, and a file is needed",
    "KeyError": "the dictionary has no such entry",
    "KeyboardInterrupt": "it was stopped from outside",
    "LookupError": "what is looked for is not there",
    "MemoryError": "it needs more memory than it may have",
    "ModuleNotFoundError": "the module is neither installed nor a file here",
    "NameError": "a name is used before anything has that name; it may be misspelt",
    "NotADirectoryError": "it is a file, and a folder is needed",
    "NotImplementedError": "this part of the script is not written yet",
    "OSError": "the system refuses it; the words behind say why",
    "OverflowError": "a number is too large to be calculated with",
    "PendingDeprecationWarning": "it uses something that goes away in a later version",
    "PermissionError": "it may not do this in the sandbox, or the file does not allow it",
    "ProcessLookupError": "the program that it speaks of has ended already",
    "PythonFinalizationError": "it starts something while Python is already ending",
    "RecursionError": "a function calls itself without end",
    "ReferenceError": "what it refers to is gone already",
    "ResourceWarning": "a file or a connection was never closed",
    "RuntimeError": "it cannot go on; the words behind say why",
    "RuntimeWarning": "a calculation may be wrong",
    "StopAsyncIteration": "there is nothing left to go through",
    "StopIteration": "there is nothing left to go through (next on something that is at its end)",
    "SyntaxError": "Python cannot read this line, so nothing was run; the mistake may be in the line before",
    "SyntaxWarning": "this line can hardly be meant as it stands",
    "SystemError": "Python itself failed",
    "SystemExit": "the script ended itself with an exit code",
    "TabError": "tabs and spaces are mixed at the beginning of this line",
    "TimeoutError": "it waited for something that did not come in time",
    "TypeError": "a value is of another kind than the line needs",
    "UnboundLocalError": "a name is used in its function before it gets a value there",
    "UnicodeDecodeError": "the bytes are no text in this encoding; the file may be in another one, or no text",
    "UnicodeEncodeError": "the text has characters that the encoding does not have",
    "UnicodeError": "text and bytes cannot be turned into each other",
    "UnicodeTranslateError": "a character cannot be replaced",
    "UnicodeWarning": "text and bytes are mixed",
    "UserWarning": "the script warns of something itself",
    "ValueError": "the value is of the right kind, and is none that can be used here",
    "Warning": "it is warned of something, and warnings end it",
    "ZeroDivisionError": "something is divided by zero",
}
# Of Python's library, those that scripts meet most.
CLASSES |= {
    "CalledProcessError": "a program that it started failed",
    "JSONDecodeError": "the text is no JSON",
    "TimeoutExpired": "a program that it started did not end in time",
    "UnsupportedOperation": "a file was opened for something else, such as reading where it is written to",
}


def meaning(error: str) -> str:
    """What the last line of a traceback means; "" where nobody has said it."""
    for pattern, text in _SAID:
        if found := re.search(pattern, error):
            return text.format(**found.groupdict())
    name = re.match(r"[\w.]+", error)
    return CLASSES.get(name[0].rpartition(".")[2], "") if name else ""
