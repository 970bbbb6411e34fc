from parsers.contract import ParserContract

from ctxd_parsers.claude_code import ClaudeCode


class TestClaudeCode(ParserContract):
    parser = ClaudeCode()
