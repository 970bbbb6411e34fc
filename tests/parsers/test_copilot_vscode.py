from parsers.contract import ParserContract

from ctxd_parsers.copilot_vscode import CopilotVscode, CopilotVscodeJson
from ctxd_parsers.copilot_vscode_transcript import CopilotVscodeTranscript


class TestCopilotVscode(ParserContract):
    parser = CopilotVscode()


class TestCopilotVscodeJson(ParserContract):
    parser = CopilotVscodeJson()


class TestCopilotVscodeTranscript(ParserContract):
    parser = CopilotVscodeTranscript()
