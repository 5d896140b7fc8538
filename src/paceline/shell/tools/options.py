"""The options of a tool: those it has work as in life, any other is answered with those it has."""

from dataclasses import dataclass, field

from paceline.shell.machine import Call, Failed


@dataclass(slots=True)
class Options:
    """What was asked for, and the operands that are left."""

    flags: list[str] = field(default_factory=list)
    values: dict[str, str] = field(default_factory=dict)
    operands: list[str] = field(default_factory=list)

    def __contains__(self, flag: str) -> bool:
        return flag in self.flags

    def number(self, flag: str, otherwise: int, name: str) -> int:
        """An option's whole number."""
        text = self.values.get(flag, str(otherwise))
        if not text.isdecimal() or len(text) > 9:
            raise Failed(f"invalid number after -{flag}: '{text}' ({name} wants a whole number)", 2)
        return int(text)


def options(
    call: Call, flags: str, valued: str = "", digits: str = "", permute: bool = True, code: int = 2, many: str = ""
) -> Options:
    """Read options; `valued` ones take what follows, and a bare number such as -5 is the value of `digits`.

    Of a valued option given again the last counts, but those in `many` are kept, a line each.
    """
    found = Options()
    args = list(call.args)
    while args:
        arg = args.pop(0)
        if arg == "--":
            found.operands += args
            break
        if len(arg) < 2 or arg[0] != "-":
            found.operands.append(arg)
            if not permute:
                found.operands += args
                break
            continue
        if digits and arg[1:].isdecimal():
            found.values[digits] = arg[1:]
            continue
        for at, flag in enumerate(arg[1:], 1):
            if flag in valued:
                rest = arg[at + 1 :]
                if not rest and not args:
                    raise Failed(f"option requires an argument -- '{flag}'", code)
                value = rest or args.pop(0)
                found.values[flag] = (
                    f"{found.values[flag]}\n{value}" if flag in many and flag in found.values else value
                )
                break
            if flag not in flags:
                shown = arg if arg.startswith("--") else f"-{flag}"
                raise Failed(f"unknown option {shown}; {call.name} here knows {_known(flags, valued)}", code)
            found.flags.append(flag)
    return found


def _known(flags: str, valued: str) -> str:
    known = [f"-{flag}" for flag in flags] + [f"-{flag} …" for flag in valued]
    return ", ".join(known) if known else "no options"


def lines_of(text: str) -> list[str]:
    """The lines of a text without their ends."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return lines


def joined(lines: list[str]) -> str:
    """Lines as a text."""
    return "".join(f"{line}\n" for line in lines)


def inputs(call: Call, names: list[str]) -> list[tuple[str, str, str]]:
    """Each file's name, text and problem; the standard input where no file is named."""
    found: list[tuple[str, str, str]] = []
    if not names and not call.piped:
        raise Failed("there is no keyboard input here; name a file, or pipe text in")
    for name in names or ["-"]:
        try:
            found.append((name, call.read(name), ""))
        except Failed as failure:
            found.append((name, "", str(failure)))
    return found
