"""The commands of `bpe` by name, in the order in which they are listed."""

from core.cli import attach, convert, decode, encode, show, stats, train, what_if

COMMANDS = {
    module.COMMAND.name: module.COMMAND for module in (train, encode, decode, stats, show, convert, attach, what_if)
}
