from parsers.contract import ParserContract

from ctxd_parsers.copilot_cli import CopilotCli


class TestCopilotCli(ParserContract):
    parser = CopilotCli()
